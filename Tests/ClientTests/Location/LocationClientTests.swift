// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import SimulatedDevice
import Testing
import Trace

import class CoreLocation.CLLocation
import struct CoreLocation.CLLocationCoordinate2D

// Conformances that programs add to the coordinate.
extension CLLocationCoordinate2D: Equatable {
    /// Compares both degrees.
    public static func == (lhs: CLLocationCoordinate2D, rhs: CLLocationCoordinate2D) -> Bool {
        lhs.latitude == rhs.latitude && lhs.longitude == rhs.longitude
    }
}

extension CLLocationCoordinate2D: Hashable {
    /// Hashes both degrees.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(latitude)
        hasher.combine(longitude)
    }
}

extension CLLocationCoordinate2D: Codable {
    /// Decodes the longitude first, as in GeoJSON.
    public init(from decoder: Decoder) throws {
        var container = try decoder.unkeyedContainer()
        let longitude = try container.decode(Double.self)
        self.init(latitude: try container.decode(Double.self), longitude: longitude)
    }

    /// Encodes the longitude first, as in GeoJSON.
    public func encode(to encoder: Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(longitude)
        try container.encode(latitude)
    }
}

/// A value type with a location, which programs pass between tasks.
private struct Waypoint: Hashable, Codable, Sendable {
    var name: String
    var coordinate: CLLocationCoordinate2D
}

/// Uses Foundation with only Core Location imported.
private final class Log: NSObject {
    let url = URL(fileURLWithPath: "/tmp/track")
    var entries: [Date: CLLocation] = [:]

    func age(of location: CLLocation) -> TimeInterval { Date().timeIntervalSince(location.timestamp) }
}

/// A mock heading, as in the tests of apps.
private final class MockHeading: CLHeading, @unchecked Sendable {
    private let degrees: CLLocationDirection

    init(degrees: CLLocationDirection) {
        self.degrees = degrees
        super.init()
    }

    required init?(coder: NSCoder) { nil }

    override var magneticHeading: CLLocationDirection { degrees }
    override var trueHeading: CLLocationDirection { -1 }
    override var headingAccuracy: CLLocationDirection { 10 }
}

/// A mock manager, as in the tests of apps.
private final class MockManager: CLLocationManager {
    private var isUpdatingHeading = false

    override var heading: CLHeading? { isUpdatingHeading ? MockHeading(degrees: 12) : nil }
    override var headingFilter: CLLocationDegrees {
        get { 3 }
        set {}
    }
    override var headingOrientation: CLDeviceOrientation {
        get { .landscapeLeft }
        set {}
    }
    override class func headingAvailable() -> Bool { true }
    override func startUpdatingHeading() {
        isUpdatingHeading = true
        delegate?.locationManager?(self, didUpdateHeading: MockHeading(degrees: 12))
    }
    override func stopUpdatingHeading() { isUpdatingHeading = false }
    override func dismissHeadingCalibrationDisplay() {}
}

/// A compass needle.
private final class Needle: NSObject, CLLocationManagerDelegate {
    var degrees: CGFloat?

    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
        guard newHeading.headingAccuracy > 0 else { return }
        let heading = newHeading.trueHeading > 0 ? newHeading.trueHeading : newHeading.magneticHeading
        degrees = CGFloat(heading)
    }

    func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool {
        guard let heading = manager.heading else { return true }
        return heading.headingAccuracy < 0 || heading.headingAccuracy > 10
    }
}

@Suite("Client sources in Swift 5 mode")
struct LocationClientTests {
    @Test("A program's own conformances of the coordinate are used")
    func conformances() throws {
        let point = Waypoint(name: "a", coordinate: CLLocationCoordinate2D(latitude: 1, longitude: 2))
        #expect(point == Waypoint(name: "a", coordinate: CLLocationCoordinate2DMake(1, 2)))
        #expect(Set([point, point]).count == 1)
        let json = try JSONEncoder().encode(point.coordinate)
        #expect(String(decoding: json, as: UTF8.self) == "[2,1]")
        #expect(try JSONDecoder().decode(CLLocationCoordinate2D.self, from: json) == point.coordinate)
    }

    @Test("Headings and managers can be mocked, and delegates are used as in apps")
    func headings() throws {
        let line = "{\"class\":\"TPV\",\"mode\":1}\n"
        SimulatedDevice(try TraceFile(bytes: Array(line.utf8), name: "no fix")).use {
            let (manager, needle) = (MockManager(), Needle())
            manager.delegate = needle
            #expect(MockManager.headingAvailable())
            #expect(needle.locationManagerShouldDisplayHeadingCalibration(manager))
            manager.startUpdatingHeading()
            #expect(needle.degrees == 12)
            #expect(manager.heading?.magneticHeading == 12)
            #expect(!needle.locationManagerShouldDisplayHeadingCalibration(manager))
            #expect(manager.headingOrientation == .landscapeLeft)
            manager.stopUpdatingHeading()
            #expect(manager.heading == nil)
        }
    }

    @Test("An import of Core Location includes Foundation")
    func foundation() {
        let log = Log()
        #expect(log.url.path == "/tmp/track")
        #expect(log.age(of: CLLocation(latitude: 0, longitude: 0)) >= 0)
    }

    @Test("Errors are handled as in Apple's samples")
    func errorHandling() {
        func handle(_ error: Error) -> String {
            if let clError = error as? CLError {
                switch clError {
                case CLError.locationUnknown: return "unknown"
                case CLError.denied: return "denied"
                default: return "other \(clError.code.rawValue)"
                }
            }
            switch CLError.Code(rawValue: (error as NSError).code) {
            case .network?: return "network"
            default: return "none"
            }
        }
        #expect(handle(CLError(.denied)) == "denied")
        #expect(handle(CLError(CLError.Code.headingFailure)) == "other 3")
        #expect(handle(NSError(domain: kCLErrorDomain, code: CLError.locationUnknown.rawValue)) == "unknown")
        #expect(handle(NSError(domain: "x", code: 2)) == "network")
    }
}
