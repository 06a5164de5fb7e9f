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
