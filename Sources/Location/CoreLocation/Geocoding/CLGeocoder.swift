// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LiveDevice

/// A closure that receives the result of a ``CLGeocoder`` request: either the placemarks, best match first, or an
/// error.
public typealias CLGeocodeCompletionHandler = ([CLPlacemark]?, (any Error)?) -> Void

/// A converter between coordinates and place names.
///
/// A geocoder works without a network, with data that the trait `OfflinePlaces` links into the app. The data contains
/// countries with their borders, cities with more than 10,000 inhabitants, first-level administrative areas, time
/// zones, lakes and seas, but no streets and no postal codes. `docs/location.md` describes its accuracy. It can be
/// replaced by another service; see ``PlaceFinder``.
///
/// A geocoder processes one request at a time: while ``isGeocoding`` is true, a new request fails with
/// `CLError.geocodeCanceled`. Each request has exactly one result. Completion handlers are called on the main queue.
/// During trace playback, the player calls them in order with all other callbacks. The asynchronous methods return in
/// the context of their caller.
///
/// Errors are of type ``CLError``: `geocodeFoundNoResult` if nothing is known at the coordinate or with the name,
/// `geocodeFoundPartialResult` if only the country or the administrative area of the requested place is known,
/// `geocodeCanceled`, and `network` if the app contains no place data or its service has failed.
///
/// ```swift
/// let geocoder = CLGeocoder()
/// geocoder.reverseGeocodeLocation(location) { placemarks, error in
///     guard let placemark = placemarks?.first else { return }
///     print(placemark.locality ?? placemark.ocean ?? "nowhere", placemark.isoCountryCode ?? "")
/// }
/// ```
open class CLGeocoder: NSObject {
    let requests: GeocodingRequests

    /// Creates a geocoder for the current device.
    public override init() { requests = GeocodingRequests(device: LiveDevice.resolved) }

    /// Whether a request is in progress.
    open var isGeocoding: Bool { requests.isBusy }

    /// Cancels the request in progress, which fails with `geocodeCanceled`.
    open func cancelGeocode() { requests.cancel() }

    // MARK: Reverse geocoding

    /// Finds the placemarks of a location.
    open func reverseGeocodeLocation(_ location: CLLocation, completionHandler: @escaping CLGeocodeCompletionHandler) {
        reverseGeocodeLocation(location, preferredLocale: nil, completionHandler: completionHandler)
    }

    /// Finds the placemarks of a location, with the country name in the given language.
    ///
    /// - Parameters:
    ///   - location: The location.
    ///   - locale: The language; nil means the user's language, which is determined by LC_ALL, LC_MESSAGES or LANG. All
    ///     other names are in the local language or in English.
    ///   - completionHandler: Called on the main queue with the placemarks or an error.
    open func reverseGeocodeLocation(
        _ location: CLLocation, preferredLocale locale: Locale?,
        completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        start(.place(location, locale: locale), completionHandler)
    }

    /// Finds the placemarks of a location.
    nonisolated(nonsending) open func reverseGeocodeLocation(_ location: CLLocation) async throws -> [CLPlacemark] {
        try await reverseGeocodeLocation(location, preferredLocale: nil)
    }

    /// Finds the placemarks of a location, with the country name in the given language.
    nonisolated(nonsending) open func reverseGeocodeLocation(
        _ location: CLLocation, preferredLocale locale: Locale?
    ) async throws -> [CLPlacemark] {
        try await requests.perform(.place(location, locale: locale))
    }

    // MARK: Forward geocoding

    /// Finds the places with a name or an address, such as "Berlin" or "Paris, Texas, US". The name of the place comes
    /// first, followed by the areas that contain it, separated by commas. Case, accents and postal codes are ignored.
    /// Streets are also ignored, so the result is the town. Counties are ignored because the data does not contain
    /// them. Names are in Latin script. If several places have the same name, at most five are returned, largest first.
    open func geocodeAddressString(_ addressString: String, completionHandler: @escaping CLGeocodeCompletionHandler) {
        geocodeAddressString(addressString, in: nil, preferredLocale: nil, completionHandler: completionHandler)
    }

