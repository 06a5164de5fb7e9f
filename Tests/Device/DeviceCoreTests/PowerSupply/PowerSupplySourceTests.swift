// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import LiveSources
import Synchronization
import Testing

/// A directory of power supplies in the kernel's layout, removed when the test ends.
private final class Supplies {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("supplies-" + UUID().uuidString).path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func set(_ name: String, _ attributes: [String: String]) throws {
        let folder = path + "/" + name
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (attribute, value) in attributes {
            try Data((value + "\n").utf8).write(to: URL(fileURLWithPath: folder + "/" + attribute))
        }
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path + "/" + name)
    }

    var battery: BatteryReading? { PowerSupplySource(folder: path, clock: VirtualClock()).battery }
}

@Suite("Battery readings from sysfs")
struct PowerSupplyReadingTests {
    private let supplies = Supplies()

    @Test("Without a directory, supplies or a battery, the reading is nil")
    func none() throws {
        #expect(supplies.battery == nil)
        try FileManager.default.createDirectory(atPath: supplies.path, withIntermediateDirectories: true)
        #expect(supplies.battery == nil)
        try supplies.set("AC", ["type": "Mains", "online": "1"])
        #expect(supplies.battery == nil)
    }

    @Test(
        "The level is the driver's capacity, limited to 0 to 100 %",
        arguments: [("57", 0.57), ("0", 0), ("100", 1), ("110", 1), ("-3", 0)])
    func capacity(text: String, level: Double) throws {
        try supplies.set("BAT0", ["type": "Battery", "status": "Discharging", "capacity": text])
        #expect(supplies.battery == BatteryReading(level: level, state: .unplugged))
    }

    @Test("Without a capacity, the level is computed from energy, or else from charge, or is nil")
    func amounts() throws {
        try supplies.set("BAT0", ["type": "Battery", "status": "Charging"])
        #expect(supplies.battery == BatteryReading(level: nil, state: .charging))
        try supplies.set("BAT0", ["charge_now": "1000000", "charge_full_design": "4000000"])
        #expect(supplies.battery?.level == 0.25)
        try supplies.set("BAT0", ["energy_now": "30000000", "energy_full": "40000000"])
        #expect(supplies.battery?.level == 0.75)
        try supplies.set("BAT0", ["energy_now": "50000000"])
        #expect(supplies.battery?.level == 1)
        try supplies.set("BAT0", ["energy_full": "0"])
        #expect(supplies.battery?.level == 0.25)
    }

    @Test("Several batteries are combined by their energy")
    func several() throws {
        // 10 of 20 Wh and 45 of 60 Wh are 55 of 80 Wh, which is 0.6875. The batteries' own percentages are ignored.
        try supplies.set(
            "BAT0",
            [
                "type": "Battery", "status": "Unknown", "capacity": "50", "energy_now": "10000000",
                "energy_full": "20000000",
            ])
        try supplies.set(
            "BAT1",
            [
                "type": "Battery", "status": "Discharging", "capacity": "75", "energy_now": "45000000",
                "energy_full": "60000000",
            ])
        #expect(supplies.battery == BatteryReading(level: 0.6875, state: .unplugged))
        // If one battery has no energy values, all have the same weight: 0.5 (10 of 20 Wh) and 0.75.
        try supplies.set("BAT1", ["energy_now": "garbage"])
        #expect(supplies.battery?.level == 0.625)
    }

    @Test("Batteries of peripherals, empty bays and unreadable supplies are ignored")
    func ignored() throws {
        try supplies.set(
            "hidpp_battery_0", ["type": "Battery", "scope": "Device", "status": "Full", "capacity": "100"])
        try supplies.set("BAT1", ["type": "Battery", "present": "0", "capacity": "1"])
        try supplies.set("empty", [:])
        #expect(supplies.battery == nil)
        try supplies.set(
            "BAT0", ["type": "Battery", "scope": "System", "present": "1", "status": "Full", "capacity": "99"])
        #expect(supplies.battery == BatteryReading(level: 0.99, state: .full))
    }

    @Test(
        "The state is derived from the battery's status and the mains supply",
        arguments: [
            ("Charging", nil, "50", BatteryReading.State.charging), ("Charging", "0", "50", .charging),
            ("Discharging", nil, "50", .unplugged), ("Discharging", "1", "50", .unplugged),
            ("Full", nil, "100", .full), ("Full", "1", "100", .full), ("Full", "0", "100", .unplugged),
            ("Not charging", nil, "80", .charging), ("Not charging", "1", "80", .charging),
            ("Not charging", "1", "100", .full), ("Not charging", "0", "80", .unplugged),
            ("Unknown", nil, "80", .unknown), ("Unknown", "1", "80", .charging), ("Unknown", "1", "100", .full),
            ("Unknown", "0", "80", .unplugged), ("Unknown", "2", "80", .charging),
            ("\u{1}garbage", nil, "80", .unknown), ("", "1", "80", .charging),
        ] as [(String, String?, String, BatteryReading.State)])
    func state(status: String, online: String?, capacity: String, expected: BatteryReading.State) throws {
        try supplies.set("BAT0", ["type": "Battery", "status": status, "capacity": capacity])
        if let online { try supplies.set("AC", ["type": "Mains", "online": online]) }
        #expect(supplies.battery?.state == expected)
    }

    @Test("One connected charger of two suffices, and a peripheral's charger is ignored")
    func chargers() throws {
        try supplies.set("BAT0", ["type": "Battery", "status": "Unknown", "capacity": "50"])
        try supplies.set("AC", ["type": "Mains", "online": "0"])
        try supplies.set("mouse", ["type": "USB", "scope": "Device", "online": "1"])
        #expect(supplies.battery?.state == .unplugged)
        try supplies.set("ucsi-source-psy-1", ["type": "USB", "online": "1"])
        #expect(supplies.battery?.state == .charging)
    }

