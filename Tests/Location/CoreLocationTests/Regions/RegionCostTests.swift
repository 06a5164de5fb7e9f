// SPDX-License-Identifier: Apache-2.0

import CoreFoundation
import CoreLocation
import DeviceCore
import Foundation
import SimulatedDevice
import Testing

@Suite("Cost of conditions")
struct RegionCostTests {
    /// The CPU time of this thread in seconds, which does not depend on the load of the machine.
    private static var used: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Returns the CPU time per fix of a drive in seconds, with one manager and that many conditions.
    private func cost(conditions: Int) async throws -> Double {
        let device = try Drives.device(
            (0..<600).map { Drives.report(Double($0), latitude: 48 + Double($0) / 11_120, more: ",\"speed\":10") })
        return try await device.use { () async throws -> Double in
            let manager = CLLocationManager()
            manager.startUpdatingLocation()
            var monitors: [CLMonitor] = []
            for number in 0..<conditions {
                if number % 20 == 0 { monitors.append(await CLMonitor("\(number)")) }
                let coordinate = CLLocationCoordinate2D(latitude: 48 + Double(number) / 1000, longitude: 11)
                await monitors.last?.add(
                    CLMonitor.CircularGeographicCondition(center: coordinate, radius: 100), identifier: "\(number)")
            }
            let start = Self.used
            try Self.play(device)
            return withExtendedLifetime((manager, monitors)) { (Self.used - start) / 600 }
        }
    }

    /// Plays the trace on this thread.
    private static func play(_ device: SimulatedDevice) throws { try device.play() }

    @Test("A hundred conditions use less than 1 % of a core at one fix per second")
    func hundred() async throws {
        let (one, all) = (try await cost(conditions: 0), try await cost(conditions: 100))
        if ProcessInfo.processInfo.environment["TEST_FIGURES"] != nil {
            print("a fix: \(one * 1e6) us with a manager, \(all * 1e6) us with 100 conditions as well")
        }
        #expect(all - one < 0.01)
    }
}
