// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreLocation

/// The regions that are to be watched.
struct RegionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A region for regions and monitor: name, latitude, longitude and metres. Repeat it for more.",
            valueName: "name=lat,lon,metres"))
    var region: [NamedRegion] = []

    /// Regions belong to two streams, which show nothing without.
    func validate(for stream: StreamName) throws {
        let isWanted = stream == .regions || stream == .monitor
        if isWanted, region.isEmpty {
            throw ValidationError(
                "\(stream.rawValue) needs a region: --region \"home=48.137,11.575,200\" (name, latitude, longitude, metres)."
            )
        }
        if !isWanted, !region.isEmpty { throw ValidationError("--region is for regions and monitor.") }
        guard Set(region.map(\.name)).count == region.count else {
            throw ValidationError("Two regions have one name; each needs its own.")
        }
        guard region.count <= 20 else {
            throw ValidationError("\(region.count) regions are too many: 20 are monitored.")
        }
    }

    /// As they were given, for the file of expected callbacks.
    var description: String { region.map(\.argument).joined(separator: " ") }
}

/// A circle with a name.
struct NamedRegion: ExpressibleByArgument {
    let name: String
    let center: CLLocationCoordinate2D
    let radius: Double
    let argument: String

    init?(argument: String) {
        // The numbers have no equals sign; a name may.
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
