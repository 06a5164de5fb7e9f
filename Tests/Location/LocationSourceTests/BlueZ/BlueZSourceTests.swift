// SPDX-License-Identifier: Apache-2.0

import BlueZSource
import DeviceCore
import Testing

@Suite("BlueZSource with python-dbusmock's BlueZ", .enabled(if: BlueZMock.isInstalled, BlueZMock.missing))
struct BlueZSourceTests {
    private let data = "0215e2c56db5dffb48d2b060d0f5a71096e000010002c5"
    private let device = "hci0 AA:BB:CC:DD:EE:FF"

    /// Waits until discovery has started or stopped, and returns the adapter's state.
    private func wait(_ mock: BlueZMock, startsDiscovery: Bool) throws -> String {
        var reply = ""
        for _ in 0..<10_000 {
            reply = try mock.run("discovering hci0")
            if reply.hasPrefix(startsDiscovery ? "yes" : "no") { break }
        }
        return reply
    }

    @Test("Discovery runs while there is a subscriber and stops afterwards")
    func listening() throws {
        let mock = try BlueZMock()
        try mock.run("bluez")
        try mock.run("adapter hci0")
        try mock.run("device \(device)")
        let source = BlueZSource(address: mock.address, clock: LiveClock())
        #expect(source.problem == nil)
        #expect(try mock.run("discovering hci0").hasPrefix("no"))
        let log = BeaconEventLog()
        let subscription = source.subscribe(log.receive)
        #expect(try wait(mock, startsDiscovery: true) == "yes DuplicateData=1 Transport=le")
        try mock.run("hear \(device) -60 \(data)")
        try mock.run("hear \(device) -60 \(data)")
        try mock.run("strength \(device) -61")
        #expect(log.wait(for: 3))
        #expect(log.texts == ["1/2 -60", "1/2 -60", "1/2 -61"])
        #expect(source.problem == nil)
        subscription.cancel()
        #expect(try wait(mock, startsDiscovery: false).hasPrefix("no"))
    }

    @Test("A missing service or adapter is reported once and used as soon as it appears")
    func coming() throws {
        let mock = try BlueZMock()
        let source = BlueZSource(address: mock.address, clock: LiveClock())
        #expect(source.problem?.code == .unreachable)
        let log = BeaconEventLog()
        let subscription = source.subscribe(log.receive)
        #expect(log.wait(for: 1))
        try mock.run("bluez")
        // Without an adapter, the reported loss continues.
        try mock.run("adapter hci0")
        #expect(log.wait(for: 2))
        #expect(log.texts == ["lost unreachable", "regained"])
        try mock.run("power hci0 off")
        #expect(log.wait(for: 3))
        #expect(source.problem?.message.contains("bluetoothctl power on") == true)
        try mock.run("power hci0 on")
        #expect(log.wait(for: 4))
        try mock.run("unplug hci0")
        #expect(log.wait(for: 5))
        #expect(log.texts.suffix(3) == ["lost unreachable", "regained", "lost notFound"])
        withExtendedLifetime(subscription) {}
    }

    @Test("Discovery resumes after a restart of bluetoothd and after an interruption by another program")
    func restart() throws {
        let mock = try BlueZMock()
        try mock.run("bluez")
        try mock.run("adapter hci0")
        let source = BlueZSource(address: mock.address, clock: LiveClock())
        let log = BeaconEventLog()
        let subscription = source.subscribe(log.receive)
        _ = try wait(mock, startsDiscovery: true)
        try mock.run("kill")
        #expect(log.wait(for: 1))
        try mock.run("bluez")
        try mock.run("adapter hci0")
        #expect(log.wait(for: 2))
        #expect(log.texts == ["lost connectionLost", "regained"])
        try mock.run("device \(device)")
        try mock.run("hear \(device) -70 \(data)")
        #expect(log.wait(for: 3))
        try mock.run("interrupt hci0")
        _ = try wait(mock, startsDiscovery: true)
        try mock.run("hear \(device) -71 \(data)")
        #expect(log.wait(for: 4))
        #expect(log.texts.suffix(2) == ["1/2 -70", "1/2 -71"])
        withExtendedLifetime(subscription) {}
    }
}

@Suite("BlueZSource without a message bus")
struct NoBusTests {
    @Test("A missing or invalid bus address is reported as an error with a remedy", arguments: ["none", "file", ""])
    func missing(kind: String) throws {
        let address =
            kind.isEmpty
            ? "tcp:host=localhost" : kind == "none" ? "unix:path=/nonexistent/bus" : "unix:path=/etc/passwd"
        let source = BlueZSource(address: address, clock: LiveClock())
        let problem = try #require(source.problem)
        #expect(problem.code == (kind.isEmpty ? .invalidConfiguration : .unreachable))
        #expect(problem.message.contains(kind.isEmpty ? "DBUS_SYSTEM_BUS_ADDRESS" : "bluez"))
        let log = BeaconEventLog()
        let subscription = source.subscribe(log.receive)
        #expect(log.wait(for: 1))
        #expect(log.texts == ["lost \(problem.code)"])
        subscription.cancel()
    }
}
