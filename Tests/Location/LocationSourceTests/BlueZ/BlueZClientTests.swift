// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import BlueZSource

@Suite("BlueZClient")
struct BlueZClientTests {
    private let bluez = ":1.2"

    /// Returns the pending outgoing calls with their serial numbers.
    private func calls(_ client: inout BlueZClient) throws -> [(member: String, serial: UInt32)] {
        var framer = DBusFramer()
        client.drainOutgoing().withUnsafeBytes { framer.append($0) }
        var calls: [(String, UInt32)] = []
        while let call = try framer.next() { calls.append((call.member, call.serial)) }
        return calls
    }

    private func texts(_ client: inout BlueZClient) -> [String] {
        client.drainEvents().map { event in
            switch event {
            case .sighting(let sighting): "\(sighting.identity.minor) \(sighting.rssi.map { "\($0)" } ?? "?")"
            case .lost(let error): "\(error.code)"
            case .regained: "regained"
            }
        }
    }

    /// Returns the recorded reply of `GetManagedObjects` as the reply to another call, sent by `bluez`.
    private func objects(to serial: UInt32) throws -> DBusMessage {
        let recorded = try Messages.bytes("objects")
        // The message ends with its body. The second 32-bit word is the body's length.
        let length = Int(recorded[4]) | Int(recorded[5]) << 8 | Int(recorded[6]) << 16
        return try DBusMessage(
            Messages.reply(
                to: serial, sender: bluez, signature: "a{oa{sa{sv}}}", body: Array(recorded.suffix(length))))
    }

    /// Returns a client that has found the adapter and whose discovery calls are pending.
    private func started() throws -> BlueZClient {
        var client = BlueZClient(now: .zero)
        let first = try calls(&client)
        #expect(first.map(\.member) == ["Hello", "AddMatch", "AddMatch", "AddMatch", "GetManagedObjects"])
        try client.process(try objects(to: first[4].serial), now: .zero)
        for call in first.prefix(4) {
            try client.process(try DBusMessage(Messages.reply(to: call.serial, sender: bluez)), now: .zero)
        }
        #expect(texts(&client).isEmpty)
        return client
    }

    /// Returns a client with discovery in progress.
    private func listening() throws -> BlueZClient {
        var client = try started()
        try reply(&client, now: .zero)
        #expect(texts(&client) == ["regained"])
        #expect(client.deadline.seconds(since: .zero) == BlueZClient.pingInterval)
        return client
    }

    /// Returns a recorded signal as if sent by that sender.
    ///
    /// - Parameter isTrue: True to change the Boolean value at its end from false.
    private func signal(_ name: String, from sender: String? = nil, isTrue: Bool = false) throws -> DBusMessage {
        let recorded = try Messages.bytes(name)
        let message = try DBusMessage(recorded)
        let length = Int(recorded[4]) | Int(recorded[5]) << 8 | Int(recorded[6]) << 16
        var body = Array(recorded.suffix(length))
        // The value precedes the empty array of invalidated properties.
        if isTrue { body[length - 8] = 1 }
        return try DBusMessage(
            Messages.make(
                kind: .signal,
                fields: [
                    (1, "o", .text(message.path)), (2, "s", .text(message.interface)), (3, "s", .text(message.member)),
                    (7, "s", .text(sender ?? bluez)),
                ], signature: message.signature, body: body))
    }

    @Test("A sighting without manufacturer data or RSSI uses the last known values of the beacon")
    func sightings() throws {
        var client = try listening()
        try client.process(try signal("heard"), now: BootTime(nanoseconds: 5))
        try client.process(try signal("strength"), now: BootTime(nanoseconds: 6))
        #expect(texts(&client) == ["2 -60", "2 -61"])
        try client.process(try signal("removed-device"), now: .zero)
        try client.process(try signal("strength"), now: .zero)
        #expect(texts(&client) == [])
    }

    @Test("Signals of other senders than BlueZ are ignored")
    func strangers() throws {
        var client = try listening()
        try client.process(try signal("heard", from: ":1.66"), now: .zero)
        try client.process(try signal("removed-adapter", from: ":1.66"), now: .zero)
        try client.process(try signal("owner", from: ":1.66"), now: .zero)
        #expect(texts(&client) == [])
        #expect(try calls(&client).isEmpty)
    }

