// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import SimulatedDevice
import Testing

@Suite("Significant location changes")
struct SignificantChangeTests {
    @Test("A location is delivered after 500 metres, at most every five minutes")
    func reportsSignificantChanges() throws {
        // 0.003 degrees of latitude per minute are 333 m per minute, or 1.67 km in five minutes.
        let device = try Drives.device(
            (0...15).map { Drives.report(Double($0) * 60, latitude: 48 + Double($0) * 0.003) })
        let recorder = Recorder()
        try device.use {
            let manager = CLLocationManager()
            manager.distanceFilter = 10_000
            manager.delegate = recorder
            manager.startMonitoringSignificantLocationChanges()
            try device.play()
        }
        #expect(recorder.locations.map { Drives.second($0.timestamp) } == [0, 300, 600, 900])
    }

    @Test("A device at rest delivers only the first location")
    func staysQuietAtRest() throws {
        let device = try Drives.device(
            (0...20).map { Drives.report(Double($0) * 60, latitude: 48 + Double($0) * 0.0001) })
        let recorder = Recorder()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startMonitoringSignificantLocationChanges()
            try device.play()
            // 0.0001 degrees are 11 m, and twenty steps are 222 m.
            #expect(recorder.locations.count == 1)
            manager.stopMonitoringSignificantLocationChanges()
            #expect(LocationAuthorization.current.uses.isEmpty)
        }
    }
}
