// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import DeviceSupport
import Testing

@Suite("Battery of UIDevice") @MainActor
struct BatteryTests {
    /// A device with a battery and its recorded notifications.
    @MainActor
    private final class Bench {
        let test: UIDeviceBench
        let device: UIDevice
        let levels: Notifications
        let states: Notifications

        init(_ battery: BatteryReading?) {
            test = UIDeviceBench(battery: battery)
            device = test.use { UIDevice.current }
            levels = Notifications(UIDevice.batteryLevelDidChangeNotification, of: device) { "\($0.batteryLevel)" }
            states = Notifications(UIDevice.batteryStateDidChangeNotification, of: device) { "\($0.batteryState)" }
        }

        func post(_ level: Double?, _ state: BatteryReading.State) {
            test.status.post(BatteryReading(level: level, state: state))
            test.callbacks.run()
        }

        func end() {
            levels.end()
            states.end()
        }
    }

    @Test("While monitoring is disabled, level and state are unknown and the source is not polled")
    func off() {
        let bench = Bench(BatteryReading(level: 0.5, state: .charging))
        #expect(!bench.device.isBatteryMonitoringEnabled)
        #expect(bench.device.batteryLevel == -1)
        #expect(bench.device.batteryState == .unknown)
        #expect(!bench.test.status.hasSubscribers)
        bench.end()
    }

    @Test("Level and state are known as soon as monitoring is enabled, and unknown again after it is disabled")
    func on() {
        let bench = Bench(BatteryReading(level: 0.5, state: .charging))
        bench.device.isBatteryMonitoringEnabled = true
        bench.device.isBatteryMonitoringEnabled = true
        #expect(bench.device.batteryLevel == 0.5)
        #expect(bench.device.batteryState == .charging)
        #expect(bench.test.status.hasSubscribers)
        bench.test.callbacks.run()
        #expect(bench.levels.received.isEmpty)
        #expect(bench.states.received.isEmpty)
        bench.device.isBatteryMonitoringEnabled = false
        #expect(bench.device.batteryLevel == -1)
        #expect(bench.device.batteryState == .unknown)
        #expect(!bench.test.status.hasSubscribers)
        bench.post(0.2, .unplugged)
        #expect(bench.states.received.isEmpty)
        bench.end()
    }

    @Test("A machine without a battery has level -1 and an unknown state")
    func none() {
        let bench = Bench(nil)
        bench.device.isBatteryMonitoringEnabled = true
        #expect(bench.device.batteryLevel == -1)
        #expect(bench.device.batteryState == .unknown)
        bench.post(nil, .full)
        #expect(bench.device.batteryLevel == -1)
        #expect(bench.states.received == ["full"])
        #expect(bench.levels.received.isEmpty)
        bench.end()
    }

    @Test("Every change of the state is posted immediately")
    func states() {
        let bench = Bench(BatteryReading(level: 0.5, state: .charging))
        bench.device.isBatteryMonitoringEnabled = true
        for state in [BatteryReading.State.unplugged, .charging, .unplugged] { bench.post(0.5, state) }
        #expect(bench.states.received == ["unplugged", "charging", "unplugged"])
        #expect(bench.levels.received.isEmpty)
        bench.end()
    }

    @Test("Level changes are posted at most once a minute, and the last one is posted after the minute")
    func levels() {
        let bench = Bench(BatteryReading(level: 0.5, state: .unplugged))
        bench.device.isBatteryMonitoringEnabled = true
        // One percent every five seconds for two minutes, 24 percent in total.
        for step in 1...24 {
            bench.test.advance(by: 5)
            bench.post(0.5 - Double(step) / 100, .unplugged)
        }
        // The first change is posted at 5 s, and the level after 12 changes at 65 s. The next notification is due at
        // 125 s.
        #expect(bench.levels.received == ["0.49", "0.38"])
        #expect(bench.device.batteryLevel == 0.26)
        bench.test.advance(by: 4.9)
        #expect(bench.levels.received.count == 2)
        bench.test.advance(by: 0.2)
        #expect(bench.levels.received == ["0.49", "0.38", "0.26"])
        bench.test.advance(by: 600)
        #expect(bench.levels.received.count == 3)
        bench.end()
    }

    @Test("Level changes below one percent, or back to the posted level, are not posted")
    func small() {
        let bench = Bench(BatteryReading(level: 0.5, state: .unplugged))
        bench.device.isBatteryMonitoringEnabled = true
        bench.post(0.499, .unplugged)
        bench.post(0.501, .unplugged)
        #expect(bench.levels.received.isEmpty)
        bench.post(0.48, .unplugged)
        bench.post(0.47, .unplugged)
        bench.post(0.48, .unplugged)
        bench.test.advance(by: 100)
        #expect(bench.levels.received == ["0.48"])
        bench.end()
    }

    @Test("A state change is posted immediately, and the level after its minute has elapsed")
    func withBatch() {
        let bench = Bench(BatteryReading(level: 0.5, state: .unplugged))
        bench.device.isBatteryMonitoringEnabled = true
        bench.post(0.4, .charging)
        #expect(bench.states.received == ["charging"])
        #expect(bench.levels.received == ["0.4"])
        bench.test.advance(by: 10)
        bench.post(0.6, .full)
        #expect(bench.states.received == ["charging", "full"])
        #expect(bench.levels.received == ["0.4"])
        bench.test.advance(by: 51)
        #expect(bench.levels.received == ["0.4", "0.6"])
        bench.end()
    }

    @Test("A removed battery is posted as an unknown state and level -1")
    func vanishes() {
        let bench = Bench(BatteryReading(level: 0.5, state: .unplugged))
        bench.device.isBatteryMonitoringEnabled = true
        bench.test.status.post(nil)
        bench.test.callbacks.run()
        #expect(bench.device.batteryLevel == -1)
        #expect(bench.states.received == ["unknown"])
        #expect(bench.levels.received == ["-1.0"])
        bench.end()
    }

    @Test("Battery states have Apple's raw values")
    func numbers() {
        #expect(UIDevice.BatteryState.unknown.rawValue == 0)
        #expect(UIDevice.BatteryState.unplugged.rawValue == 1)
        #expect(UIDevice.BatteryState.charging.rawValue == 2)
        #expect(UIDevice.BatteryState.full.rawValue == 3)
    }
}
