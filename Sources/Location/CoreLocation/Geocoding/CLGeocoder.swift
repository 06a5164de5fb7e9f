// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LiveDevice

/// Takes the answer of a ``CLGeocoder``: placemarks, the best first, or an error. One of the two is nil.
public typealias CLGeocodeCompletionHandler = ([CLPlacemark]?, (any Error)?) -> Void

/// Finds what is at a place, and where a place is.
///
/// It answers without a network, from data that is linked into the program with the trait `OfflinePlaces`: countries by
/// their borders, cities with more than 10,000 people, the first level of administration, time zones, lakes and seas, but
/// no streets and no postal codes. `docs/location.md` says how well. Another service can be put in its place, see
/// ``PlaceFinder``.
///
/// A geocoder takes one request at a time: while ``isGeocoding`` is true, another one is answered with
/// `CLError.geocodeCanceled`. Every request is answered once. Completion handlers are called on the main queue, and while a
/// trace is played by the player, in the order of its other callbacks. The asynchronous forms return where they were called.
///
/// The errors are those of ``CLError``: `geocodeFoundNoResult` when nothing is known there or of that name,
/// `geocodeFoundPartialResult` when only the country or the administrative area is known of what was looked for,
/// `geocodeCanceled`, and `network` when the program has no data of places or the service behind it failed.
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

    /// Creates a geocoder for the device in force.
    public override init() {
        requests = GeocodingRequests(device: LiveDevice.resolved)
    }

    /// Whether a request is under way: from the call to the answer.
    open var isGeocoding: Bool { requests.isBusy }

    /// Ends the request that is under way; it is answered with `geocodeCanceled`.
    open func cancelGeocode() { requests.cancel() }

    // MARK: What is there

    /// Finds what is at a place.
    open func reverseGeocodeLocation(
        _ location: CLLocation, completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        reverseGeocodeLocation(location, preferredLocale: nil, completionHandler: completionHandler)
    }

    /// Finds what is at a place, and names the country in a language.
    ///
    /// - Parameters:
    ///   - location: Where it is.
    ///   - locale: The language; nil for that of the user, which LC_ALL, LC_MESSAGES or LANG tells. Other names are as the
    ///     place has them, or English.
    ///   - completionHandler: Told of the places or of an error, on the main thread.
    open func reverseGeocodeLocation(
        _ location: CLLocation, preferredLocale locale: Locale?,
        completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        ask(.place(location, locale: locale), completionHandler)
    }

    /// Finds what is at a place.
    nonisolated(nonsending) open func reverseGeocodeLocation(_ location: CLLocation) async throws -> [CLPlacemark] {
        try await reverseGeocodeLocation(location, preferredLocale: nil)
    }

    /// Finds what is at a place, and names the country in a language.
    nonisolated(nonsending) open func reverseGeocodeLocation(
        _ location: CLLocation, preferredLocale locale: Locale?
    ) async throws -> [CLPlacemark] {
        try await requests.ask(.place(location, locale: locale))
    }

    // MARK: Where it is

    /// Finds the places of a name or an address, such as "Berlin" or "Paris, Texas, US".
    ///
    /// The place comes first, what it lies in follows, with commas between them. Case, accents and postal codes do not
    /// count. A street is passed over, and the town is found; a county, which is not known, is passed over as well. Names
    /// are in Latin script. Of places of one name the largest come first, at most five.
    open func geocodeAddressString(
        _ addressString: String, completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        geocodeAddressString(addressString, in: nil, preferredLocale: nil, completionHandler: completionHandler)
    }

    /// Finds the places of a name, those in a region first and the nearest to its middle before the others.
    open func geocodeAddressString(
        _ addressString: String, in region: CLRegion?, completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        geocodeAddressString(addressString, in: region, preferredLocale: nil, completionHandler: completionHandler)
    }

    /// Finds the places of a name, near a region, and names the country in a language.
    ///
    /// The text may name the country in that language, too, or in one of the twenty that the data has.
    open func geocodeAddressString(
        _ addressString: String, in region: CLRegion?, preferredLocale locale: Locale?,
        completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        ask(.search(PlaceSearch(addressString, in: region, locale: locale)), completionHandler)
    }

    /// Finds the places of a name, those in a circle first, and names the country in a language.
    ///
    /// - Parameters:
    ///   - addressString: The name or address.
    ///   - centroid: The middle of the circle, in degrees on WGS 84.
    ///   - radius: Its radius in metres.
    ///   - locale: The language; nil for that of the user.
    ///   - completionHandler: Told of the places or of an error, on the main thread.
    open func geocodeAddressString(
        _ addressString: String, inRegionCenteredAt centroid: CLLocationCoordinate2D,
        inRegionRadius radius: CLLocationDistance, preferredLocale locale: Locale?,
        completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        let circle = CLCircularRegion(center: centroid, radius: radius, identifier: "")
        geocodeAddressString(
            addressString, in: circle, preferredLocale: locale, completionHandler: completionHandler)
    }

    /// Finds the places of a name.
    nonisolated(nonsending) open func geocodeAddressString(_ addressString: String) async throws -> [CLPlacemark] {
        try await geocodeAddressString(addressString, in: nil, preferredLocale: nil)
    }

    /// Finds the places of a name, near a region.
    nonisolated(nonsending) open func geocodeAddressString(
        _ addressString: String, in region: CLRegion?
    ) async throws -> [CLPlacemark] {
        try await geocodeAddressString(addressString, in: region, preferredLocale: nil)
    }

    /// Finds the places of a name, near a region, and names the country in a language.
    nonisolated(nonsending) open func geocodeAddressString(
        _ addressString: String, in region: CLRegion?, preferredLocale locale: Locale?
    ) async throws -> [CLPlacemark] {
        try await requests.ask(.search(PlaceSearch(addressString, in: region, locale: locale)))
    }

    /// Finds the places of a name, those in a circle first, and names the country in a language.
    nonisolated(nonsending) open func geocodeAddressString(
        _ addressString: String, inRegionCenteredAt centroid: CLLocationCoordinate2D,
        inRegionRadius radius: CLLocationDistance, preferredLocale locale: Locale?
    ) async throws -> [CLPlacemark] {
        let circle = CLCircularRegion(center: centroid, radius: radius, identifier: "")
        return try await geocodeAddressString(addressString, in: circle, preferredLocale: locale)
    }

    /// Finds the place of an address with the keys of the Address Book framework: "Street", "City", "State", "ZIP",
    /// "Country", "CountryCode", "SubLocality", "SubAdministrativeArea".
    @available(*, deprecated, message: "Use geocodeAddressString(_:completionHandler:) instead.")
    open func geocodeAddressDictionary(
        _ addressDictionary: [AnyHashable: Any], completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        let text = AddressDictionary.text(of: addressDictionary) ?? ""
        ask(.search(PlaceSearch(text, in: nil, locale: nil)), completionHandler)
    }

    private func ask(_ question: GeocodingRequests.Question, _ handler: @escaping CLGeocodeCompletionHandler) {
        requests.ask(question) { answer in
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
