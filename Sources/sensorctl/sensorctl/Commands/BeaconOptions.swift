// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreLocation
import Foundation

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

struct BeaconOptions: ParsableArguments {
    @Option(
        name: .customLong("beacon"),
        help: ArgumentHelp(
            "Beacons to range: all with this UUID, all with this UUID and major, or a single one. May be repeated.",
            valueName: "uuid[,major[,minor]]"))
    var choices: [BeaconChoice] = []

    var constraints: [CLBeaconIdentityConstraint] { choices.map(\.constraint) }

    func validate(for stream: StreamName) throws {
        try Self.rejectIf(
            stream == .beacons && choices.isEmpty,
            "Name the beacons: --beacon UUID, or UUID,MAJOR or UUID,MAJOR,MINOR. As on iOS, only the named beacons are reported."
        )
        try Self.rejectIf(stream != .beacons && !choices.isEmpty, "--beacon requires the stream beacons.")
    }
}
