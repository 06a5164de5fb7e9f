// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Geodesy
import TraceEditing

struct ScrubCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scrub",
        abstract: "Takes out of a recording who made it, where and when, so that it can be shared.",
        discussion: """
            Positions are moved, with distances and directions kept, so that the first one lies at 0, 0; times so that the recording \
            starts on 2000-01-01. Left out are serial numbers, names of ports, receivers and machines, contexts of sensors, \
            sentences of receivers and everything of gpsd that is no position, satellite or attitude (they may hold the place in \
            any form), where satellites stand in the sky, the names of accessories and their bytes. Accessories keep their models, \
            sensors the names of their chips.

            Altitudes stay unless --drop-altitude is given. Motion readings stay: a magnetometer tells the magnetic latitude, a \
            barometer the height, a walk who walks. See sensorctl --help for the exit codes.

            Examples:
              sensorctl scrub drive.jsonl share.jsonl --drop-altitude
            """)

    @OptionGroup var recording: EditOptions

    @Option(parsing: .unconditional, help: "Where the first position comes to lie: degrees north, degrees east.")
    var place: Place?

    @Flag(help: "Leave positions where they are.")
    var keepPlace = false

    @Flag(help: "Leave times as they are.")
    var keepTime = false

    @Flag(help: "Leave out altitudes.")
    var dropAltitude = false

    @Flag(help: "Keep where satellites stand in the sky.")
    var keepSky = false

    @Flag(help: "Keep what was said to accessories, and what they answered.")
    var keepBytes = false

    @Flag(help: "Keep the names of accessories, which may be their owners'.")
    var keepNames = false

    func validate() throws {
        if keepPlace, place != nil { throw ValidationError("--place and --keep-place exclude each other.") }
    }

    func run() throws {
        let trace = try recording.read()
        var options = ScrubOptions()
        if let place { options.place = place.coordinate }
        if keepPlace { options.place = nil }
        if keepTime { options.start = nil }
        options.dropsAltitude = dropAltitude
        options.dropsSky = !keepSky
        options.dropsBytes = !keepBytes
        options.dropsNames = !keepNames
        try recording.target.write(trace, edits: [ScrubEdit(options)])
    }

    /// A place as it is written on the command line: 47.3,8.5
    struct Place: ExpressibleByArgument {
        var coordinate: GeodeticCoordinate

        init?(argument: String) {
            let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
            guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1],
                abs(latitude) <= 90, abs(longitude) <= 180
            else { return nil }
            coordinate = GeodeticCoordinate(latitude: latitude, longitude: longitude)
        }
    }
}
