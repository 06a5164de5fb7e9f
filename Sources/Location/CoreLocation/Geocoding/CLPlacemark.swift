// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What is known of a place: a name and an address, as ``CLGeocoder`` finds them.
///
/// Each part may be nil, and then it is not known, or does not exist there. From the data of this package come country,
/// administrative area, locality, part of the locality, time zone, lake and sea; streets, postal codes and areas of
/// interest come from a ``PlaceFinder`` of your own.
///
/// Immutable; usable from any thread. `postalAddress` and the initialiser from a postal address are missing: their type is
/// of the Contacts framework.
open class CLPlacemark: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    let details: PlaceDescription
    private let place: CLLocation?

    init(_ details: PlaceDescription, location: CLLocation?) {
        self.details = details
        place = location
    }

    /// Creates a placemark with what another one holds.
    public init(placemark: CLPlacemark) {
        details = placemark.details
        place = placemark.place
    }

    /// Restores a placemark from an archive. What the archive does not hold is nil.
    public required init?(coder: NSCoder) {
        details = PlaceDescription(coder: coder)
        place = CLLocation.Values.isAbsent(from: coder) ? nil : CLLocation(coder: coder)
    }

    /// Where it is. The horizontal accuracy tells how far the place reaches, in metres.
    ///
    /// For a coordinate that was looked up it is that coordinate, with the accuracy that was given.
    open var location: CLLocation? { place }

    /// The circle around the place; nil when its extent is not known.
    open var region: CLRegion? {
        guard details.radius > 0 else { return nil }
        let center = CLLocationCoordinate2D(latitude: details.latitude, longitude: details.longitude)
        let identifier = String(
            format: "<%+.8f,%+.8f> radius %.2f", center.latitude, center.longitude, details.radius)
        return CLCircularRegion(center: center, radius: details.radius, identifier: identifier)
    }

    /// The time zone; at sea, from the data of this package, the nautical one of the meridian.
    open var timeZone: TimeZone? { details.timeZone.flatMap(TimeZone.init(identifier:)) }

    /// What people call the place.
    open var name: String? { details.name }
    /// The street.
    open var thoroughfare: String? { details.thoroughfare }
    /// The number in the street.
    open var subThoroughfare: String? { details.subThoroughfare }
    /// The town.
    open var locality: String? { details.locality }
    /// The part of the town.
    open var subLocality: String? { details.subLocality }
    /// The state or province.
    open var administrativeArea: String? { details.administrativeArea }
    /// The county or district.
    open var subAdministrativeArea: String? { details.subAdministrativeArea }
    /// The postal code.
    open var postalCode: String? { details.postalCode }
    /// The two letters of ISO 3166-1 for the country, for example "DE"; "XK" for Kosovo, as is the custom.
    open var isoCountryCode: String? { details.isoCountryCode }
    /// The name of the country, in the language of the user or in the one that was asked for.
    open var country: String? { details.country }
    /// The lake.
    open var inlandWater: String? { details.inlandWater }
    /// The ocean or the sea.
    open var ocean: String? { details.ocean }
    /// What is worth seeing there.
    open var areasOfInterest: [String]? { details.areasOfInterest }

    /// The parts of the address under the keys of the Address Book framework: "City", "State", "CountryCode" and so on.
    @available(*, deprecated, message: "Use the properties instead.")
    open var addressDictionary: [AnyHashable: Any]? { AddressDictionary.dictionary(of: details) }

    /// Returns the placemark itself, which cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True: placemarks can be archived securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the placemark into a keyed archive.
    open func encode(with coder: NSCoder) {
        details.encode(with: coder)
        place?.encode(with: coder)
    }

    /// Name, address and location on one line.
    open override var description: String {
        var parts: [String] = []
        for part in [name] + AddressDictionary.lines(of: details).map(Optional.some) {
            if let part, !parts.contains(part) { parts.append(part) }
        }
        let address = parts.joined(separator: ", ")
        return place.map { "\(address) @ \($0)" } ?? address
    }
}
