// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A service that finds places for ``CLGeocoder``: a network service, or a service with its own data.
///
/// ```swift
/// struct Nominatim: PlaceFinder {
///     func places(at coordinate: CLLocationCoordinate2D, locale: Locale?) async throws -> [PlaceDescription] {
///         []  // what the service says of the coordinate
///     }
///     func places(for search: PlaceSearch) async throws -> [PlaceDescription] { [] }
/// }
/// CLGeocoder.placeFinder = Nominatim()
/// ```
///
/// The methods are called in the task of the request, which `cancelGeocode()` cancels. An empty array causes the error
/// `CLError.geocodeFoundNoResult`. A thrown `CLError` is passed to the app unchanged; any other error is passed as the
/// underlying error of `CLError.network`. Requests are neither limited in rate nor cached.
public protocol PlaceFinder: Sendable {
    /// Returns descriptions of the place at a coordinate, best match first.
    /// - Parameters:
    ///   - coordinate: A valid coordinate in degrees on WGS 84.
    ///   - locale: The requested language; nil means the user's language.
    func places(at coordinate: CLLocationCoordinate2D, locale: Locale?) async throws -> [PlaceDescription]

    /// Returns the places that match a search, best match first.
    func places(for search: PlaceSearch) async throws -> [PlaceDescription]
}

/// A search for places with ``CLGeocoder``.
public struct PlaceSearch: Sendable {
    /// The text of the request, or the lines of an address dictionary separated by commas.
    public var text: String
    /// The centre of the circle in which places are preferred, in degrees on WGS 84; nil means no preference.
    public var center: CLLocationCoordinate2D?
    /// The radius of the circle in metres.
    public var radius: CLLocationDistance
    /// The requested language; nil means the user's language.
    public var locale: Locale?

    /// Creates a search.
    public init(
        text: String, center: CLLocationCoordinate2D? = nil, radius: CLLocationDistance = 0, locale: Locale? = nil
    ) {
        self.text = text
        self.center = center
        self.radius = radius
        self.locale = locale
    }
}

/// The description of a place that a ``PlaceFinder`` returns and a ``CLPlacemark`` contains. Unknown values are nil.
public struct PlaceDescription: Equatable, Sendable {
    /// Degrees on WGS 84, north positive.
    public var latitude: CLLocationDegrees
    /// Degrees on WGS 84, east positive.
    public var longitude: CLLocationDegrees
    /// The extent of the place in metres; 0 if it is unknown.
    public var radius: CLLocationDistance
    /// The name of the place or its address.
    public var name: String?
    /// The street.
    public var thoroughfare: String?
    /// The house number.
    public var subThoroughfare: String?
    /// The town.
    public var locality: String?
    /// The part of the town.
    public var subLocality: String?
    /// The state or province.
    public var administrativeArea: String?
    /// The county or district.
    public var subAdministrativeArea: String?
    /// The postal code.
    public var postalCode: String?
    /// The country code of two letters (ISO 3166-1).
    public var isoCountryCode: String?
    /// The name of the country.
    public var country: String?
    /// The lake or other inland water.
    public var inlandWater: String?
    /// The ocean or sea.
    public var ocean: String?
    /// The points of interest at the place.
    public var areasOfInterest: [String]?
    /// The identifier of an IANA time zone, for example "Europe/Berlin".
    public var timeZone: String?

    /// Creates a description with a coordinate and an extent; all other values are nil.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees, radius: CLLocationDistance = 0) {
        self.latitude = latitude
        self.longitude = longitude
        self.radius = radius
    }
}
