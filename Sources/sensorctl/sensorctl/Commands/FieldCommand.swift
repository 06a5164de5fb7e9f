// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import Geodesy
import SensorTools

struct FieldCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "field",
        abstract: "Says how the earth's magnetic field is at a place.",
        usage: "sensorctl field --latitude <degrees> --longitude <degrees> [<options>]",
        discussion: """
            Reckons with the World Magnetic Model 2025, or with a newer release that --model names. Strengths are in \
            nanotesla, angles in degrees, changes per year; x is north, y east, z down. The uncertainties are one \
            standard deviation on open ground. Needs no device.

            With --json one object: x, y, z, horizontal, total, declination, inclination; each also with Rate and with \
            Uncertainty behind its name; and latitude, longitude, altitude, date (decimal year), model, epoch, and the \
            flags valid (the date and the height are among those that the model is made for), caution (the horizontal \
            field is below 6000 nT, a compass is unreliable) and blackout (below 2000 nT, it is of no use).

            Exits with 65 when the file is not a model and with 66 when it cannot be read. See sensorctl --help for \
            the other exit codes.

            Examples:
              sensorctl field --latitude 52.5 --longitude 13.4
            """)

    // A value may begin with a minus sign.
    @Option(parsing: .unconditional, help: "Degrees, north positive.")
    var latitude: Double

    @Option(parsing: .unconditional, help: "Degrees, east positive.")
    var longitude: Double

    @Option(parsing: .unconditional, help: "Metres above the ellipsoid, or above the sea, which is as good.")
    var altitude = 0.0

    @Option(
        parsing: .unconditional,
        help: "A year such as 2026.5, or a date such as 2026-07-02 or 2026-07-02T12:00:00Z; now, unless given.")
    var date: FieldDate?

    @Option(help: "A file of coefficients as NOAA publishes it (WMM.COF).", completion: .file())
    var model: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        try Self.refuse(!(-90...90).contains(latitude), "--latitude takes degrees from -90 to 90.")
        try Self.refuse(
            !(-180...360).contains(longitude), "--longitude takes degrees from -180 to 180, or from 0 to 360.")
        try Self.refuse(
            !(-10_000...10_000_000).contains(altitude), "--altitude takes metres from -10000 to 10000000.")
    }

    func run() throws {
        let model = try chosenModel()
        let year = date?.year ?? DecimalYear.at(secondsSince1970: LiveClock().wallTime.seconds)
        let report = FieldReport(latitude: latitude, longitude: longitude, altitude: altitude, year: year, model: model)
        let stop = Stop()
        StandardOutput(stop: stop).write(report, asJSON: output.json)
        for remark in report.remarks { Notes.warn(remark) }
        try stop.status().end()
    }

    private func chosenModel() throws -> MagneticModel {
        guard let path = model else { return .wmm2025 }
        let bytes = try ExitStatus.ending({ _ in .noInput }) { () throws(DeviceError) in
            try FileBytes.read(path, limit: MagneticModel.maximumFileSize)
        }
        do throws(MagneticModelError) {
            return try MagneticModel(cof: bytes)
        } catch {
            Notes.fail("\(path) is not a magnetic model. \(error.description)")
            try ExitStatus.badTrace.end()
            throw error
        }
    }
}
