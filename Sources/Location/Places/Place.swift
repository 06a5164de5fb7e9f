// SPDX-License-Identifier: Apache-2.0

/// A place in the data.
package struct Place: Equatable, Sendable {
    /// The latitude in degrees on WGS 84. The coordinates are those of the requested point, or of the centre of the
    /// found place.
    package var latitude: Double
    package var longitude: Double
    /// The radius around the coordinates, in metres.
    package var radius: Double
    /// The two-letter country code of ISO 3166-1; nil at sea.
    package var countryCode: String?
    /// The English name of the country.
    package var country: String?
    /// The name of the first administrative level below the country, according to GeoNames.
    package var administrativeArea: String?
    package var locality: String?
    package var subLocality: String?
    /// The name of the IANA time zone, for example "Europe/Berlin".
    package var timeZone: String?
    package var ocean: String?
    package var inlandWater: String?

    /// The name of the most specific feature that has one.
    package var name: String? {
        inlandWater ?? subLocality ?? locality ?? ocean ?? administrativeArea ?? country
    }
}