    @Test("A removed adapter is reported as lost, and a new adapter is used")
    func adapters() throws {
        var client = try listening()
        try client.process(try signal("removed-adapter"), now: .zero)
        #expect(texts(&client) == ["notFound"])
        #expect(client.deadline == .never)
        try client.process(try signal("added-adapter"), now: .zero)
        let answers = try calls(&client)
        #expect(answers.map(\.member) == ["SetDiscoveryFilter", "StartDiscovery"])
        for call in answers {
            try client.process(try DBusMessage(Messages.reply(to: call.serial, sender: bluez)), now: .zero)
        }
        #expect(texts(&client) == ["regained"])
        try client.process(try signal("powered"), now: .zero)
        #expect(texts(&client) == ["unreachable"])
        #expect(client.deadline == .never)
    }

    /// Answers the discovery calls. The second reply is an error if `error` is set.
    private func reply(_ client: inout BlueZClient, now: BootTime, error: String? = nil) throws {
        let started = try calls(&client)
        #expect(started.map(\.member) == ["SetDiscoveryFilter", "StartDiscovery"])
        for (index, call) in started.enumerated() {
            var bytes = Messages.reply(to: call.serial, sender: bluez)
            if index == 1, let error { bytes = Messages.error(error, to: call.serial, sender: bluez, text: "busy") }
            try client.process(try DBusMessage(bytes), now: now)
        }
    }

    @Test("Interrupted discovery is restarted with exponential backoff until it succeeds")
    func interrupted() throws {
        var client = try listening()
        var now = BootTime.zero
        for _ in 0..<2 {
            try client.process(try signal("discovering"), now: now)
            #expect(client.deadline.seconds(since: now) == 1)
            for delay in [2.0, 4, 8] {
                now = client.deadline
                try client.processTimeouts(now: now)
                try reply(&client, now: now, error: "org.bluez.Error.Failed")
                #expect(texts(&client) == ["inputOutput"])
                #expect(client.deadline.seconds(since: now) == delay)
            }
            now = client.deadline
            try client.processTimeouts(now: now)
            try reply(&client, now: now)
            #expect(texts(&client) == ["regained"])
            #expect(client.deadline.seconds(since: now) == BlueZClient.pingInterval)
        }
    }

    @Test(
        "A failed query of BlueZ's objects is repeated with exponential backoff until it succeeds",
        arguments: [
            ("org.freedesktop.DBus.Error.Failed", ":1.2", "inputOutput", "journalctl -u bluetooth"),
            ("org.freedesktop.DBus.Error.Spawn.ChildExited", "org.freedesktop.DBus", "unreachable", "systemctl start"),
            ("org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus", "permissionDenied", "group bluetooth"),
        ])
    func refusal(name: String, sender: String, word: String, remedy: String) throws {
        var client = BlueZClient(now: .zero)
        let first = try calls(&client)
        let bus = "org.freedesktop.DBus"
        for call in first.dropLast() {
            try client.process(try DBusMessage(Messages.reply(to: call.serial, sender: bus)), now: .zero)
        }
        var now = BootTime.zero
        var serial = try #require(first.last?.serial)
        for delay in [1.0, 2, 4, 8, 16, 32, 60, 60] {
            try client.process(try DBusMessage(Messages.error(name, to: serial, sender: sender)), now: now)
            guard case .lost(let error)? = client.drainEvents().first else {
                Issue.record("no loss")
                return
            }
            #expect("\(error.code)" == word && error.message.contains(remedy))
            #expect(client.deadline.seconds(since: now) == delay)
            try client.processTimeouts(now: now)
            #expect(try calls(&client).isEmpty)
            now = client.deadline
            guard now != .never else { return }
            try client.processTimeouts(now: now)
            let again = try calls(&client)
            #expect(again.map(\.member) == ["GetManagedObjects"])
            serial = try #require(again.first?.serial)
        }
        try client.process(try objects(to: serial), now: now)
        try reply(&client, now: now)
        #expect(texts(&client) == ["regained"])
        #expect(client.deadline.seconds(since: now) == BlueZClient.pingInterval)
    }

