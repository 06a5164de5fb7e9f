// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A service that finds places for ``CLGeocoder``, either over the network or in its own data.
///
/// ```swift
/// struct Nominatim: PlaceFinder {
///     func places(at coordinate: CLLocationCoordinate2D, locale: Locale?) async throws -> [PlaceDescription] {
///         []  // the places that the service returns
///     }
///     func places(for search: PlaceSearch) async throws -> [PlaceDescription] { [] }
/// }
/// CLGeocoder.placeFinder = Nominatim()
/// ```
///
/// The geocoder calls the methods in a task that `cancelGeocode()` cancels. If a method returns an empty array, the
/// request fails with `CLError.geocodeFoundNoResult`. A thrown `CLError` is passed to the app unchanged. A
/// `CancellationError` becomes `CLError.geocodeCanceled`. Any other error becomes the underlying error of a
/// `CLError.network`. The geocoder neither limits the rate of requests nor caches their results.
public protocol PlaceFinder: Sendable {
    /// Returns the places at a valid coordinate, best match first. If the locale is nil, the user's language is used.
    func places(at coordinate: CLLocationCoordinate2D, locale: Locale?) async throws -> [PlaceDescription]

    /// Returns the places that match a search, best match first.
    func places(for search: PlaceSearch) async throws -> [PlaceDescription]
}

/// A place search requested through ``CLGeocoder``.
public struct PlaceSearch: Sendable {
    /// The text of the request, or the parts of an address dictionary, separated by commas.
    public var text: String
    /// The centre of the circle whose places are preferred, in degrees on WGS 84. nil if the search has no preferred
    /// area.
    public var center: CLLocationCoordinate2D?
    /// The radius, in metres, of the circle around ``center``.
    public var radius: CLLocationDistance
    /// The requested language, or nil for the user's language.
    public var locale: Locale?

    /// Creates a search.
    public init(
        text: String, center: CLLocationCoordinate2D? = nil, radius: CLLocationDistance = 0, locale: Locale? = nil
    ) {
        (self.text, self.center, self.radius, self.locale) = (text, center, radius, locale)
    }
}

/// A description of a place found by a ``PlaceFinder``. Unknown values are nil.
public struct PlaceDescription: Equatable, Sendable {
    /// The WGS 84 latitude, in degrees, positive north.
    public var latitude: CLLocationDegrees
    /// The WGS 84 longitude, in degrees, positive east.
    public var longitude: CLLocationDegrees
    /// The radius of the place, in metres, or 0 if it is unknown.
    public var radius: CLLocationDistance
    /// The name or address of the place.
    public var name: String?
    /// The street.
    public var thoroughfare: String?
    /// The house number.
    public var subThoroughfare: String?
    /// The town.
    public var locality: String?
    /// A part of the town, such as a district.
    public var subLocality: String?
    /// The state or province.
    public var administrativeArea: String?
    /// The county or district.
    public var subAdministrativeArea: String?
    /// The postal code.
    public var postalCode: String?
    /// The two-letter country code (ISO 3166-1).
    public var isoCountryCode: String?
    /// The name of the country.
    public var country: String?
    /// The lake or other inland body of water.
    public var inlandWater: String?
    /// The ocean or sea.
    public var ocean: String?
    /// The points of interest at the place.
    public var areasOfInterest: [String]?
    /// The IANA time zone identifier, such as "Europe/Berlin".
    public var timeZone: String?

    /// Creates a description with a coordinate and a radius. All other values are nil.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees, radius: CLLocationDistance = 0) {
        (self.latitude, self.longitude, self.radius) = (latitude, longitude, radius)
    }
}
