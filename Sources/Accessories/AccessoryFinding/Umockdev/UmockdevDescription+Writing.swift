// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import JSONBytes

extension UmockdevDescription {
    /// The bytes of the file: for each device its lines and an empty one.
    public var text: [UInt8] {
        var bytes: [UInt8] = []
        for device in devices {
            bytes += "P: \(device.path)\n".utf8
            for entry in device.entries { Self.append(entry, to: &bytes) }
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    private static func append(_ entry: UmockdevDevice.Entry, to bytes: inout [UInt8]) {
        switch entry {
        case .node(let name, let contents):
            bytes += "N: \(name)".utf8
            if let contents {
                bytes.append(UInt8(ascii: "="))
                appendHex(contents, to: &bytes)
            }
        case .link(let name): bytes += "S: \(name)".utf8
        case .property(let name, let value): bytes += "E: \(name)=\(value)".utf8
        case .attribute(let name, let value):
            bytes += "A: \(name)=".utf8
            for byte in value { appendEscaped(byte, to: &bytes) }
        case .binaryAttribute(let name, let value):
            bytes += "H: \(name)=".utf8
            appendHex(value, to: &bytes)
        case .attributeLink(let name, let target): bytes += "L: \(name)=\(target)".utf8
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    private static func appendHex(_ value: [UInt8], to bytes: inout [UInt8]) {
        bytes += HexDigit.text(value).uppercased().utf8
    }

    /// The letters behind the backslash for the bytes from 8 to 13.
    static let escapes = Array("btnvfr".utf8)

    private static func appendEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case 8...13: bytes += [UInt8(ascii: "\\"), escapes[Int(byte - 8)]]
        case UInt8(ascii: "\\"), UInt8(ascii: "\""): bytes += [UInt8(ascii: "\\"), byte]
        case 0x20..<0x7F: bytes.append(byte)
        default:
            bytes.append(UInt8(ascii: "\\"))
            for shift in [6, 3, 0] { bytes.append(UInt8(ascii: "0") + byte >> UInt8(shift) & 7) }
        }
    }
}