    /// Finds the places with a name. Places in the region are returned first. Within and outside the region, nearer
    /// places come first, by their distance from the centre.
    open func geocodeAddressString(
        _ addressString: String, in region: CLRegion?, completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        geocodeAddressString(addressString, in: region, preferredLocale: nil, completionHandler: completionHandler)
    }

    /// Finds the places with a name, and returns the country name in the given language. Places in or near the region
    /// are returned first. The text may also contain the country name in this language, or in one of the twenty
    /// languages of the data.
    open func geocodeAddressString(
        _ addressString: String, in region: CLRegion?, preferredLocale locale: Locale?,
        completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        start(.search(PlaceSearch(addressString, in: region, locale: locale)), completionHandler)
    }

    /// Finds the places with a name, and returns the country name in the given language. Places in the circle are
    /// returned first.
    ///
    /// - Parameters:
    ///   - addressString: The name or address.
    ///   - centroid: The centre of the circle, in degrees on WGS 84.
    ///   - radius: The radius of the circle in metres.
    ///   - locale: The language; nil means the user's language.
    ///   - completionHandler: Called on the main queue with the placemarks or an error.
    open func geocodeAddressString(
        _ addressString: String, inRegionCenteredAt centroid: CLLocationCoordinate2D,
        inRegionRadius radius: CLLocationDistance, preferredLocale locale: Locale?,
        completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        let circle = CLCircularRegion(center: centroid, radius: radius, identifier: "")
        geocodeAddressString(
            addressString, in: circle, preferredLocale: locale, completionHandler: completionHandler)
    }

    /// Finds the places with a name.
    nonisolated(nonsending) open func geocodeAddressString(_ addressString: String) async throws -> [CLPlacemark] {
        try await geocodeAddressString(addressString, in: nil, preferredLocale: nil)
    }

    /// Finds the places with a name. Places in or near the region are returned first.
    nonisolated(nonsending) open func geocodeAddressString(
        _ addressString: String, in region: CLRegion?
    ) async throws -> [CLPlacemark] {
        try await geocodeAddressString(addressString, in: region, preferredLocale: nil)
    }

    /// Finds the places with a name, and returns the country name in the given language. Places in or near the region
    /// are returned first.
    nonisolated(nonsending) open func geocodeAddressString(
        _ addressString: String, in region: CLRegion?, preferredLocale locale: Locale?
    ) async throws -> [CLPlacemark] {
        try await requests.perform(.search(PlaceSearch(addressString, in: region, locale: locale)))
    }

    /// Finds the places with a name, and returns the country name in the given language. Places in the circle are
    /// returned first.
    nonisolated(nonsending) open func geocodeAddressString(
        _ addressString: String, inRegionCenteredAt centroid: CLLocationCoordinate2D,
        inRegionRadius radius: CLLocationDistance, preferredLocale locale: Locale?
    ) async throws -> [CLPlacemark] {
        let circle = CLCircularRegion(center: centroid, radius: radius, identifier: "")
        return try await geocodeAddressString(addressString, in: circle, preferredLocale: locale)
    }

    /// Finds the places of an address with keys of the Address Book framework: "Street", "City", "State", "ZIP",
    /// "Country", "CountryCode", "SubLocality", "SubAdministrativeArea".
    @available(*, deprecated, message: "Use geocodeAddressString(_:completionHandler:) instead.")
    open func geocodeAddressDictionary(
        _ addressDictionary: [AnyHashable: Any], completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        let text = AddressDictionary.text(of: addressDictionary) ?? ""
        start(.search(PlaceSearch(text, in: nil, locale: nil)), completionHandler)
    }

    private func start(_ question: GeocodingRequests.Request, _ handler: @escaping CLGeocodeCompletionHandler) {
        requests.start(question) { answer in
            switch answer {
            case .success(let placemarks): handler(placemarks, nil)
            case .failure(let error): handler(nil, error)
            }
        }
    }
}

extension PlaceSearch {
    init(_ text: String, in region: CLRegion?, locale: Locale?) {
        self.init(text: text, locale: locale)
        if let circle = region?.circle, CLLocationCoordinate2DIsValid(circle.center), circle.radius >= 0 {
            center = circle.center
            radius = circle.radius
        }
    }
}