    @Test(
        "While BlueZ does not run, the client sends no calls and waits for NameOwnerChanged",
        arguments: ["ServiceUnknown", "NameHasNoOwner"])
    func absence(name: String) throws {
        var client = BlueZClient(now: .zero)
        for call in try calls(&client) {
            let bytes =
                call.member == "GetManagedObjects"
                ? Messages.error("org.freedesktop.DBus.Error." + name, to: call.serial, sender: "org.freedesktop.DBus")
                : Messages.reply(to: call.serial, sender: "org.freedesktop.DBus")
            try client.process(try DBusMessage(bytes), now: .zero)
        }
        #expect(texts(&client) == ["unreachable"])
        #expect(client.deadline == .never)
    }

    @Test("A silent BlueZ is pinged, and the connection fails if it does not reply")
    func ping() throws {
        var client = try listening()
        var now = client.deadline
        try client.processTimeouts(now: now)
        let ping = try #require(try calls(&client).first)
        #expect(ping.member == "Ping")
        now = now.advanced(bySeconds: 5)
        try client.process(try DBusMessage(Messages.reply(to: ping.serial, sender: bluez)), now: now)
        #expect(client.deadline.seconds(since: now) == BlueZClient.pingInterval)
        try client.process(try signal("heard"), now: client.deadline)
        now = client.deadline
        try client.processTimeouts(now: now)
        #expect(try calls(&client).map(\.member) == ["Ping"])
        now = client.deadline
        #expect { try client.processTimeouts(now: now) } throws: { ($0 as? DeviceError)?.code == .silent }
    }

