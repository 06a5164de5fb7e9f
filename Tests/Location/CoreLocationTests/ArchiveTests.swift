// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CoreLocation

/// An object that encodes arbitrary contents under arbitrary keys, for archives that claim to contain another class.
///
/// Not private, because Foundation on Linux has no name for a private class and traps.
final class Forgery: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    enum Content {
        case bytes([UInt8])
        case object(NSObject)
        case number(Double)
        case truth
    }

    private let contents: [String: Content]

    init(_ contents: [String: Content]) {
        self.contents = contents
    }

    init?(coder: NSCoder) { nil }

    func encode(with coder: NSCoder) {
        for (key, content) in contents {
            switch content {
            case .bytes(let bytes): coder.encodeBytes(bytes, length: bytes.count, forKey: key)
            case .object(let object): coder.encode(object, forKey: key)
            case .number(let number): coder.encode(number, forKey: key)
            case .truth: coder.encode(true, forKey: key)
            }
        }
    }
}

@Suite("Archiving of Core Location objects")
struct ArchiveTests {
    private func roundTrip<T: NSObject & NSSecureCoding>(_ object: T) throws -> T? {
        let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: T.self, from: data)
    }

    /// Decodes an archive that claims to contain a `T` but contains `contents`.
    private func forge<T: NSObject & NSSecureCoding>(_ type: T.Type, _ contents: [String: Forgery.Content]) throws -> T?
    {
        let data = try NSKeyedArchiver.archivedData(withRootObject: Forgery(contents), requiringSecureCoding: true)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = true
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        unarchiver.setClass(type, forClassName: NSStringFromClass(Forgery.self))
        return unarchiver.decodeObject(of: type, forKey: NSKeyedArchiveRootObjectKey)
    }

    /// Values of wrong types that a forged archive may contain instead of bytes.
    private var wrongTypes: [Forgery.Content] {
        [
            .object(NSString("48.5")), .object(NSNumber(value: 48.5)), .object(NSArray(array: [NSNumber(value: 1)])),
            .object(NSData(data: Data(count: 104))), .object(CLFloor()), .number(48.5), .truth, .bytes([]),
        ]
    }

    /// Values that a careless archive would change: two different NaNs, minus zero and the smallest number.
    static let values: [[Double]] = [
        [48.85837, 2.294481, 35, 79.5, 4.5, 9, 271.25, 3, 1.5, 0.25, 700_000_000.123456],
        [Double](repeating: -1, count: 11),
        [Double](repeating: .nan, count: 11),
        [
            Double(nan: 0xABC, signaling: false), -0.0, .leastNonzeroMagnitude, .infinity, -.infinity,
            .greatestFiniteMagnitude, Double(nan: 1, signaling: false), 0, -.ulpOfOne, 1e-300, -1e300,
        ],
    ]

    @Test("A location survives archiving bit for bit", arguments: values)
    func location(values v: [Double]) throws {
        let original = CLLocation(
            CLLocation.Values(
                latitude: v[0], longitude: v[1], altitude: v[2], ellipsoidalAltitude: v[3],
                horizontalAccuracy: v[4], verticalAccuracy: v[5], course: v[6], courseAccuracy: v[7],
                speed: v[8], speedAccuracy: v[9], timestamp: v[10],
                isSimulatedBySoftware: true, isProducedByAccessory: false, floorLevel: -3
            )
        )
        let read = try #require(try roundTrip(original))
        let readValues = [
            read.coordinate.latitude, read.coordinate.longitude, read.altitude, read.ellipsoidalAltitude,
            read.horizontalAccuracy, read.verticalAccuracy, read.course, read.courseAccuracy,
            read.speed, read.speedAccuracy, read.values.timestamp,
        ]
        #expect(readValues.map(\.bitPattern) == v.map(\.bitPattern))
        #expect(read.sourceInformation?.isSimulatedBySoftware == true)
        #expect(read.sourceInformation?.isProducedByAccessory == false)
        #expect(read.floor?.level == -3)
    }

    @Test("A location without a floor and with the other source flag survives archiving")
    func locationFlags() throws {
        let original = CLLocation(
            CLLocation.Values(
                latitude: 1, longitude: 2, horizontalAccuracy: 3, timestamp: 4, isProducedByAccessory: true
            )
        )
        let read = try #require(try roundTrip(original))
        #expect(read.floor == nil)
        #expect(read.sourceInformation?.isSimulatedBySoftware == false)
        #expect(read.sourceInformation?.isProducedByAccessory == true)
    }

    @Test("An array of locations can be archived")
    func locations() throws {
        let track = (0..<100).map { CLLocation(latitude: Double($0), longitude: 0) }
        let data = try NSKeyedArchiver.archivedData(withRootObject: NSArray(array: track), requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSArray.self, CLLocation.self], from: data)
        #expect((read as? [CLLocation])?.map(\.coordinate.latitude) == (0..<100).map(Double.init))
    }

    @Test("Floor and source information survive archiving")
    func smallObjects() throws {
        #expect(try roundTrip(CLFloor())?.level == 0)
        let source = try roundTrip(
            CLLocationSourceInformation(softwareSimulationState: false, andExternalAccessoryState: true)
        )
        #expect(source?.isSimulatedBySoftware == false)
        #expect(source?.isProducedByAccessory == true)
    }

    @Test("A circular region survives archiving with its flags")
    func region() throws {
        let original = CLCircularRegion(
            center: CLLocationCoordinate2D(latitude: 48.5, longitude: -9.25), radius: -12.5, identifier: "Tür 🚪"
        )
        original.notifyOnEntry = false
        let read = try #require(try roundTrip(original))
        #expect(read.identifier == "Tür 🚪")
        #expect(read.center.latitude == 48.5)
        #expect(read.center.longitude == -9.25)
        #expect(read.radius == -12.5)
        #expect(!read.notifyOnEntry)
        #expect(read.notifyOnExit)
        #expect(read == original)
    }

    @Test("A forged location decodes to nil")
    func forgedLocation() throws {
        let key = "CLLocation.values"
        let zeros = [UInt8](repeating: 0, count: 104)
        #expect(try forge(CLLocation.self, [key: .bytes(zeros)])?.horizontalAccuracy == 0, "the forgery must work")
        #expect(try forge(CLLocation.self, [key: .bytes(zeros + [1, 2, 3])]) != nil, "from a newer version")
        #expect(try forge(CLLocation.self, [key: .bytes(zeros.dropLast())]) == nil)
        for wrong in wrongTypes {
            #expect(try forge(CLLocation.self, [key: wrong]) == nil)
        }
    }

    @Test("Forged floors and source information decode to nil")
    func forgedSmallObjects() throws {
        #expect(try forge(CLFloor.self, ["CLFloor.level": .bytes([0, 0, 0, 0, 0, 0, 0, 9])])?.level == 9)
        for wrong in wrongTypes {
            #expect(try forge(CLFloor.self, ["CLFloor.level": wrong]) == nil)
            #expect(try forge(CLLocationSourceInformation.self, ["CLLocationSourceInformation.flags": wrong]) == nil)
        }
    }

    @Test("A forged region decodes to nil")
    func forgedRegion() throws {
        let good: [String: Forgery.Content] = [
            "CLRegion.identifier": .bytes(Array("a".utf8)), "CLRegion.flags": .bytes([0, 0, 0, 0, 0, 0, 0, 2]),
            "CLRegion.circle": .bytes([UInt8](repeating: 0, count: 24)),
        ]
        let region = try #require(try forge(CLCircularRegion.self, good))
        #expect(region.identifier == "a")
        #expect(region.radius == 0)
        #expect(!region.notifyOnEntry)
        #expect(region.notifyOnExit)
        for key in good.keys {
            #expect(try forge(CLCircularRegion.self, good.filter { $0.key != key }) == nil)
            for wrong in wrongTypes {
                let contents = good.merging([key: wrong]) { $1 }
                if key == "CLRegion.identifier", case .bytes = wrong {
                    #expect(try forge(CLCircularRegion.self, contents)?.identifier == "", "an empty name is a name")
                } else {
                    #expect(try forge(CLCircularRegion.self, contents) == nil)
                }
            }
        }
        let notText = good.merging(["CLRegion.identifier": .bytes([0xFF, 0xFE])]) { $1 }
        #expect(try forge(CLCircularRegion.self, notText) == nil)
    }

    @Test("A region without a circle survives archiving")
    func regionWithoutCircle() throws {
        let region = CLRegion()
        region.notifyOnExit = false
        let read = try #require(try roundTrip(region))
        #expect(!read.notifyOnExit)
        #expect(read.notifyOnEntry)
    }

    /// Covers archives of subclasses that override `encode(with:)` without calling super.
    @Test("An archive without Core Location's keys decodes to default values", arguments: [false, true])
    func foreign(hasOthers: Bool) throws {
        let contents: [String: Forgery.Content] = hasOthers ? ["other": .bytes([1, 2, 3])] : [:]
        let location = try #require(try forge(CLLocation.self, contents))
        #expect(location.horizontalAccuracy == -1 && location.verticalAccuracy == -1 && location.speed == -1)
        #expect(location.coordinate.latitude == 0 && location.floor == nil)
        #expect(try #require(try forge(CLHeading.self, contents)).headingAccuracy == -1)
        #expect(try #require(try forge(CLFloor.self, contents)).level == 0)
        let source = try #require(try forge(CLLocationSourceInformation.self, contents))
        #expect(!source.isSimulatedBySoftware && !source.isProducedByAccessory)
        let region = try #require(try forge(CLRegion.self, contents))
        #expect(region.identifier.isEmpty && region.notifyOnEntry && region.notifyOnExit)
        let circle = try #require(try forge(CLCircularRegion.self, contents))
        #expect(circle.identifier.isEmpty && circle.radius == -1 && !CLLocationCoordinate2DIsValid(circle.center))
        let beacons = try #require(try forge(CLBeaconRegion.self, contents))
        #expect(beacons.identifier.isEmpty && beacons.uuid.uuidString.allSatisfy { $0 == "0" || $0 == "-" })
        #expect(try #require(try forge(CLVisit.self, contents)).departureDate == .distantFuture)
    }

    @Test("A visit survives archiving bit for bit, with and without a departure")
    func visit() throws {
        for departure in [nil, 200.5] {
            let original = CLVisit(
                .init(arrival: 100.25, departure: departure, latitude: -1.5, longitude: 179.25, accuracy: 12.5))
            let read = try #require(try roundTrip(original))
            #expect(read.values == original.values)
        }
    }

    @Test("A forged visit decodes to nil")
    func forgedVisit() throws {
        let key = "CLVisit.values"
        let zeros = [UInt8](repeating: 0, count: 40)
        #expect(try forge(CLVisit.self, [key: .bytes(zeros)])?.horizontalAccuracy == 0)
        #expect(try forge(CLVisit.self, [key: .bytes(zeros.dropLast())]) == nil)
        for wrong in wrongTypes {
            #expect(try forge(CLVisit.self, [key: wrong]) == nil)
        }
    }

    @Test("A truncated archive decodes to nil or throws")
    func truncatedArchives() throws {
        let location = CLLocation(latitude: 1, longitude: 2)
        let data = try NSKeyedArchiver.archivedData(withRootObject: location, requiringSecureCoding: true)
        for length in stride(from: 0, to: data.count, by: 7) {
            let truncated = data.prefix(length)
            #expect((try? NSKeyedUnarchiver.unarchivedObject(ofClass: CLLocation.self, from: truncated)) == nil)
        }
    }
}
