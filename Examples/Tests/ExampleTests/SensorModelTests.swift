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
    @Test("It asks, is allowed to, and publishes the last location of a recording")
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
            device.play()
            #expect(model.authorizationStatus == .authorizedWhenInUse)
            let last = try #require(Recordings.fixes("gpsd/ublox-8.log.chk").last)
            #expect(model.location?.coordinate.latitude == last["lat"] as? Double)
            #expect(model.location?.coordinate.longitude == last["lon"] as? Double)
            #expect(model.locationError == nil)
        }
        // Observation tells once, and views look again then.
        #expect(changes.withLock { $0 } == 1)
    }

    @Test("It publishes nothing before it is started, nor once it is stopped", arguments: [false, true])
    func notRunning(isStopped: Bool) throws {
        let device = SimulatedDevice(try Recordings.open("gpsd/ublox-8.log.chk"))
        device.use {
            let model = SensorModel()
            let manager = CLLocationManager()
            if isStopped {
                model.start()
                model.stop()
            }
            // The answer comes later, and to every manager.
            manager.requestWhenInUseAuthorization()
            device.play()
            #expect(model.authorizationStatus == .authorizedWhenInUse)
            #expect(model.location == nil)
        }
    }

    @Test("It publishes the attitude of a board on its six sides")
    func attitude() throws {
        let device = SimulatedDevice(try Recordings.open("motion/six-poses.trace"))
        device.use {
            let model = SensorModel()
            model.start()
            var poses: [(pitch: Double, roll: Double)] = []
            for _ in 0..<6 {
                device.advance(by: 1.5)
                poses.append((model.pitch, model.roll))
                device.advance(by: 0.5)
            }
            // Face up; the top edge up is a pitch of 90°, the bottom edge up one of -90°; the right edge up is a roll of
            // -90°, for the board has turned about y to the left, and the left edge up one of 90°; face down is 180°.
            #expect(abs(poses[0].pitch) < 2 && abs(poses[0].roll) < 2)
            #expect(abs(poses[1].pitch - 90) < 2)
            #expect(abs(poses[2].roll + 90) < 2)
            #expect(abs(poses[3].pitch + 90) < 2)
            #expect(abs(poses[4].roll - 90) < 2)
            #expect(abs(poses[5].pitch) < 2 && abs(abs(poses[5].roll) - 180) < 2)
            #expect(model.motionError == nil)
        }
    }

    @Test("It says when it may not know the location")
    func denied() throws {
        var configuration = Configuration()
        configuration.locationRule.value = .deny
        let device = SimulatedDevice(try Recordings.open("gpsd/ublox-8.log.chk"), configuration: configuration)
        device.use {
            let model = SensorModel()
            model.start()
            device.play()
            #expect(model.location == nil)
            #expect(model.locationError != nil)
        }
    }
}

extension ProgramTests {
    @Test("The sensor model's program shows what changes, as a view would")
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
        #expect(end.lines.first == "nowhere yet, pitch +0.0 roll +0.0 yaw +0.0")
        // It was told to end because the top edge was up.
        #expect(end.wasKilled)
    }
}
