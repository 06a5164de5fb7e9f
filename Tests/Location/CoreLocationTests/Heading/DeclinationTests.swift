// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing

@testable import CoreLocation

@Suite("Local magnetic declination")
struct DeclinationTests {
    /// 2026-05-01T10:00:00Z. `date -u -d 2026-05-01T10:00:00Z +%s` prints 1777629600.
    private static let time = WallTime(nanoseconds: 1_777_629_600_000_000_000)

    private func position(
        _ latitude: Double, _ longitude: Double, variation: Double = .nan, time: WallTime = time
    ) -> LocalDeclination.Position {
        .init(latitude: latitude, longitude: longitude, altitude: 0, reportedDeclination: variation, time: time)
    }

    @Test(
        "The declination equals the World Magnetic Model's",
        arguments: [(48.0, 11.0, 4.1716), (-33.9, 151.2, 12.8266), (60, -150, 14.0375)])
    func model(latitude: Double, longitude: Double, expected: Double) throws {
        // The expected values are from pygeomag 1.1.0 with WMM_2025.COF at sea level.
        let degrees = try #require(LocalDeclination.degrees(at: position(latitude, longitude)))
        #expect(abs(degrees - expected) < 1e-4)
    }

    @Test("The receiver's variation is used only outside the model's years")
    func receiver() throws {
        let inside = try #require(LocalDeclination.degrees(at: position(48, 11, variation: -15)))
        #expect(inside > 0)
        // 2012-01-01T00:00:00Z and 2031-01-01T00:00:00Z.
        for seconds in [1_325_376_000.0, 1_924_992_000] {
            let time = try #require(WallTime(seconds: seconds))
            #expect(LocalDeclination.degrees(at: position(48, 11, variation: -15, time: time)) == -15)
            let without = try #require(LocalDeclination.degrees(at: position(48, 11, time: time)))
            #expect(without > 0 && without < 7, "never silence")
            #expect(LocalDeclination.degrees(at: position(48, 11, variation: 1e9, time: time)) == without)
        }
    }

    @Test("Near a magnetic pole, the declination is nil")
    func blackout() {
        // pygeomag 1.1.0 reports a horizontal field of 84 nT, less than the 2,000 nT that a compass needs.
        #expect(LocalDeclination.degrees(at: position(85.76, 139.3)) == nil)
        #expect(LocalDeclination.degrees(at: position(85.76, 139.3, variation: 3)) == nil)
        #expect(LocalDeclination.degrees(at: position(.nan, 0)) == nil)
    }

    @Test("The declination follows the device's position")
    func updates() throws {
        var declination = LocalDeclination()
        #expect(Self.degrees(declination) == nil)
        declination.position = position(48, 11)
        let first = declination.degrees()
        #expect(first != nil)
        declination.position = position(48.001, 11)
        #expect(Self.degrees(declination) == first, "recomputed after 0.001 degrees")
        declination.position = position(48.1, 11)
        // The expected value is from pygeomag 1.1.0.
        let second = declination.degrees()
        #expect(abs((second ?? 0) - 4.1779) < 1e-4)
        declination.position = nil
        #expect(Self.degrees(declination) == nil)
    }

    /// Returns the declination of a copy, so that the original does not change.
    private static func degrees(_ declination: LocalDeclination) -> Double? {
        var copy = declination
        return copy.degrees()
    }
}