    @Test(
        "Invalid values count as missing",
        arguments: [
            "", "abc", "5 0", "1e2", "0x20", "99999999999999999999", "nan", String(repeating: "1", count: 5000),
        ])
    func garbage(text: String) throws {
        try supplies.set("BAT0", ["type": "Battery", "status": "Charging", "capacity": text])
        #expect(supplies.battery == BatteryReading(level: nil, state: .charging))
    }

    @Test("A supply of an unknown type is not a battery")
    func types() throws {
        try supplies.set("x", ["type": "battery", "capacity": "50"])
        try supplies.set("y", ["type": String(repeating: "B", count: 100_000), "capacity": "50"])
        #expect(supplies.battery == nil)
    }

    @Test("More supplies than the limit of 64 still yield a reading")
    func many() throws {
        for number in 0..<80 {
            try supplies.set("BAT\(number)", ["type": "Battery", "status": "Full", "capacity": "50"])
        }
        #expect(supplies.battery == BatteryReading(level: 0.5, state: .full))
    }
}

@Suite("Power supply source")
struct PowerSupplySourceTests {
    private let supplies = Supplies()
    private let clock = VirtualClock()

    /// The readings that a subscriber received.
    private final class Log: Sendable {
        private let readings = Mutex<[BatteryReading?]>([])

        var all: [BatteryReading?] { readings.withLock { $0 } }

        func add(_ reading: BatteryReading?) { readings.withLock { $0.append(reading) } }
    }

    private func advance(by seconds: Double) {
        let limit = clock.now.advanced(bySeconds: seconds)
        while clock.runNextTimer(upTo: limit) {}
        clock.move(to: limit)
    }

    private func set(_ percent: String, _ status: String) throws {
        try supplies.set("BAT0", ["type": "Battery", "status": status, "capacity": percent])
    }

    @Test("No timer runs without subscribers")
    func idle() throws {
        try set("50", "Discharging")
        let source = PowerSupplySource(folder: supplies.path, clock: clock)
        #expect(clock.nextDeadline == nil)
        let first = source.subscribe { _ in }
        let second = source.subscribe { _ in }
        #expect(clock.nextDeadline == BootTime(nanoseconds: 5_000_000_000))
        first.cancel()
        #expect(clock.nextDeadline != nil)
        second.cancel()
        #expect(clock.nextDeadline == nil)
    }

    @Test("A subscriber receives each change within five seconds and nothing else")
    func changes() throws {
        try set("50", "Discharging")
        let source = PowerSupplySource(folder: supplies.path, clock: clock)
        let log = Log()
        let subscription = source.subscribe { log.add($0) }
        advance(by: 60)
        #expect(log.all.isEmpty)
        try set("50", "Charging")
        advance(by: 5)
        #expect(source.battery == BatteryReading(level: 0.5, state: .charging))
        #expect(log.all == [BatteryReading(level: 0.5, state: .charging)])
        try set("51", "Charging")
        advance(by: 5)
        #expect(log.all.last == BatteryReading(level: 0.51, state: .charging))
        subscription.cancel()
        try set("52", "Charging")
        advance(by: 60)
        #expect(log.all.count == 2)
    }

    @Test("A change without subscribers is not reported later")
    func unnoticed() throws {
        try set("50", "Discharging")
        let source = PowerSupplySource(folder: supplies.path, clock: clock)
        source.subscribe { _ in }.cancel()
        try set("40", "Discharging")
        let log = Log()
        let subscription = source.subscribe { log.add($0) }
        advance(by: 30)
        #expect(log.all.isEmpty)
        try set("39", "Discharging")
        advance(by: 5)
        #expect(log.all.count == 1)
        subscription.cancel()
    }

    @Test("While there are subscribers, the state is the one that they have received")
    func consistent() throws {
        try set("50", "Discharging")
        let source = PowerSupplySource(folder: supplies.path, clock: clock)
        let first = source.subscribe { _ in }
        try set("50", "Charging")
        let log = Log()
        let second = source.subscribe { log.add($0) }
        // If this state were read from the kernel, the second subscriber would not receive the change back.
        #expect(source.battery == BatteryReading(level: 0.5, state: .unplugged))
        try set("50", "Discharging")
        advance(by: 5)
        #expect(log.all.isEmpty)
        #expect(source.battery == BatteryReading(level: 0.5, state: .unplugged))
        first.cancel()
        second.cancel()
    }

    @Test("A battery can be added and removed, and without one the source polls every 30 s")
    func addedAndRemoved() throws {
        let source = PowerSupplySource(folder: supplies.path, clock: clock)
        let log = Log()
        let subscription = source.subscribe { log.add($0) }
        #expect(clock.nextDeadline == BootTime(nanoseconds: 30_000_000_000))
        advance(by: 10)
        try set("50", "Full")
        advance(by: 20)
        #expect(log.all == [BatteryReading(level: 0.5, state: .full)])
        #expect(clock.nextDeadline == BootTime(nanoseconds: 35_000_000_000))
        try supplies.remove("BAT0")
        advance(by: 5)
        #expect(log.all.count == 2)
        #expect(log.all.last == .some(nil))
        subscription.cancel()
    }

    @Test("A released source is deallocated together with its timer")
    func released() throws {
        try set("50", "Full")
        var source: PowerSupplySource? = PowerSupplySource(folder: supplies.path, clock: clock)
        weak let weakSource = source
        let subscription = source?.subscribe { _ in }
        #expect(weakSource != nil)
        source = nil
        #expect(weakSource == nil)
        advance(by: 60)
        subscription?.cancel()
        #expect(clock.nextDeadline == nil)
    }
}
