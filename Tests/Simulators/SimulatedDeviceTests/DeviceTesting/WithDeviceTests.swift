// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import DeviceTesting
import Foundation
import XCTest

/// The functions for XCTest.
final class WithDeviceTests: XCTestCase {
    private let boat = "Recordings/boat.gpx"

    private func client(_ log: ValueLog<Double>) -> LocationClient {
        let client = LocationClient()
        client.start { _, callback in
            if case .location(let location) = callback { log.add(location.horizontalAccuracy) }
        }
        return client
    }

    func testSynchronousTest() throws {
        let log = ValueLog<Double>()
        let count = try withDevice(boat, faults: "loss@5500ms+4s", accuracy: 5) { device in
            let client = client(log)
            try device.play(until: { log.all.count == 6 })
            withExtendedLifetime(client) {}
            return log.all.count
        }
        // The fifth position follows the loss, at 10 s, and the sixth is that of 11 s.
        XCTAssertEqual(count, 6)
        XCTAssertEqual(log.all, Array(repeating: 5, count: 6))
    }

    func testAsynchronousTest() async throws {
        let log = ValueLog<Double>()
        let elapsed = try await withDevice(boat) { device in
            let client = client(log)
            try await device.play(until: { log.all.count == 6 })
            withExtendedLifetime(client) {}
            return device.elapsed
        }
        // The first positions arrive at 0, 2, 4, 5, 6 and 7 s. Without an accuracy, 100 m are assumed.
        XCTAssertEqual(elapsed, .seconds(7))
        XCTAssertEqual(log.all, Array(repeating: 100, count: 6))
    }

    func testURL() throws {
        let url = try XCTUnwrap(Bundle.module.resourceURL).appendingPathComponent(boat)
        let device = try SimulatedDevice(recording: url, importing: .init(accuracy: 5))
        XCTAssertEqual(device.now, Date(timeIntervalSince1970: 1_777_750_861))
        XCTAssertThrowsError(try SimulatedDevice(recording: XCTUnwrap(URL(string: "https://example.com/drive.gpx"))))
    }

    func testDifferenceIsThrown() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        var callbacks = CallbackList()
        try callbacks.write(to: path)
        try expectCallbacks(callbacks, matching: path)
        callbacks.add("location", ["latitude": .number(48)])
        XCTAssertThrowsError(try expectCallbacks(callbacks, matching: path)) { error in
            XCTAssert(error is CallbackDifference, "\(error)")
        }
    }

    func testMissingRecording() {
        XCTAssertThrowsError(try withDevice("missing.gpx") { _ in }) { error in
            XCTAssertEqual((error as? DeviceError)?.code, .notFound)
        }
    }
}
