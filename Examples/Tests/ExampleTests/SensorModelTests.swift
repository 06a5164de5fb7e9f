// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import CoreMotion
import DeviceCore
import Foundation
import Observation
import SensorModel
import SimulatedDevice
import Synchronization
import Testing

@Suite("The sensor model") @MainActor struct SensorModelTests {
    @Test("The model requests authorization and publishes the last location of a recording")
    func location() throws {
        let device = SimulatedDevice(try Recordings.open("gpsd/ublox-8.log.chk"))
        let changes = Mutex(0)
        try device.use {
            let model = SensorModel()
            #expect(model.authorizationStatus == .notDetermined)
            withObservationTracking {
                _ = model.location
            } onChange: {
                changes.withLock { $0 += 1 }
            }
            model.start()
            #expect(model.motionError == "Device motion is not available.")
            try device.play()
            #expect(model.authorizationStatus == .authorizedWhenInUse)
            let last = try #require(Recordings.fixes("gpsd/ublox-8.log.chk").last)
            #expect(model.location?.coordinate.latitude == last["lat"] as? Double)
            #expect(model.location?.coordinate.longitude == last["lon"] as? Double)
            #expect(model.locationError == nil)
        }
        // Observation notifies once. A view then reads the model again.
        #expect(changes.withLock { $0 } == 1)
    }

    @Test("The model publishes nothing before the start and after the end", arguments: [false, true])
    func notRunning(isStopped: Bool) throws {
        let device = SimulatedDevice(try Recordings.open("gpsd/ublox-8.log.chk"))
        try device.use {
            let model = SensorModel()
            let manager = CLLocationManager()
            if isStopped {
                model.start()
                model.stop()
            }
            // The authorization arrives later, and at every manager.
            manager.requestWhenInUseAuthorization()
            try device.play()
            #expect(model.authorizationStatus == .authorizedWhenInUse)
            #expect(model.location == nil)
        }
    }

    @Test("The model publishes the attitude of a board on its six sides")
    func attitude() throws {
        let device = SimulatedDevice(try Recordings.open("motion/six-poses.trace"))
        device.use {
            let model = SensorModel()
            model.start()
            var poses: [(pitch: Double, roll: Double)] = []
            for _ in 0..<6 {
                device.advance(by: .seconds(1.5))
                poses.append((model.pitch, model.roll))
                device.advance(by: .seconds(0.5))
            }
            // Face up. The top edge up is a pitch of 90°, the bottom edge up is -90°. The right edge up is a roll of
            // -90°, because the board has rotated about y to the left, and the left edge up is 90°. Face down is 180°.
            #expect(abs(poses[0].pitch) < 2 && abs(poses[0].roll) < 2)
            #expect(abs(poses[1].pitch - 90) < 2)
            #expect(abs(poses[2].roll + 90) < 2)
            #expect(abs(poses[3].pitch + 90) < 2)
            #expect(abs(poses[4].roll - 90) < 2)
            #expect(abs(poses[5].pitch) < 2 && abs(abs(poses[5].roll) - 180) < 2)
            #expect(model.motionError == nil)
        }
    }

    @Test("The model reports that the location is not permitted")
    func denied() throws {
        var configuration = Configuration()
        configuration.locationRule.value = .deny
        let device = SimulatedDevice(try Recordings.open("gpsd/ublox-8.log.chk"), configuration: configuration)
        try device.use {
            let model = SensorModel()
            model.start()
            try device.play()
            #expect(model.location == nil)
            #expect(model.locationError != nil)
        }
    }
}

extension ProgramTests {
    @Test("The model's program prints each change, as a view would show it")
    func sensorModel() throws {
        let end = try withBoard(try Recordings.open("motion/six-poses.trace")) { environment in
            try Programs.run("sensor-model", environment: environment) { lines in
                lines.contains { line in
                    let words = line.split(separator: " ")
                    guard let index = words.firstIndex(of: "pitch"), words.count > index + 1 else { return false }
                    return (88...92).contains(Double(words[index + 1]) ?? 0)
                }
            }
        }
        #expect(end.lines.first == "no position, pitch +0.0 roll +0.0 yaw +0.0")
        // The program was ended because the top edge was up.
        #expect(end.wasKilled)
    }
}
