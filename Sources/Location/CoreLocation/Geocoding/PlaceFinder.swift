// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A service that finds places, to be put behind ``CLGeocoder``: one on the network, or one with data of its own.
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
/// Both are called in a task of the request, which `cancelGeocode()` cancels. An empty array is answered with
/// `CLError.geocodeFoundNoResult`. A `CLError` that is thrown reaches the program as it is, another error as
/// `CLError.network` with the error under it. Nothing limits the rate of requests or remembers answers.
public protocol PlaceFinder: Sendable {
    /// What is at a place, the best description first.
    /// - Parameters:
    ///   - coordinate: In degrees on WGS 84; valid.
    ///   - locale: The language wanted; nil for that of the user.
    func places(at coordinate: CLLocationCoordinate2D, locale: Locale?) async throws -> [PlaceDescription]

    /// The places that fit a search, the best first.
    func places(for search: PlaceSearch) async throws -> [PlaceDescription]
}

/// What a program looks for with ``CLGeocoder``.
public struct PlaceSearch: Sendable {
    /// The text as it was given, or the lines of an address dictionary with commas between them.
    public var text: String
    /// The middle of the circle in which places are preferred, in degrees; nil for none.
    public var center: CLLocationCoordinate2D?
    /// The radius of that circle in metres.
    public var radius: CLLocationDistance
    /// The language wanted; nil for that of the user.
    public var locale: Locale?

    /// A search.
    public init(
        text: String, center: CLLocationCoordinate2D? = nil, radius: CLLocationDistance = 0, locale: Locale? = nil
    ) {
        self.text = text
        self.center = center
        self.radius = radius
        self.locale = locale
    }
}

/// What a ``PlaceFinder`` tells of a place; ``CLPlacemark`` shows it. What is not known is nil.
public struct PlaceDescription: Equatable, Sendable {
    /// Degrees on WGS 84, north positive.
    public var latitude: CLLocationDegrees
    /// Degrees on WGS 84, east positive.
    public var longitude: CLLocationDegrees
    /// How far the place reaches, in metres; 0 when that is not known.
    public var radius: CLLocationDistance
    /// What people call the place or its address.
    public var name: String?
    /// The street.
    public var thoroughfare: String?
    /// The number in the street.
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
    /// The two letters of ISO 3166-1.
    public var isoCountryCode: String?
    /// The name of the country.
    public var country: String?
    /// The lake or other water inland.
    public var inlandWater: String?
    /// The ocean or sea.
    public var ocean: String?
    /// What is worth seeing there.
    public var areasOfInterest: [String]?
    /// A zone of IANA's, for example "Europe/Berlin".
    public var timeZone: String?

    /// A place of which only that is known.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees, radius: CLLocationDistance = 0) {
        self.latitude = latitude
        self.longitude = longitude
        self.radius = radius
    }
}
