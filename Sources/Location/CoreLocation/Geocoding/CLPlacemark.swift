// SPDX-License-Identifier: Apache-2.0

import AppDelivery
public import Foundation

/// The name and address of a place, as returned by ``CLGeocoder``.
///
/// A property is nil if its value is unknown or does not exist. The package's place data contains the country,
/// administrative area, locality, sublocality, time zone, lake and sea. Streets, postal codes and areas of interest
/// require a custom ``PlaceFinder``.
///
/// Immutable and safe to use from any thread. `postalAddress` and the initializer with a postal address are not
/// available, because their type belongs to the Contacts framework.
open class CLPlacemark: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    let details: PlaceDescription
    private let storedLocation: CLLocation?

    init(_ details: PlaceDescription, location: CLLocation?) {
        self.details = details
        storedLocation = location
    }

    /// Creates a copy of a placemark.
    public init(placemark: CLPlacemark) {
        details = placemark.details
        storedLocation = placemark.storedLocation
    }

    /// Restores a placemark from an archive. Values that are missing from the archive are nil.
    public required init?(coder: NSCoder) {
        details = PlaceDescription(coder: coder)
        storedLocation = CLLocation.Values.isAbsent(from: coder) ? nil : CLLocation(coder: coder)
    }

    /// The location of the place. For a place found by coordinate, the horizontal accuracy is that of the requested
    /// location. For a place found by name or address, it is the radius of the place.
    open var location: CLLocation? { storedLocation }

    /// The circle around the place, or nil if the radius of the place is unknown.
    open var region: CLRegion? {
        guard details.radius > 0 else { return nil }
        let center = CLLocationCoordinate2D(latitude: details.latitude, longitude: details.longitude)
        let identifier = String(format: "<%+.8f,%+.8f> radius %.2f", center.latitude, center.longitude, details.radius)
        return CLCircularRegion(center: center, radius: details.radius, identifier: identifier)
    }

    /// The time zone. The package's place data uses nautical time zones at sea.
    open var timeZone: TimeZone? { details.timeZone.flatMap(TimeZone.init(identifier:)) }
    /// The name of the place.
    open var name: String? { details.name }
    /// The street.
    open var thoroughfare: String? { details.thoroughfare }
    /// The house number.
    open var subThoroughfare: String? { details.subThoroughfare }
    /// The town.
    open var locality: String? { details.locality }
    /// A part of the town, such as a district.
    open var subLocality: String? { details.subLocality }
    /// The state or province.
    open var administrativeArea: String? { details.administrativeArea }
    /// The county or district.
    open var subAdministrativeArea: String? { details.subAdministrativeArea }
    /// The postal code.
    open var postalCode: String? { details.postalCode }
    /// The two-letter country code (ISO 3166-1), such as "DE". Kosovo has the unofficial code "XK".
    open var isoCountryCode: String? { details.isoCountryCode }
    /// The name of the country in the requested language or the user's language.
    open var country: String? { details.country }
    /// The lake or other inland body of water.
    open var inlandWater: String? { details.inlandWater }
    /// The ocean or sea.
    open var ocean: String? { details.ocean }
    /// The points of interest at the place.
    open var areasOfInterest: [String]? { details.areasOfInterest }

    /// The address with Address Book keys such as "City", "State" and "CountryCode".
    @available(*, deprecated, message: "Use the properties instead.")
    open var addressDictionary: [AnyHashable: Any]? { AddressDictionary.dictionary(of: details) }

    /// Returns the object itself, because placemarks are immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the placemark into a keyed archive.
    open func encode(with coder: NSCoder) {
        details.encode(with: coder)
        storedLocation?.encode(with: coder)
    }

    /// A one-line description with the name, address and location.
    open override var description: String {
        let lines = AddressDictionary.lines(of: details).filter { $0 != name }
        let address = ([name].compactMap(\.self) + lines).joined(separator: ", ")
        return storedLocation.map { "\(address) @ \($0)" } ?? address
    }
}

extension PlaceDescription {
    // Archives depend on these keys and on the order of the numbers, so neither may change.
    private static let texts: [(key: String, path: any WritableKeyPath<PlaceDescription, String?> & Sendable)] = [
        ("name", \.name), ("thoroughfare", \.thoroughfare), ("subThoroughfare", \.subThoroughfare),
        ("locality", \.locality), ("subLocality", \.subLocality), ("administrativeArea", \.administrativeArea),
        ("subAdministrativeArea", \.subAdministrativeArea), ("postalCode", \.postalCode),
        ("isoCountryCode", \.isoCountryCode), ("country", \.country), ("inlandWater", \.inlandWater),
        ("ocean", \.ocean), ("timeZone", \.timeZone),
    ]
    private static let numbersKey = "CLPlacemark.numbers"
    private static let interestKey = "CLPlacemark.areasOfInterest"
    /// The maximum number of areas of interest read from an archive.
    private static let maximumAreaCount: UInt64 = 1000

    /// Restores a description from an archive. Missing or invalid strings become nil, and missing numbers become 0.
    init(coder: NSCoder) {
        let words = coder.decodeWords(4, forKey: Self.numbersKey) ?? [0, 0, 0, 0]
        let numbers = words.prefix(3).map(Double.init(bitPattern:))
        self.init(latitude: numbers[0], longitude: numbers[1], radius: numbers[2])
        for (key, path) in Self.texts { self[keyPath: path] = coder.decodeText(forKey: "CLPlacemark." + key) }
        if words[3] > 0 {
            areasOfInterest = (1..<min(words[3], Self.maximumAreaCount + 1)).compactMap {
                coder.decodeText(forKey: "\(Self.interestKey).\($0)")
            }
        }
    }

    func encode(with coder: NSCoder) {
        guard coder.allowsKeyedCoding else { return }
        // The stored number is the count plus one, because 0 means that `areasOfInterest` is nil.
        let areas = areasOfInterest.map { UInt64($0.count + 1) } ?? 0
        coder.encode(words: [latitude, longitude, radius].map(\.bitPattern) + [areas], forKey: Self.numbersKey)
        for (key, path) in Self.texts {
            if let text = self[keyPath: path] { coder.encode(text: text, forKey: "CLPlacemark." + key) }
        }
        for (number, area) in (areasOfInterest ?? []).enumerated() {
            coder.encode(text: area, forKey: "\(Self.interestKey).\(number + 1)")
        }
    }
}
