// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CoreLocation

@Suite("CLPlacemark")
struct PlacemarkTests {
    private static let full: PlaceDescription = {
        var place = PlaceDescription(latitude: 48.137, longitude: 11.575, radius: 11_400)
        place.name = "Marienplatz 1"
        place.thoroughfare = "Marienplatz"
        place.subThoroughfare = "1"
        place.locality = "München"
        place.subLocality = "Altstadt"
        place.administrativeArea = "Bayern"
        place.subAdministrativeArea = "Oberbayern"
        place.postalCode = "80331"
        place.isoCountryCode = "DE"
        place.country = "Deutschland"
        place.inlandWater = "Isar"
        place.ocean = "none"
        place.areasOfInterest = ["Rathaus", "Fischbrunnen"]
        place.timeZone = "Europe/Berlin"
        return place
    }()

    private func placemark(_ place: PlaceDescription = full) -> CLPlacemark {
        CLPlacemark(
            place,
            location: CLLocation(
                coordinate: CLLocationCoordinate2D(latitude: place.latitude, longitude: place.longitude), altitude: 0,
                horizontalAccuracy: 20, verticalAccuracy: -1, timestamp: Date(timeIntervalSince1970: 1)))
    }

    private func restored(_ placemark: CLPlacemark) throws -> CLPlacemark? {
        let data = try NSKeyedArchiver.archivedData(withRootObject: placemark, requiringSecureCoding: true)
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: CLPlacemark.self, from: data)
    }

    @Test("An archive preserves all values of a placemark, including nil and empty lists")
    func archive() throws {
        var empty = PlaceDescription(latitude: 0, longitude: 0)
        empty.areasOfInterest = []
        for place in [Self.full, PlaceDescription(latitude: -1, longitude: 2), empty] {
            let copy = try #require(try restored(placemark(place)))
            #expect(copy.details == place)
            #expect(copy.location?.horizontalAccuracy == 20)
            #expect(copy.location?.timestamp == Date(timeIntervalSince1970: 1))
        }
    }

    @Test("An archive with other contents decodes to an empty placemark")
    func otherArchive() throws {
        for contents in [
            [:], ["CLPlacemark.name": Forgery.Content.number(1)], ["CLPlacemark.numbers": .bytes([1, 2, 3])],
            ["CLPlacemark.numbers": .bytes([UInt8](repeating: 255, count: 32)), "CLPlacemark.name": .bytes([0xFF])],
        ] {
            let data = try NSKeyedArchiver.archivedData(withRootObject: Forgery(contents), requiringSecureCoding: true)
            let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
            unarchiver.requiresSecureCoding = true
            unarchiver.decodingFailurePolicy = .setErrorAndReturn
            unarchiver.setClass(CLPlacemark.self, forClassName: NSStringFromClass(Forgery.self))
            let found = unarchiver.decodeObject(of: CLPlacemark.self, forKey: NSKeyedArchiveRootObjectKey)
            #expect(found?.name == nil)
            #expect(found?.location == nil)
        }
    }

    @Test("A copy and a placemark of a placemark have the same values")
    func copies() {
        let first = placemark()
        #expect(first.copy() as? CLPlacemark === first)
        let second = CLPlacemark(placemark: first)
        #expect(second.details == first.details)
        #expect(second.location === first.location)
    }

    @available(*, deprecated)
    @Test("The address dictionary has the Address Book's keys and can be converted to an address")
    func dictionary() throws {
        let dictionary = try #require(placemark().addressDictionary)
        #expect(dictionary["City"] as? String == "München")
        #expect(dictionary["State"] as? String == "Bayern")
        #expect(dictionary["CountryCode"] as? String == "DE")
        #expect(dictionary["Street"] as? String == "1 Marienplatz")
        #expect((dictionary["FormattedAddressLines"] as? [String])?.last == "none")
        #expect(
            AddressDictionary.text(of: dictionary)
                == "1 Marienplatz, Altstadt, München, Oberbayern, Bayern, 80331, Deutschland")
    }

    @Test("A subclass can override properties")
    func subclass() {
        final class Other: CLPlacemark, @unchecked Sendable {
            override var locality: String? { "Elsewhere" }
        }
        let other = Other(placemark: placemark())
        #expect(other.locality == "Elsewhere")
        #expect(other.country == "Deutschland")
        #expect(other.description.contains("Marienplatz 1"))
    }

    @Test("An unknown time zone is nil")
    func timeZone() {
        var place = Self.full
        place.timeZone = "Mars/Olympus"
        #expect(placemark(place).timeZone == nil)
        #expect(placemark().timeZone?.secondsFromGMT(for: Date(timeIntervalSince1970: 0)) == 3600)
    }
}
