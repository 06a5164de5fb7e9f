// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreLocation
import Geodesy
import TraceEditing

struct ScrubCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scrub", abstract: "Remove personal data from a recording, so that it can be shared.",
        discussion: """
            Positions start at 0,0 and times at 2000-01-01. Names, serial numbers and the data of accessories are \
            removed. Motion readings are kept, although they can reveal the latitude, the altitude or who was walking.

            Examples:
              sensorctl scrub drive.jsonl share.jsonl --drop-altitude
            """)

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
    @OptionGroup var recording: EditOptions

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
