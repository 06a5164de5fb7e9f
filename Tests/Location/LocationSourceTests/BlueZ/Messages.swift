// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import BlueZSource

/// Messages that were recorded from a real bus, by name, and functions that build messages.
enum Messages {
    /// The messages of `messages.txt`.
    static func recorded() throws -> [(name: String, bytes: [UInt8])] {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("messages.txt")
        return try String(contentsOf: path, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
            let columns = $0.split(separator: " ")
            let digits = Array(columns[1].utf8)
            return (
                String(columns[0]),
                stride(from: 0, to: digits.count, by: 2).map {
                    UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16) ?? 0
                }
            )
        }
    }

    /// Returns the first recorded message with that name.
    static func bytes(_ name: String) throws -> [UInt8] { try recorded().first { $0.name == name }?.bytes ?? [] }

    /// Returns a message with these header fields. Each has a code, a type and a value.
    static func make(
        kind: DBusMessage.MessageType, fields: [(UInt8, String, FieldValue)], signature: String = "", body: [UInt8] = []
    ) -> [UInt8] {
        var list: [UInt8] = []
        for (code, type, value) in fields + (signature.isEmpty ? [] : [(8, "g", .signature(signature))]) {
            while list.count % 8 != 0 { list.append(0) }
            list += [code, 1] + Array(type.utf8) + [0]
            switch value {
            case .text(let text): list += number(UInt32(text.utf8.count)) + Array(text.utf8) + [0]
            case .number(let value): list += number(value)
            case .signature(let text): list += [UInt8(text.utf8.count)] + Array(text.utf8) + [0]
            }
        }
        var bytes = [0x6c, kind.rawValue, 0, 1] + number(UInt32(body.count)) + number(9) + number(UInt32(list.count))
        bytes += list
        while bytes.count % 8 != 0 { bytes.append(0) }
        return bytes + body
    }

    enum FieldValue {
        case text(String)
        case number(UInt32)
        case signature(String)
    }

    static func reply(to serial: UInt32, sender: String = ":1.1", signature: String = "", body: [UInt8] = [])
        -> [UInt8]
    {
        make(
            kind: .methodReturn, fields: [(5, "u", .number(serial)), (7, "s", .text(sender))], signature: signature,
            body: body)
    }

    static func error(_ name: String, to serial: UInt32, sender: String = ":1.1", text: String = "") -> [UInt8] {
        make(
            kind: .error, fields: [(4, "s", .text(name)), (5, "u", .number(serial)), (7, "s", .text(sender))],
            signature: "s", body: number(UInt32(text.utf8.count)) + Array(text.utf8) + [0])
    }

    static func number(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
}
