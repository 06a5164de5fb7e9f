// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import TestSupport

@testable import BlueZSource

@Suite("D-Bus messages")
struct DBusMessageTests {
    private func framed(_ bytes: [UInt8]) throws -> [DBusMessage] {
        var framer = DBusFramer()
        bytes.withUnsafeBytes { framer.append($0) }
        var messages: [DBusMessage] = []
        while let message = try framer.next() { messages.append(message) }
        return messages
    }

    @Test("Messages recorded from a real bus are decoded")
    func recorded() throws {
        let expected = [
            ("owner", "NameOwnerChanged", "sss"), ("added-adapter", "InterfacesAdded", "oa{sa{sv}}"),
            ("added-device", "InterfacesAdded", "oa{sa{sv}}"), ("heard", "PropertiesChanged", "sa{sv}as"),
            ("strength", "PropertiesChanged", "sa{sv}as"), ("powered", "PropertiesChanged", "sa{sv}as"),
            ("objects", "", "a{oa{sa{sv}}}"), ("removed-device", "InterfacesRemoved", "oas"),
        ]
        for (name, member, signature) in expected {
            let messages = try framed(try Messages.bytes(name))
            #expect(messages.count == 1)
            #expect(messages.first?.member == member && messages.first?.signature == signature, "\(name)")
        }
        let owner = try #require(try framed(try Messages.bytes("owner")).first)
        var values = owner.values
        #expect(owner.sender == "org.freedesktop.DBus" && owner.path == "/org/freedesktop/DBus")
        #expect(try values.string() == "org.bluez")
        #expect(try values.string() == "")
        #expect(try values.string().hasPrefix(":1."))
    }

    @Test("The relevant properties of BlueZ objects are extracted and all others ignored")
    func objects() throws {
        func object(_ name: String) throws -> BlueZObject {
            let message = try DBusMessage(try Messages.bytes(name))
            var values = message.values
            if message.signature == "sa{sv}as" { return try BlueZObject(changes: &values) }
            _ = try values.string()
            return try BlueZObject(interfaces: &values)
        }
        #expect(try object("added-adapter").adapter?.isPowered == true)
        #expect(try object("added-adapter").device == nil)
        #expect(try object("powered").adapter?.isPowered == false)
        #expect(try object("discovering").adapter?.isDiscovering == false)
        // A new device of dbusmock has an RSSI of -79 dBm and manufacturer data of another type.
        let new = try #require(try object("added-device").device)
        #expect(new.rssi == -79 && new.advertisement == nil && !new.hasData)
        let device = try #require(try object("heard").device)
        #expect(device.rssi == -60 && device.hasData)
        #expect(device.advertisement?.identity.uuid.description == "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
        #expect(device.advertisement?.identity.major == 1 && device.advertisement?.identity.minor == 2)
        #expect(try object("strength").device?.rssi == -61)
        #expect(try object("strength").device?.hasData == false)
    }

    @Test("Messages are framed correctly at any read size")
    func truncated() throws {
        let all = try Messages.recorded().map(\.bytes)
        let bytes = all.flatMap { $0 }
        for size in [1, 7, 64, 1000] {
            var framer = DBusFramer()
            var count = 0
            var start = 0
            while start < bytes.count {
                let end = min(start + size, bytes.count)
                bytes[start..<end].withUnsafeBytes { framer.append($0) }
                while try framer.next() != nil { count += 1 }
                start = end
            }
            #expect(count == all.count)
        }
    }

    @Test("An invalid header or length ends the connection")
    func refused() throws {
        #expect(throws: DBusFormatError.self) { try framed(Array("HTTP/1.1 400 Bad Request\r\n".utf8)) }
        var long = try Messages.bytes("heard")
        long.replaceSubrange(4..<8, with: [0xff, 0xff, 0xff, 0x7f])
        #expect(throws: DBusFormatError.self) { try framed(long) }
        var other = try Messages.bytes("heard")
        other[3] = 2
        #expect(throws: DBusFormatError.self) { try framed(other) }
    }

    @Test("Integers in big-endian byte order are decoded")
    func bigEndian() throws {
        var reader = DBusReader([0x01, 0x02, 0xff, 0x0a, 0, 0, 0, 5], in: 0..<8, isBigEndian: true)
        #expect(try reader.uint16() == 0x0102)
        #expect(try reader.int16() == -246)
        #expect(try reader.uint32() == 5)
    }

    @Test("Excessively nested types are rejected")
    func depth() {
        // Each variant contains a variant. A variant's signature has one letter.
        let variants =
            [UInt8](repeating: 0, count: 0) + (0..<4000).flatMap { _ in [1, UInt8(ascii: "v"), 0] as [UInt8] }
        var reader = DBusReader(variants, in: 0..<variants.count, isBigEndian: false)
        #expect(throws: DBusFormatError.self) { try reader.skipVariant() }
        for type in ["(", "a", "a(", "{", "a{", ""] {
            let text = String(repeating: type, count: 200 / max(1, type.count))
            let signature = [UInt8(text.utf8.count)] + Array(text.utf8) + [UInt8](repeating: 0, count: 300)
            var reader = DBusReader(signature, in: 0..<signature.count, isBigEndian: false)
            #expect(throws: DBusFormatError.self) { try reader.skipVariant() }
        }
    }

    @Test("Corrupted messages are decoded or rejected without a crash")
    func corrupted() throws {
        var random = SeededGenerator(seed: 11)
        let recorded = try Messages.recorded()
        var readable = 0
        for round in 0..<4000 {
            var bytes = recorded[round % recorded.count].bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] =
                    round % 3 == 0
                    ? bytes[index] ^ (1 << UInt8.random(in: 0..<8, using: &random))
                    : .random(in: 0...255, using: &random)
            }
            var client = BlueZClient(now: .zero)
            guard let message = try? DBusMessage(bytes) else { continue }
            readable += 1
            try? client.process(message, now: .zero)
            var values = message.values
            _ = try? BlueZObject(interfaces: &values)
            values = message.values
            _ = try? BlueZObject(changes: &values)
        }
        #expect(readable > 400)
    }
}
