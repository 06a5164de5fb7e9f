// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreLocation
import Foundation

struct RegionOptions: ParsableArguments {
    @Option(
        help: .init(
            "A region for the streams \"regions\" and \"monitor\": its name, latitude, longitude and radius in metres. This option may be repeated.",
            valueName: "name=lat,lon,metres"), transform: NamedRegion.parse)
    var region: [NamedRegion] = []

    @Option(
        name: .customLong("beacon"),
        help: .init(
            "The beacons to detect. Specify a UUID, a UUID and a major value, or all three values of a single beacon. This option may be repeated.",
            valueName: "uuid[,major[,minor]]"))
    var beacons: [BeaconChoice] = []

    /// Throws an error if the regions or beacons do not match the stream. Regions are required for `regions` and
    /// `monitor`, and beacons for `beacons`. Other streams accept neither. Also throws an error if there are too many
    /// regions or two regions have the same name.
    func validate(for stream: StreamName) throws {
        let isWanted = stream == .regions || stream == .monitor
        if isWanted, region.isEmpty {
            throw ValidationError(
                "\(stream.rawValue) requires a region: --region \"home=48.137,11.575,200\" (name, latitude, longitude, radius in metres)."
            )
        }
        if !isWanted, !region.isEmpty { throw ValidationError("--region requires the stream regions or monitor.") }
        try NamedRegion.validate(region)
        try Self.rejectIf(
            stream == .beacons && beacons.isEmpty,
            "Name the beacons: --beacon UUID, or UUID,MAJOR or UUID,MAJOR,MINOR. As on iOS, only the named beacons are reported."
        )
        try Self.rejectIf(stream != .beacons && !beacons.isEmpty, "--beacon requires the stream beacons.")
    }

    /// The regions as specified on the command line, to be stored with the expected callbacks.
    var description: String { region.map(\.argument).joined(separator: " ") }
}

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
