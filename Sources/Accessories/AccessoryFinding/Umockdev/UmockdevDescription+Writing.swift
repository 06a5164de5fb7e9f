// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

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
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in value {
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 15)])
        }
    }

    private static func appendEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case 8: bytes += "\\b".utf8
        case 9: bytes += "\\t".utf8
        case 10: bytes += "\\n".utf8
        case 11: bytes += "\\v".utf8
        case 12: bytes += "\\f".utf8
        case 13: bytes += "\\r".utf8
        case UInt8(ascii: "\\"), UInt8(ascii: "\""):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0x20..<0x7F: bytes.append(byte)
        default:
            bytes.append(UInt8(ascii: "\\"))
            for shift in [6, 3, 0] { bytes.append(UInt8(ascii: "0") + byte >> UInt8(shift) & 7) }
        }
    }
}
