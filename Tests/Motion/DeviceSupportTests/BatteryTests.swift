// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import DeviceSupport
import Testing

@Suite("The battery") @MainActor
struct BatteryTests {
    /// A device with a battery and what is posted for it.
    @MainActor
    private final class Bench {
        let test: TestDevice
        let device: UIDevice
        let levels: Notifications
        let states: Notifications

        init(_ battery: BatteryReading?) {
            test = TestDevice(battery: battery)
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

    @Test("Nothing is known while it is not watched, and nobody reads it")
    func off() {
        let bench = Bench(BatteryReading(level: 0.5, state: .charging))
        #expect(!bench.device.isBatteryMonitoringEnabled)
        #expect(bench.device.batteryLevel == -1)
        #expect(bench.device.batteryState == .unknown)
        #expect(!bench.test.status.isWanted)
        bench.end()
    }

    @Test("It is known as soon as it is watched, and unknown again afterwards")
    func on() {
        let bench = Bench(BatteryReading(level: 0.5, state: .charging))
        bench.device.isBatteryMonitoringEnabled = true
        bench.device.isBatteryMonitoringEnabled = true
        #expect(bench.device.batteryLevel == 0.5)
        #expect(bench.device.batteryState == .charging)
        #expect(bench.test.status.isWanted)
        bench.test.callbacks.run()
        #expect(bench.levels.seen.isEmpty)
        #expect(bench.states.seen.isEmpty)
        bench.device.isBatteryMonitoringEnabled = false
        #expect(bench.device.batteryLevel == -1)
        #expect(bench.device.batteryState == .unknown)
        #expect(!bench.test.status.isWanted)
        bench.post(0.2, .unplugged)
        #expect(bench.states.seen.isEmpty)
        bench.end()
    }

    @Test("A machine without a battery has level -1 and no state")
    func none() {
        let bench = Bench(nil)
        bench.device.isBatteryMonitoringEnabled = true
        #expect(bench.device.batteryLevel == -1)
        #expect(bench.device.batteryState == .unknown)
        bench.post(nil, .full)
        #expect(bench.device.batteryLevel == -1)
        #expect(bench.states.seen == ["full"])
        #expect(bench.levels.seen.isEmpty)
        bench.end()
    }

    @Test("A state is told at once, each time")
    func states() {
        let bench = Bench(BatteryReading(level: 0.5, state: .charging))
        bench.device.isBatteryMonitoringEnabled = true
        for state in [BatteryReading.State.unplugged, .charging, .unplugged] { bench.post(0.5, state) }
        #expect(bench.states.seen == ["unplugged", "charging", "unplugged"])
        #expect(bench.levels.seen.isEmpty)
        bench.end()
    }

    @Test("A level is told at most once a minute, and the last one is not forgotten")
    func levels() {
        let bench = Bench(BatteryReading(level: 0.5, state: .unplugged))
        bench.device.isBatteryMonitoringEnabled = true
        // A percent every five seconds, for two minutes: 24 percent.
        for step in 1...24 {
            bench.test.advance(by: 5)
            bench.post(0.5 - Double(step) / 100, .unplugged)
        }
        // The first change at 5 s, then at 65 s (12 changes at 60 s); the one of 125 s is still to come at 120 s.
        #expect(bench.levels.seen == ["0.49", "0.38"])
        #expect(bench.device.batteryLevel == 0.26)
        bench.test.advance(by: 4.9)
        #expect(bench.levels.seen.count == 2)
        bench.test.advance(by: 0.2)
        #expect(bench.levels.seen == ["0.49", "0.38", "0.26"])
        bench.test.advance(by: 600)
        #expect(bench.levels.seen.count == 3)
        bench.end()
    }

    @Test("Less than a percent is no news, and neither is a level that came back")
    func small() {
        let bench = Bench(BatteryReading(level: 0.5, state: .unplugged))
        bench.device.isBatteryMonitoringEnabled = true
        bench.post(0.499, .unplugged)
        bench.post(0.501, .unplugged)
        #expect(bench.levels.seen.isEmpty)
        bench.post(0.48, .unplugged)
        bench.post(0.47, .unplugged)
        bench.post(0.48, .unplugged)
        bench.test.advance(by: 100)
        #expect(bench.levels.seen == ["0.48"])
        bench.end()
    }

    @Test("A state and a level that change together are told together, the level when its minute is over")
    func together() {
        let bench = Bench(BatteryReading(level: 0.5, state: .unplugged))
        bench.device.isBatteryMonitoringEnabled = true
        bench.post(0.4, .charging)
        #expect(bench.states.seen == ["charging"])
        #expect(bench.levels.seen == ["0.4"])
        bench.test.advance(by: 10)
        bench.post(0.6, .full)
        #expect(bench.states.seen == ["charging", "full"])
        #expect(bench.levels.seen == ["0.4"])
        bench.test.advance(by: 51)
        #expect(bench.levels.seen == ["0.4", "0.6"])
        bench.end()
    }

    @Test("A battery may vanish")
    func vanishes() {
        let bench = Bench(BatteryReading(level: 0.5, state: .unplugged))
        bench.device.isBatteryMonitoringEnabled = true
        bench.test.status.post(nil)
        bench.test.callbacks.run()
        #expect(bench.device.batteryLevel == -1)
        #expect(bench.states.seen == ["unknown"])
        #expect(bench.levels.seen == ["-1.0"])
        bench.end()
    }

    @Test("States have Apple's numbers")
    func numbers() {
        #expect(UIDevice.BatteryState.unknown.rawValue == 0)
        #expect(UIDevice.BatteryState.unplugged.rawValue == 1)
        #expect(UIDevice.BatteryState.charging.rawValue == 2)
        #expect(UIDevice.BatteryState.full.rawValue == 3)
    }
}
