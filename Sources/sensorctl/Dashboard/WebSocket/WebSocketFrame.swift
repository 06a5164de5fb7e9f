// SPDX-License-Identifier: Apache-2.0

/// An encoder of server frames: unfragmented and unmasked (RFC 6455, section 5).
enum WebSocketFrame {
    enum Kind: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue >= 8 }
    }

    enum CloseCode: UInt16 {
        case normal = 1000
        case goingAway = 1001
        case protocolError = 1002
        case unsupported = 1003
        case notText = 1007
        case tooLarge = 1009
    }

    static func bytes(_ kind: Kind, _ payload: some Collection<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count + 10)
        begin(kind, count: payload.count, in: &bytes)
        bytes.append(contentsOf: payload)
        return bytes
    }

    static func begin(_ kind: Kind, count: Int, in bytes: inout [UInt8]) {
        bytes.append(0x80 | kind.rawValue)
        if count < 126 {
            bytes.append(UInt8(count))
        } else if count <= 0xFFFF {
            bytes.append(126)
            bytes.append(UInt8(count >> 8))
            bytes.append(UInt8(count & 0xFF))
        } else {
            bytes.append(127)
            for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: UInt64(count) >> (56 - 8 * UInt64(place)))) }
        }
    }

    static func close(_ code: CloseCode) -> [UInt8] {
        bytes(.close, [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)])
    }
}
