// SPDX-License-Identifier: Apache-2.0

/// A search for places by text.
package struct PlaceQuery: Sendable {
    /// The text that the user has entered: a place, optionally followed by the areas that contain it, separated by
    /// commas.
    package var text: String
    /// A circle, in degrees and metres. Places inside it are preferred, and nearer places are preferred to farther
    /// ones.
    package var circle: (latitude: Double, longitude: Double, radius: Double)?
    /// Returns the ISO 3166-1 codes for the folded name of a country in a language that the data does not contain.
    package var countryCodes: @Sendable ([UInt8]) -> [String]

    /// The languages in which the data contains names of countries and large cities, as ISO 639 codes.
    package static let languages: Set = [
        "ca", "cs", "da", "de", "en", "es", "fi", "fr", "hr", "hu", "id", "it", "nb", "nl", "no", "pl", "pt", "ro",
        "sv",
        "tr", "vi",
    ]

    /// The maximum length of a text, in bytes of UTF-8. A longer text has no matches.
    package static let maximumTextLength = 1000
    /// The maximum number of comma-separated parts. Further parts are ignored.
    static let maximumParts = 10

    package init(
        text: String, circle: (latitude: Double, longitude: Double, radius: Double)? = nil,
        countryCodes: @escaping @Sendable ([UInt8]) -> [String] = { _ in [] }
    ) {
        self.text = text
        self.circle = circle
        self.countryCodes = countryCodes
    }
}

/// The result of a search.
package enum PlaceMatch: Equatable, Sendable {
    /// The matching places, best match first; at most five.
    case found([Place])
    /// The place is unknown. Only the area or country with this name, which would contain it, is known.
    case onlySurroundings(String)
    case notFound
}
