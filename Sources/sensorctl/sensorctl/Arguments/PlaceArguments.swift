// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreLocation

/// A coordinate specified on the command line.
struct PlaceArgument: FormattedArgument {
    static let forms = "a latitude and a longitude in degrees, as in 48.1,11.6"
    let coordinate: CLLocationCoordinate2D

    init?(argument: String) {
        guard let coordinate = Self.coordinate(argument), CLLocationCoordinate2DIsValid(coordinate) else { return nil }
        self.coordinate = coordinate
    }

    /// Parses two numbers separated by a comma, a semicolon or white space. The numbers may be out of range.
    static func coordinate(_ text: some StringProtocol) -> CLLocationCoordinate2D? {
        let parts = text.split { $0 == "," || $0 == ";" || $0.isWhitespace }
        guard parts.count == 2, let latitude = number(parts[0]), let longitude = number(parts[1]) else { return nil }
        return CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
    }

    /// Returns true if the text consists of two values that `Double` can parse but at least one, such as "nan" or
    /// "0x1", is not a decimal number.
    static func isUnsupportedNumber(_ text: some StringProtocol) -> Bool {
        let parts = text.split { $0 == "," || $0 == ";" || $0.isWhitespace }
        return parts.count == 2 && parts.allSatisfy { Double($0) != nil } && coordinate(text) == nil
    }

    fileprivate static func number(_ text: some StringProtocol) -> Double? {
        // `Double` also parses "nan", "infinity" and hexadecimal numbers. They are rejected here because they may be
        // names: Nan is a town in Thailand.
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }) else { return nil }
        return Double(text)
    }
}

/// A region specified on the command line.
struct NamedRegion: FormattedArgument {
    static let forms = "a name, a latitude, a longitude and a radius in metres, as in home=48.137,11.575,200"
    /// The maximum number of regions that a location manager can monitor.
    static let maximumCount = 20

    let name: String
    let center: CLLocationCoordinate2D
    let radius: Double
    let argument: String

    init?(argument: String) {
        // The last equals sign is the separator, because the name may contain equals signs.
        guard let sign = argument.lastIndex(of: "="), sign > argument.startIndex else { return nil }
        let place = argument[argument.index(after: sign)...]
        guard let comma = place.lastIndex(where: { $0 == "," }),
            let center = PlaceArgument(argument: String(place[..<comma])),
            let radius = PlaceArgument.number(place[place.index(after: comma)...].drop(while: \.isWhitespace)),
            // The maximum radius is the location manager's `maximumRegionMonitoringDistance`.
            radius > 0, radius <= 2_128_000
        else { return nil }
        (name, self.center, self.radius) = (String(argument[..<sign]), center.coordinate, radius)
        self.argument = argument
    }

    var circle: CLCircularRegion { CLCircularRegion(center: center, radius: radius, identifier: name) }

    /// Throws an error if there are too many regions, or if two have the same name.
    static func validate(_ regions: [NamedRegion]) throws {
        if Set(regions.map(\.name)).count < regions.count {
            throw ValidationError("Two regions have the same name. Give each region a unique name.")
        }
        if regions.count > maximumCount {
            throw ValidationError("\(regions.count) regions are too many: at most \(maximumCount) can be monitored.")
        }
    }
}
