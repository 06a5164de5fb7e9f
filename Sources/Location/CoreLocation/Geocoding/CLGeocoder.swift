// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LiveDevice

/// A closure that receives the result of a ``CLGeocoder`` request: either an array of placemarks, best match first, or
/// an error.
public typealias CLGeocodeCompletionHandler = ([CLPlacemark]?, (any Error)?) -> Void

/// Converts between coordinates and place names.
///
/// By default, a geocoder works offline, with place data that is linked into the app by the package trait
/// `OfflinePlaces`. The data contains countries with their borders, cities with more than 10,000 inhabitants,
/// first-level administrative areas, time zones, lakes and seas, but no streets or postal codes. `docs/location.md`
/// describes its accuracy. To use a different service, see ``PlaceFinder``.
///
/// A geocoder processes one request at a time. While ``isGeocoding`` is true, a new request fails with
/// `CLError.geocodeCanceled`. Each request produces exactly one result. Completion handlers are called on the main
/// queue. During trace playback, the player calls them in order with all other callbacks. The asynchronous methods
/// return in the caller's context.
///
/// Errors are of type ``CLError``. The error `geocodeFoundPartialResult` means that only the country or the
/// administrative area of the requested place is known. The error `network` means that the app contains no place data,
/// or that the place finder failed.
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

    /// Cancels the current request, which then fails with `geocodeCanceled`.
    open func cancelGeocode() { requests.cancel() }

    // MARK: Reverse geocoding

    /// Finds the placemarks for a location.
    open func reverseGeocodeLocation(_ location: CLLocation, completionHandler: @escaping CLGeocodeCompletionHandler) {
        reverseGeocodeLocation(location, preferredLocale: nil, completionHandler: completionHandler)
    }

    /// Finds the placemarks for a location, with country names in the given language.
    ///
    /// If the locale is nil, the language in LC_ALL, LC_MESSAGES or LANG is used. All other names are in the local
    /// language or in English. The completion handler is called on the main queue.
    open func reverseGeocodeLocation(
        _ location: CLLocation, preferredLocale locale: Locale?, completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        start(.coordinate(location, locale: locale), completionHandler)
    }

    /// Finds the placemarks for a location.
    nonisolated(nonsending) open func reverseGeocodeLocation(_ location: CLLocation) async throws -> [CLPlacemark] {
        try await reverseGeocodeLocation(location, preferredLocale: nil)
    }

    /// Finds the placemarks for a location, with country names in the given language.
    nonisolated(nonsending) open func reverseGeocodeLocation(
        _ location: CLLocation, preferredLocale locale: Locale?
    ) async throws -> [CLPlacemark] {
        try await requests.perform(.coordinate(location, locale: locale))
    }

    // MARK: Forward geocoding

    /// Finds places by name or address, such as "Berlin" or "Paris, Texas, US".
    ///
    /// The text starts with the name of the place, followed by the areas that contain it, separated by commas. Case,
    /// accents, postal codes, streets and counties are ignored. Names must be in Latin script. If several places have
    /// the same name, at most five are returned, largest first.
    open func geocodeAddressString(_ addressString: String, completionHandler: @escaping CLGeocodeCompletionHandler) {
        geocodeAddressString(addressString, in: nil, preferredLocale: nil, completionHandler: completionHandler)
    }

    /// Finds places by name or address. Places inside the region come first, followed by places outside it. Each group
    /// is sorted by distance from the region's centre.
    open func geocodeAddressString(
        _ addressString: String, in region: CLRegion?, completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        geocodeAddressString(addressString, in: region, preferredLocale: nil, completionHandler: completionHandler)
    }

    /// Finds places by name or address, with country names in the given language. Places inside the region come first.
    /// Country names in the text may be in that language or in any of the twenty languages of the place data.
    open func geocodeAddressString(
        _ addressString: String, in region: CLRegion?, preferredLocale locale: Locale?,
        completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        start(.search(PlaceSearch(addressString, in: region, locale: locale)), completionHandler)
    }

    /// Finds places by name or address, with country names in the given language. Places inside the circle come first.
    /// The centre of the circle is in degrees on WGS 84, and its radius is in metres.
    open func geocodeAddressString(
        _ addressString: String, inRegionCenteredAt centroid: CLLocationCoordinate2D,
        inRegionRadius radius: CLLocationDistance, preferredLocale locale: Locale?,
        completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        let circle = CLCircularRegion(center: centroid, radius: radius, identifier: "")
        geocodeAddressString(addressString, in: circle, preferredLocale: locale, completionHandler: completionHandler)
    }

    /// Finds places by name or address.
    nonisolated(nonsending) open func geocodeAddressString(_ addressString: String) async throws -> [CLPlacemark] {
        try await geocodeAddressString(addressString, in: nil, preferredLocale: nil)
    }

    /// Finds places by name or address. Places inside the region come first.
    nonisolated(nonsending) open func geocodeAddressString(
        _ addressString: String, in region: CLRegion?
    ) async throws -> [CLPlacemark] {
        try await geocodeAddressString(addressString, in: region, preferredLocale: nil)
    }

    /// Finds places by name or address, with country names in the given language. Places inside the region come first.
    nonisolated(nonsending) open func geocodeAddressString(
        _ addressString: String, in region: CLRegion?, preferredLocale locale: Locale?
    ) async throws -> [CLPlacemark] {
        try await requests.perform(.search(PlaceSearch(addressString, in: region, locale: locale)))
    }

    /// Finds places by name or address, with country names in the given language. Places inside the circle come first.
    nonisolated(nonsending) open func geocodeAddressString(
        _ addressString: String, inRegionCenteredAt centroid: CLLocationCoordinate2D,
        inRegionRadius radius: CLLocationDistance, preferredLocale locale: Locale?
    ) async throws -> [CLPlacemark] {
        let circle = CLCircularRegion(center: centroid, radius: radius, identifier: "")
        return try await geocodeAddressString(addressString, in: circle, preferredLocale: locale)
    }

    /// Finds the places that match an address dictionary with the Address Book keys "Street", "City", "State", "ZIP",
    /// "Country", "CountryCode", "SubLocality" and "SubAdministrativeArea".
    @available(*, deprecated, message: "Use geocodeAddressString(_:completionHandler:) instead.")
    open func geocodeAddressDictionary(
        _ addressDictionary: [AnyHashable: Any], completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        let text = AddressDictionary.text(of: addressDictionary) ?? ""
        start(.search(PlaceSearch(text, in: nil, locale: nil)), completionHandler)
    }

    private func start(_ request: GeocodingRequests.Request, _ handler: @escaping CLGeocodeCompletionHandler) {
        requests.start(request) { answer in
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
