// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Converts between addresses and dictionaries with the keys of Apple's Address Book framework.
enum AddressDictionary {
    /// The parts of an address and their dictionary keys, in the order in which an address is written. The parts form
    /// the search text, the dictionary and the address lines.
    private static let parts: [(key: String, part: @Sendable (PlaceDescription) -> String?)] = [
        (
            "Street",
            { place in
                place.thoroughfare.map { street in place.subThoroughfare.map { "\($0) \(street)" } ?? street }
            }
        ),
        ("SubLocality", \.subLocality), ("City", \.locality), ("SubAdministrativeArea", \.subAdministrativeArea),
        ("State", \.administrativeArea), ("ZIP", \.postalCode), ("Country", \.country),
    ]

    /// Returns the address as text for a place search, or nil if the dictionary contains no address.
    static func text(of dictionary: [AnyHashable: Any]) -> String? {
        var found = parts.compactMap { dictionary[$0.key] as? String }
        if dictionary["Country"] as? String == nil, let code = dictionary["CountryCode"] as? String {
            // Upper case keeps the country code from being mistaken for the name of a town, such as "Bo".
            found.append(code.uppercased())
        }
        found.removeAll(where: \.isEmpty)
        return found.isEmpty ? nil : found.joined(separator: ", ")
    }

    static func dictionary(of place: PlaceDescription) -> [AnyHashable: Any] {
        var dictionary: [AnyHashable: Any] = [:]
        for (key, part) in parts { dictionary[key] = part(place) }
        dictionary["Name"] = place.name
        dictionary["CountryCode"] = place.isoCountryCode
        dictionary["Thoroughfare"] = place.thoroughfare
        dictionary["SubThoroughfare"] = place.subThoroughfare
        dictionary["InlandWater"] = place.inlandWater
        dictionary["Ocean"] = place.ocean
        dictionary["AreasOfInterest"] = place.areasOfInterest
        dictionary["FormattedAddressLines"] = lines(of: place)
        return dictionary
    }

    /// Returns the lines of the address. If two parts have the same name, for example a city and its state, the name is
    /// listed only once. The ocean has its own line, because a place at sea may have no other part. A lake belongs to a
    /// country, so it needs no line.
    static func lines(of place: PlaceDescription) -> [String] {
        var lines: [String] = []
        for text in parts.map({ $0.part(place) }) + [place.ocean] {
            if let text, !lines.contains(text) { lines.append(text) }
        }
        return lines
    }
}
