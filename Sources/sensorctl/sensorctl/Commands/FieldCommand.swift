// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreLocation
import DeviceCore
import Geodesy
import SensorTools

struct FieldCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "field", abstract: "Compute the earth's magnetic field at a position.",
        usage: "sensorctl field --place <lat,lon> [<options>]",
        discussion: """
            Field strengths are in nanotesla and angles in degrees. The x axis points north, y east and z down. The \
            uncertainties are standard deviations, and do not include the effects of buildings and vehicles.

            Examples:
              sensorctl field --place 52.5,13.4
            """)

    // Without `.unconditional`, a value with a leading minus sign would be parsed as an option.
    @Option(
        parsing: .unconditional,
        help: .init(
            "The latitude and longitude in degrees. North and east are positive. You can specify --latitude and --longitude instead.",
            valueName: "lat,lon"), transform: PlaceArgument.parse)
    var place: PlaceArgument?

    @Option(parsing: .unconditional, help: .hidden) var latitude: Double?
    @Option(parsing: .unconditional, help: .hidden) var longitude: Double?

    @Option(
        parsing: .unconditional,
        help:
            "The altitude above the ellipsoid, in metres. You can specify the altitude above sea level instead, because the difference hardly affects the result."
    )
    var altitude = 0.0

    @Option(
        parsing: .unconditional,
        help:
            "The time: a decimal year (2026.5), a date (2026-07-02), or a date and a time (2026-07-02T12:00:00Z). The default is the current time.",
        transform: FieldDate.parse
    )
    var date: FieldDate?

    @Option(help: "A coefficient file in NOAA's format (WMM.COF).", completion: .file()) var model: String?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard let (latitude, longitude) = coordinate else {
            throw ValidationError("Use --place, as in --place 52.5,13.4, or both --latitude and --longitude.")
        }
        try Self.rejectIf(!(-90...90).contains(latitude), "--latitude must be from -90 to 90 degrees.")
        try Self.rejectIf(
            !(-180...360).contains(longitude), "--longitude must be from -180 to 180 or from 0 to 360 degrees.")
        try Self.rejectIf(
            !(-10_000...10_000_000).contains(altitude), "--altitude must be from -10000 to 10000000 metres.")
    }

    private var coordinate: (latitude: Double, longitude: Double)? {
        if let place = place?.coordinate {
            return latitude == nil && longitude == nil ? (place.latitude, place.longitude) : nil
        }
        guard let latitude, let longitude else { return nil }
        return (latitude, longitude)
    }

    func run() throws {
        guard let (latitude, longitude) = coordinate else { return }
        let model = try chosenModel()
        let year = date?.year ?? DecimalYear.at(secondsSince1970: LiveClock().wallTime.seconds)
        let report = FieldReport(latitude: latitude, longitude: longitude, altitude: altitude, year: year, model: model)
        let stop = StopRequest()
        StandardOutput(stop: stop).write(report, asJSON: output.json)
        for remark in report.remarks { Log.warning(remark) }
        try stop.status().exit()
    }

    private func chosenModel() throws -> MagneticModel {
        guard let path = model else { return .wmm2025 }
        let bytes = try ExitStatus.exitOnError({ _ in .noInput }) {
            try FileIO.read(path, limit: MagneticModel.maximumFileSize)
        }
        do throws(MagneticModelError) { return try MagneticModel(cof: bytes) } catch {
            Log.error("\(path) is not a magnetic model. \(error.description)")
            try ExitStatus.dataError.exit()
            throw error
        }
    }
}
