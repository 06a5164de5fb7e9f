// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreLocation

struct RegionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Region for the streams regions and monitor: name, latitude, longitude and radius in metres. May be repeated.",
            valueName: "name=lat,lon,metres"))
    var region: [NamedRegion] = []

    /// Checks that the streams `regions` and `monitor` have at least one region, and that other streams have none.
    func validate(for stream: StreamName) throws {
        let isWanted = stream == .regions || stream == .monitor
        if isWanted, region.isEmpty {
            throw ValidationError(
                "\(stream.rawValue) requires a region: --region \"home=48.137,11.575,200\" (name, latitude, longitude, radius in metres)."
            )
        }
        if !isWanted, !region.isEmpty { throw ValidationError("--region requires the stream regions or monitor.") }
        guard Set(region.map(\.name)).count == region.count else {
            throw ValidationError("Two regions have the same name. Give each region a unique name.")
        }
        guard region.count <= 20 else {
            throw ValidationError("\(region.count) regions are too many: at most 20 can be monitored.")
        }
    }

    /// The regions as given on the command line, for the file of expected callbacks.
    var description: String { region.map(\.argument).joined(separator: " ") }
}

/// A circular region with a name.
struct NamedRegion: ExpressibleByArgument {
    let name: String
    let center: CLLocationCoordinate2D
    let radius: Double
    let argument: String

    init?(argument: String) {
        // Splits at the last equals sign, because the name may contain one.
        guard let sign = argument.lastIndex(of: "="), sign > argument.startIndex else { return nil }
        let numbers = argument[argument.index(after: sign)...].split(separator: ",", omittingEmptySubsequences: false)
            .map { Double($0) }
        guard numbers.count == 3, let latitude = numbers[0], let longitude = numbers[1], let radius = numbers[2] else {
            return nil
        }
        let center = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
        guard CLLocationCoordinate2DIsValid(center), radius > 0, radius <= 2_128_000 else { return nil }
        (name, self.center, self.radius) = (String(argument[..<sign]), center, radius)
        self.argument = argument
    }

    var circle: CLCircularRegion { CLCircularRegion(center: center, radius: radius, identifier: name) }
}
