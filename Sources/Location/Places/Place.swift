// SPDX-License-Identifier: Apache-2.0

/// A place as the data knows it.
package struct Place: Equatable, Sendable {
    /// Where it is, in degrees on WGS 84: the point that was asked for, or the middle of the place that was found.
    package var latitude: Double
    package var longitude: Double
    /// How far it reaches from there, in metres.
    package var radius: Double
    /// The two letters of ISO 3166-1; nil at sea.
    package var countryCode: String?
    /// The English name of the country.
    package var country: String?
    /// The first level below the country, as GeoNames names it.
    package var administrativeArea: String?
    package var locality: String?
    package var subLocality: String?
    /// A zone of IANA's, for example "Europe/Berlin".
    package var timeZone: String?
    package var ocean: String?
    package var inlandWater: String?

    /// What one calls it: the smallest thing that has a name here.
    package var name: String? {
        inlandWater ?? subLocality ?? locality ?? ocean ?? administrativeArea ?? country
    }
}

/// A search for places by text.
package struct PlaceQuery: Sendable {
    /// What people write: a place, or a place and what it lies in, with commas between them.
    package var text: String
    /// Places in this circle come first, and the nearer ones before the others.
    package var circle: (latitude: Double, longitude: Double, radius: Double)?
    /// What countries are called in further languages: the codes of ISO 3166-1 for a folded name.
    package var countryCodes: @Sendable ([UInt8]) -> [String]

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
