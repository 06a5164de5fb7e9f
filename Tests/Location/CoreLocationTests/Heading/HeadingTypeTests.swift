// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CoreLocation

private final class MadeUpHeading: CLHeading, @unchecked Sendable {
    override var magneticHeading: CLLocationDirection { 1 }
    override var trueHeading: CLLocationDirection { 2 }
    override var headingAccuracy: CLLocationDirection { 3 }
    override var x: CLHeadingComponentValue { 4 }
    override var y: CLHeadingComponentValue { 5 }
    override var z: CLHeadingComponentValue { 6 }
    override var timestamp: Date { Date(timeIntervalSinceReferenceDate: 0) }
}

@Suite("CLHeading")
struct HeadingTypeTests {
    private func roundTrip(_ object: CLHeading) throws -> CLHeading? {
        let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: CLHeading.self, from: data)
    }

    @Test(
        "A heading survives archiving bit for bit",
        arguments: [
            [271.25, 275.5, 4.5, 12.5, -20.25, -43.125, 700_000_000.123456],
            [Double](repeating: .nan, count: 7),
            [-0.0, .infinity, -.infinity, .leastNonzeroMagnitude, -1e300, Double(nan: 0xABC, signaling: false), 0],
        ])
    func archive(v: [Double]) throws {
        let values = CLHeading.Values(
            magneticHeading: v[0], trueHeading: v[1], headingAccuracy: v[2], x: v[3], y: v[4], z: v[5], timestamp: v[6])
        let read = try #require(try roundTrip(CLHeading(values, compass: "/dev/ttyUSB0")))
        let words = [
            read.magneticHeading, read.trueHeading, read.headingAccuracy, read.x, read.y, read.z, read.values.timestamp,
        ]
        #expect(words.map(\.bitPattern) == v.map(\.bitPattern))
        #expect(read.receiver == nil)
    }

    @Test("An archive with a damaged heading decodes to nil")
    func forged() throws {
        func forge(_ contents: [String: Forgery.Content]) throws -> CLHeading? {
            let data = try NSKeyedArchiver.archivedData(withRootObject: Forgery(contents), requiringSecureCoding: true)
            let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
            unarchiver.requiresSecureCoding = true
            unarchiver.decodingFailurePolicy = .setErrorAndReturn
            unarchiver.setClass(CLHeading.self, forClassName: NSStringFromClass(Forgery.self))
            return unarchiver.decodeObject(of: CLHeading.self, forKey: NSKeyedArchiveRootObjectKey)
        }
        let zeros = [UInt8](repeating: 0, count: 56)
        #expect(try forge(["CLHeading.values": .bytes(zeros)])?.headingAccuracy == 0, "the forgery must work")
        #expect(try forge(["CLHeading.values": .bytes(zeros.dropLast())]) == nil)
        #expect(try forge(["CLHeading.values": .number(1)]) == nil)
        #expect(try forge([:])?.headingAccuracy == -1, "nothing of a heading is no damage")
    }

    @Test("A heading that an app creates is marked as invalid")
    func fresh() {
        let heading = CLHeading()
        #expect(heading.headingAccuracy < 0)
        #expect(heading.trueHeading < 0)
        #expect(abs(heading.timestamp.timeIntervalSinceNow) < 60)
        #expect((heading.copy() as? CLHeading) === heading)
    }

    @Test("Every property can be overridden, and the description uses the overrides")
    func subclass() {
        let heading: CLHeading = MadeUpHeading()
        #expect(
            heading.description
                == "magneticHeading 1.00 trueHeading 2.00 accuracy 3.00 x +4.000 y +5.000 z +6.000 @ 2001-01-01 00:00:00 +0000"
        )
        #expect(
            CLHeading(.init(timestamp: .nan)).description
                == "magneticHeading 0.00 trueHeading -1.00 accuracy -1.00 x +0.000 y +0.000 z +0.000 @ unknown time")
    }
}
