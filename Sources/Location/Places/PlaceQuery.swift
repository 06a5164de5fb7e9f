// SPDX-License-Identifier: Apache-2.0

/// A search in `PlaceData` for places with a given name.
package struct PlaceQuery: Sendable {
    /// The text that the user entered: a place and the areas that contain it, separated by commas.
    package var text: String
    /// A circle, with its centre in degrees and its radius in metres. Places inside it come first, and nearer places
    /// before more distant ones.
    package var circle: (latitude: Double, longitude: Double, radius: Double)?
    /// A closure that returns the ISO 3166-1 codes of the countries with the given folded name. It is needed for
    /// languages in which the data contains no country names.
    package var countryCodes: @Sendable ([UInt8]) -> [String]

    /// The ISO 639 codes of the languages in which the data has names of countries and large cities.
    package static let languages: Set = [
        "ca", "cs", "da", "de", "en", "es", "fi", "fr", "hr", "hu", "id", "it", "nb", "nl", "no", "pl", "pt", "ro",
        "sv", "tr", "vi",
    ]

    /// The maximum text length, in UTF-8 bytes. Longer texts have no matches.
    package static let maximumTextLength = 1000
    /// The maximum number of comma-separated parts. Further parts are ignored.
    static let maximumParts = 10

    package init(
        text: String, circle: (latitude: Double, longitude: Double, radius: Double)? = nil,
        countryCodes: @escaping @Sendable ([UInt8]) -> [String] = { _ in [] }
    ) {
        (self.text, self.circle, self.countryCodes) = (text, circle, countryCodes)
    }
}

package enum PlaceMatch: Equatable, Sendable {
    /// At most five matching places, best match first.
    case found([Place])
    /// The place is unknown, but a surrounding area or country is known. The associated value is its name.
    case onlySurroundings(String)
    case notFound
}

package struct Place: Equatable, Sendable {
    /// The WGS 84 coordinates, in degrees, of the requested point or of the centre of the place that was found.
    package var latitude, longitude: Double
    /// The radius of the region around the coordinates, in metres.
    package var radius: Double
    /// The two-letter ISO 3166-1 country code, or nil at sea.
    package var countryCode: String?
    package var country: String?
    /// The name of the first administrative level below the country, according to GeoNames.
    package var administrativeArea: String?
    package var locality: String?
    package var subLocality: String?
    /// The IANA time zone name, for example "Europe/Berlin".
    package var timeZone: String?
    package var ocean: String?
    package var inlandWater: String?

    /// The name of the most specific named feature.
    package var name: String? { inlandWater ?? subLocality ?? locality ?? ocean ?? administrativeArea ?? country }
}
