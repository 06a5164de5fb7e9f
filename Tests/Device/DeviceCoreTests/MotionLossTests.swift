// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import DeviceCore

@Suite("Loss of a motion sensor")
struct MotionLossTests {
    private static let sensor = SensorDescription(id: "a", kind: .accelerometer)
    private static let loss = DeviceError(.connectionLost, "gone")

    private static func batch(_ time: Int64) -> MotionBatch {
        MotionBatch(sensor: "a", kind: .accelerometer, values: [.one], times: [BootTime(nanoseconds: time)])
    }

    private static func name(_ event: MotionEvent) -> String {
        switch event {
        case .samples: "samples"
        case .lost: "lost"
        case .regained: "regained"
        }
    }

    @Test("A sensor that is unplugged and returns as a new one is regained once, before its readings")
    func unplugged() {
        let events = Mutex<[String]>([])
        let hub = MotionHub(sensors: [Self.sensor]) {}
        let subscription = hub.subscribe(MotionRequest(kind: .accelerometer)) { event in
            events.withLock { $0.append(Self.name(event)) }
        }
        hub.post(Self.batch(1))
        hub.setStatus(.unavailable(Self.loss), of: "a")
        hub.post(sensors: [], contextDescriptions: [])
        hub.post(sensors: [Self.sensor], contextDescriptions: [])
        hub.post(Self.batch(2))
        hub.post(Self.batch(3))
        #expect(events.withLock { $0 } == ["samples", "lost", "regained", "samples", "samples"])
        withExtendedLifetime(subscription) {}
    }

    @Test("A loss that is posted again after the sensor reappeared is not delivered twice")
    func lostAgain() {
        let events = Mutex<[String]>([])
        let hub = MotionHub(sensors: [Self.sensor]) {}
        let subscription = hub.subscribe(MotionRequest(kind: .accelerometer)) { event in
            events.withLock { $0.append(Self.name(event)) }
        }
        hub.setStatus(.unavailable(Self.loss), of: "a")
        hub.post(sensors: [], contextDescriptions: [])
        hub.post(sensors: [Self.sensor], contextDescriptions: [])
        hub.setStatus(.unavailable(Self.loss), of: "a")
        hub.setStatus(.available, of: "a")
        hub.setStatus(.available, of: "a")
        #expect(events.withLock { $0 } == ["lost", "regained"])
        withExtendedLifetime(subscription) {}
    }

    @Test("A reading after a loss ends the loss, and the next loss is reported")
    func straggler() {
        let events = Mutex<[String]>([])
        let hub = MotionHub(sensors: [Self.sensor]) {}
        let subscription = hub.subscribe(MotionRequest(kind: .accelerometer)) { event in
            events.withLock { $0.append(Self.name(event)) }
        }
        hub.setStatus(.unavailable(Self.loss), of: "a")
        hub.post(Self.batch(1))
        hub.setStatus(.unavailable(Self.loss), of: "a")
        #expect(events.withLock { $0 } == ["lost", "regained", "samples", "lost"])
        withExtendedLifetime(subscription) {}
    }
}