    @Test("The connection fails if the first calls are not answered")
    func silence() throws {
        var client = BlueZClient(now: .zero)
        #expect(client.deadline.seconds == BlueZClient.replyTimeout)
        try client.processTimeouts(now: BootTime(nanoseconds: 1))
        #expect {
            try client.processTimeouts(now: client.deadline)
        } throws: { error in
            (error as? DeviceError)?.message.contains("without a Bluetooth adapter") == true
        }
    }

    @Test(
        "Each D-Bus error is reported with a remedy",
        arguments: [
            ("org.freedesktop.DBus.Error.ServiceUnknown", DeviceError.Code.unreachable, "systemctl start bluetooth"),
            ("org.freedesktop.DBus.Error.AccessDenied", .permissionDenied, "group bluetooth"),
        ])
    func errors(name: String, code: DeviceError.Code, remedy: String) throws {
        var client = BlueZClient(now: .zero)
        let serial = try #require(try calls(&client).last?.serial)
        try client.process(
            try DBusMessage(Messages.error(name, to: serial, sender: "org.freedesktop.DBus", text: "x\u{1b}[2J")),
            now: .zero)
        guard case .lost(let error)? = client.drainEvents().first else {
            Issue.record("no loss")
            return
        }
        #expect(error.code == code)
        #expect(error.message.contains(remedy) && !error.message.contains("\u{1b}"))
    }

    @Test("An adapter that is not ready is reported as powered off")
    func notReady() throws {
        var client = try started()
        try reply(&client, now: .zero, error: "org.bluez.Error.NotReady")
        #expect(texts(&client) == ["unreachable"])
    }

    @Test("Discovery in progress is accepted only if the adapter discovers, and is retried otherwise")
    func inProgress() throws {
        var client = try started()
        var now = BootTime.zero
        for delay in [1.0, 2, 4] {
            try reply(&client, now: now, error: "org.bluez.Error.InProgress")
            #expect(texts(&client) == [])
            #expect(client.deadline.seconds(since: now) == BlueZClient.discoveryTimeout)
            now = client.deadline
            try client.processTimeouts(now: now)
            #expect(texts(&client) == ["inputOutput"])
            #expect(try calls(&client).map(\.member) == ["StopDiscovery"])
            #expect(client.deadline.seconds(since: now) == delay)
            now = client.deadline
            try client.processTimeouts(now: now)
        }
        // Another program has started discovery in the meantime.
        try client.process(try signal("discovering", isTrue: true), now: now)
        try reply(&client, now: now, error: "org.bluez.Error.InProgress")
        #expect(texts(&client) == ["regained"])
        #expect(client.deadline.seconds(since: now) == BlueZClient.pingInterval)
    }

    @Test("No loss is reported if the adapter begins to discover right after an InProgress error")
    func discoveringSoon() throws {
        var client = try listening()
        try client.process(try signal("discovering"), now: .zero)
        let now = client.deadline
        try client.processTimeouts(now: now)
        try reply(&client, now: now, error: "org.bluez.Error.InProgress")
        try client.process(try signal("discovering", isTrue: true), now: now.advanced(bySeconds: 0.01))
        #expect(texts(&client) == [])
        #expect(try calls(&client).isEmpty)
        #expect(client.deadline.seconds(since: now) > 1)
    }

    @Test("The Discovering property confirms discovery even if StartDiscovery is not answered")
    func unacknowledged() throws {
        var client = try started()
        let filter = try #require(try calls(&client).first)
        try client.process(try DBusMessage(Messages.reply(to: filter.serial, sender: bluez)), now: .zero)
        try client.process(try signal("discovering", isTrue: true), now: .zero)
        #expect(texts(&client) == ["regained"])
        #expect(client.deadline.seconds(since: .zero) == BlueZClient.pingInterval)
    }

    @Test("An adapter that begins to discover after a failed start is used immediately")
    func discoveringLater() throws {
        var client = try started()
        try reply(&client, now: .zero, error: "org.bluez.Error.InProgress")
        try client.processTimeouts(now: client.deadline)
        #expect(texts(&client) == ["inputOutput"])
        _ = try calls(&client)
        try client.process(try signal("discovering", isTrue: true), now: .zero)
        #expect(texts(&client) == ["regained"])
        #expect(client.deadline.seconds(since: .zero) == BlueZClient.pingInterval)
    }

    @Test(
        "An adapter with an invalid object path is ignored",
        arguments: ["", "org", "/", "//", "/org/", "/org//hci0", "/org/h ci0", "/org/hci\u{e9}", "/org/bluez/hci0"])
    func path(path: String) throws {
        var client = BlueZClient(now: .zero)
        let serial = try #require(try calls(&client).last?.serial)
        // The reply contains one object with one interface and one property.
        var body = Messages.number(UInt32(path.utf8.count)) + Array(path.utf8) + [0]
        while body.count % 4 != 0 { body.append(0) }
        var interfaces = Messages.number(18) + Array("org.bluez.Adapter1".utf8) + [0]
        while interfaces.count % 4 != 0 { interfaces.append(0) }
        var properties = Messages.number(7) + Array("Powered".utf8) + [0, 1, UInt8(ascii: "b"), 0]
        while properties.count % 4 != 0 { properties.append(0) }
        properties += Messages.number(1)
        // An array of dictionary entries is padded to a multiple of eight bytes after its length.
        func list(_ content: [UInt8], at offset: Int) -> [UInt8] {
            Messages.number(UInt32(content.count)) + ((offset + 4) % 8 == 0 ? [] : [0, 0, 0, 0]) + content
        }
        interfaces += list(properties, at: interfaces.count)
        let entry = body + list(interfaces, at: body.count)
        let message = Messages.reply(
            to: serial, sender: bluez, signature: "a{oa{sa{sv}}}", body: list(entry, at: 0))
        try client.process(try DBusMessage(message), now: .zero)
        let isGood = path == "/org/bluez/hci0"
        #expect(texts(&client) == (isGood ? [] : ["notFound"]))
        #expect(try calls(&client).count == (isGood ? 2 : 0))
    }

    @Test("Beacons that are seen only once occupy bounded memory")
    func flood() throws {
        let advertisement = try #require(BeaconAdvertisement(company: 0x004c, data: AdvertisementTests.airLocate))
        var beacons = BlueZBeacons()
        let device = BlueZObject.Device(rssi: -60, advertisement: advertisement, hasData: true)
        for number in 0..<5000 { _ = beacons.update(device, at: "/\(number)", now: .zero) }
        #expect(beacons.count <= BlueZBeacons.maximumCount)
        // The last beacon is still known, so its RSSI alone is a sighting.
        let strength = BlueZObject.Device(rssi: -50)
        #expect(beacons.update(strength, at: "/4999", now: .zero)?.rssi == -50)
        #expect(beacons.update(strength, at: "/0", now: .zero) == nil)
    }
}
