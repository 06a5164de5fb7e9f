// SPDX-License-Identifier: Apache-2.0

/// A search for places by text.
package struct PlaceQuery: Sendable {
    /// What people write: a place, or a place and what it lies in, with commas between them.
    package var text: String
    /// Places in this circle come first, and the nearer ones before the others.
    package var circle: (latitude: Double, longitude: Double, radius: Double)?
    /// What countries are called in a language that the data does not have: the codes of ISO 3166-1 for a folded name.
    package var countryCodes: @Sendable ([UInt8]) -> [String]

    /// The languages in which the data has names of countries and of large cities, by ISO 639.
    package static let languages: Set = [
        "ca", "cs", "da", "de", "en", "es", "fi", "fr", "hr", "hu", "id", "it", "nb", "nl", "no", "pl", "pt", "ro",
        "sv",
        "tr", "vi",
    ]

    /// The longest text that is looked at, in bytes of UTF-8.
    package static let longestText = 1000
    /// The most parts between commas.
    static let mostParts = 10

    package init(
        text: String, circle: (latitude: Double, longitude: Double, radius: Double)? = nil,
        countryCodes: @escaping @Sendable ([UInt8]) -> [String] = { _ in [] }
    ) {
        self.text = text
        self.circle = circle
        self.countryCodes = countryCodes
    }
}

/// What a search found.
package enum PlaceMatch: Equatable, Sendable {
    /// The best first, at most five.
    case found([Place])
    /// Only what the place would lie in, by its name.
    case onlyAround(String)
    case nothing
}
