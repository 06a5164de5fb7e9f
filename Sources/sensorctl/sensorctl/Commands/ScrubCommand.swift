// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreLocation
import Geodesy
import TraceEditing

struct ScrubCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scrub", abstract: "Remove personal data from a recording, so that it can be shared.",
        discussion: """
            The command moves the positions so that the first one is at latitude 0 and longitude 0. Distances and \
            directions are preserved. The command shifts the times so that the recording starts on 2000-01-01. It also \
            removes the following data:
              serial numbers
              the names of ports, receivers and machines
              the IIO contexts of sensors
              the NMEA sentences from receivers
              all data from gpsd except positions, satellites and attitudes
              the azimuths and elevations of satellites
              the names of accessories and the data exchanged with them
              the UUIDs and the major and minor values of beacons
            All other gpsd data is removed because it may reveal the position. The command keeps the model names of \
            accessories and the chip names of sensors.

            Altitudes are kept unless you specify --drop-altitude. Motion readings are always kept, although they also \
            contain personal information. Magnetometer readings reveal the magnetic latitude, and barometer readings \
            reveal the altitude. The motion readings of a person who is walking can even identify that person.

            See `sensorctl --help` for the exit codes.

            Examples:
              sensorctl scrub drive.jsonl share.jsonl --drop-altitude
            """)

    @OptionGroup var recording: EditOptions
    // Without `.unconditional`, a value with a leading minus sign would be parsed as an option.
    @Option(
        parsing: .unconditional,
        help: .init(
            "The new coordinates of the first position: latitude and longitude in degrees, positive north and east.",
            valueName: "lat,lon"), transform: PlaceArgument.parse)
    var place: PlaceArgument?
    @Flag(help: "Keep the original positions.") var keepPlace = false
    @Flag(help: "Keep the original times.") var keepTime = false
    @Flag(help: "Remove the altitudes.") var dropAltitude = false
    @Flag(help: "Keep the satellites' azimuths and elevations.") var keepSky = false
    @Flag(help: "Keep the data that was exchanged with accessories.") var keepBytes = false
    @Flag(help: "Keep the names of accessories. These may contain the names of their owners.") var keepNames = false

    func validate() throws {
        if keepPlace, place != nil { throw ValidationError("--place and --keep-place cannot be combined.") }
    }

    func run() throws {
        let trace = try recording.read()
        var options = ScrubOptions()
        if let place = place?.coordinate {
            options.place = GeodeticCoordinate(latitude: place.latitude, longitude: place.longitude)
        }
        if keepPlace { options.place = nil }
        if keepTime { options.start = nil }
        options.removesAltitude = dropAltitude
        options.removesSatellitePositions = !keepSky
        options.removesAccessoryData = !keepBytes
        options.removesAccessoryNames = !keepNames
        try recording.target.write(trace, edits: [ScrubEdit(options)])
    }
}
