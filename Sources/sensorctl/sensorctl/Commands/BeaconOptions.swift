// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreLocation
import Foundation

/// Which beacons are meant, as it is written on the command line: a UUID, then a major and a minor.
struct BeaconChoice: ExpressibleByArgument, Equatable {
    let constraint: CLBeaconIdentityConstraint

    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count), let uuid = UUID(uuidString: String(parts[0])) else { return nil }
        let numbers = parts.dropFirst().map { UInt16($0) }
        switch (numbers.first, numbers.dropFirst().first) {
        case (nil, nil): constraint = CLBeaconIdentityConstraint(uuid: uuid)
        case (let major??, nil): constraint = CLBeaconIdentityConstraint(uuid: uuid, major: major)
        case (let major??, let minor??): constraint = CLBeaconIdentityConstraint(uuid: uuid, major: major, minor: minor)
        default: return nil
        }
    }
}

/// The beacons that are watched or replayed.
struct BeaconOptions: ParsableArguments {
    @Option(
        name: .customLong("beacon"),
        help: ArgumentHelp(
            "For beacons: those of that owner, of a group of theirs (major), or a single one. May be given several times.",
            valueName: "uuid[,major[,minor]]"))
    var choices: [BeaconChoice] = []

    var constraints: [CLBeaconIdentityConstraint] { choices.map(\.constraint) }

    func validate(for stream: StreamName) throws {
        try Self.refuse(
            stream == .beacons && choices.isEmpty,
            "Say which beacons: --beacon UUID, or UUID,MAJOR or UUID,MAJOR,MINOR. iOS, too, tells only of those that are asked for."
        )
        try Self.refuse(stream != .beacons && !choices.isEmpty, "--beacon is for the stream beacons.")
    }
}
