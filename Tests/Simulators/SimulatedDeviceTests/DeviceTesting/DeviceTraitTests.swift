// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import DeviceTesting
import Foundation
import Synchronization
import Testing

/// An app's class that waits for the boat at the last position of the recording.
private final class Harbour: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
    private let manager = CLLocationManager()
    private(set) var entered: [CLRegion] = []
    private(set) var times: [Date] = []
    private(set) var errors = 0

    override init() {
        super.init()
        manager.delegate = self
        let center = CLLocationCoordinate2D(latitude: 44.435333333, longitude: -71.675238333)
        manager.startMonitoring(for: CLCircularRegion(center: center, radius: 35, identifier: "harbour"))
        manager.startUpdatingLocation()
    }

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) { entered.append(region) }
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        times += locations.map(\.timestamp)
    }
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) { errors += 1 }
}

private let boat = "Recordings/boat.gpx"
/// 2026-05-02T19:41:01Z, the time of the first position.
private let departure = Date(timeIntervalSince1970: 1_777_750_861)

@Suite("The device trait", .timeLimit(.minutes(30)))
struct DeviceTraitTests {
    @Test("A test enters a region of a GPX drive", .device(boat, accuracy: 1))
    func entersRegion() async throws {
        let harbour = Harbour()
        let device = try SimulatedDevice.current
        #expect(device.now == departure)
        try await device.play(until: { !harbour.entered.isEmpty })
        // By the haversine formula, the position at 19:41:10 is 37.3 m from the centre and that at 19:41:11 is 34.3 m
        // from it. The radius is 35 m, and a crossing is reported after two seconds at the earliest.
        #expect(harbour.entered.first?.stateDate == departure.addingTimeInterval(10))
        #expect(device.elapsed >= .seconds(12))
        #expect(device.now == departure.addingTimeInterval(device.elapsed / .seconds(1)))
    }

    @Test("Without an accuracy, 100 m are assumed, and the region is not entered", .device(boat))
    func doesNotEnterRegion() async throws {
        let harbour = Harbour()
        let device = try SimulatedDevice.current
        await #expect(throws: DeviceError.self) { try await device.play(until: { !harbour.entered.isEmpty }) }
        #expect(harbour.times.count == 22)
    }

    @Test("The faults of the trait are injected", .device(boat, faults: "loss@5500ms+4s", accuracy: 1))
    func injectsFaults() async throws {
        let harbour = Harbour()
        try await SimulatedDevice.current.play()
        // The positions of 6 s to 9 s are lost.
        #expect(harbour.times.map { Int($0.timeIntervalSince(departure)) } == [0, 2, 4, 5] + Array(10...23))
    }

    @Test("Each test case has a device of its own", .device(boat), arguments: 1...8)
    func runsInParallel(count: Int) async throws {
        let harbour = Harbour()
        let device = try SimulatedDevice.current
        #expect(device.elapsed == .zero)
        try await device.play(until: { harbour.times.count == count })
        await Task.yield()
        #expect(harbour.times.count == count)
        let current = try SimulatedDevice.current
        #expect(current === device)
    }

    @Test("The synchronous forms play in a synchronous test", .device(boat))
    func playsSynchronously() throws {
        let harbour = Harbour()
        try SimulatedDevice.current.play(until: { harbour.times.count == 7 })
        #expect(harbour.times.last == departure.addingTimeInterval(8))
        try SimulatedDevice.current.play()
        #expect(harbour.times.count == 22)
    }

    @Suite("of a suite", .device(boat))
    struct SuiteTests {
        @Test("applies to each test", arguments: [0, 1])
        func appliesToTests(_: Int) throws {
            let harbour = Harbour()
            try SimulatedDevice.current.play()
            #expect(harbour.times.count == 22)
        }

        @Test(
            "is replaced by that of a test",
            .device("Simulators/Traces/synthetic/mountain-road.json", options: options))
        func isReplaced() throws {
            // The trace starts at 2026-06-21T09:30:00Z.
            #expect(try SimulatedDevice.current.now == Date(timeIntervalSince1970: 1_782_034_200 + 60))
            #expect(try SimulatedDevice.current.elapsed == .seconds(60))
        }

        private static let options: PlaybackOptions = {
            var options = PlaybackOptions()
            options.from = .seconds(60)
            return options
        }()
    }

    @Test(
        "A trait that cannot be used fails the test",
        arguments: [
            (DeviceTrait.device("missing.gpx"), "resources: [.copy(\"missing.gpx\")]"),
            (.device(boat, faults: "lost@60s"), "is not one of nofix"),
            (.device(boat, faults: "loss@60s"), "begins after the end of the recording, which is at 23.0 s"),
            (.device(boat, accuracy: -1), "The accuracy of -1.0 m is invalid"),
            (.device("Simulators/Traces/iio/free-fall.csv", accuracy: 5), "only GPX files accept an accuracy"),
            (.device(boat, bundle: .main), "was not found in the bundle"),
        ])
    func fails(trait: DeviceTrait, problem: String) async throws {
        let test = try #require(Test.current)
        let hasRun = Atomic<Bool>(false)
        let error = try await #require(throws: DeviceError.self) {
            try await trait.provideScope(for: test, testCase: nil) { hasRun.store(true, ordering: .relaxed) }
        }
        #expect(error.message.contains(problem), "\(error)")
        let value = hasRun.load(ordering: .relaxed)
        #expect(!value)
    }
}
