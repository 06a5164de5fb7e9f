// SPDX-License-Identifier: Apache-2.0

/// Encodes the server's frames, which are unfragmented and unmasked (RFC 6455, section 5).
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
            for index in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: UInt64(count) >> (56 - 8 * UInt64(index)))) }
        }
    }

    static func close(_ code: CloseCode) -> [UInt8] {
        bytes(.close, [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)])
    }
}

/// Decodes a client's frames, which are masked and may be fragmented. Buffers at most one message.
struct WebSocketDecoder {
    /// The maximum size of a message, in bytes.
    static let limit = 4096

    enum Event: Equatable {
        case text([UInt8])
        case ping([UInt8])
        case pong
        case closed(WebSocketFrame.CloseCode)
    }

    private var message: [UInt8]?
    private var isClosed = false

    /// Removes complete frames from the front of `bytes` and returns their events.
    mutating func decode(_ bytes: inout [UInt8]) -> [Event] {
        var events: [Event] = []
        var start = 0
        while !isClosed, let event = next(bytes[start...], &start) { if let event { events.append(event) } }
        bytes.removeFirst(start)
        if isClosed { bytes.removeAll() }
        return events
    }

    /// Decodes the next frame. Returns nil if the frame is incomplete. Returns `.some(nil)` if the frame is complete
    /// but its message continues in another frame.
    private mutating func next(_ bytes: ArraySlice<UInt8>, _ start: inout Int) -> Event?? {
        guard bytes.count >= 2 else { return nil }
        let (first, second) = (bytes[bytes.startIndex], bytes[bytes.startIndex + 1])
        guard first & 0x70 == 0, let kind = WebSocketFrame.Kind(rawValue: first & 0x0F), second & 0x80 != 0 else {
            return end(.protocolError)
        }
        let isLast = first & 0x80 != 0
        var (length, header) = (Int(second & 0x7F), 2)
        if length == 126 {
            guard bytes.count >= 4 else { return nil }
            length = Int(bytes[bytes.startIndex + 2]) << 8 | Int(bytes[bytes.startIndex + 3])
            header = 4
        } else if length == 127 {
            // Any length that requires a 64-bit length field exceeds the limit.
            return end(.tooLarge)
        }
        if kind.isControl, !isLast || length > 125 { return end(.protocolError) }
        guard length + (kind == .continuation ? message?.count ?? 0 : 0) <= Self.limit else { return end(.tooLarge) }
        guard bytes.count >= header + 4 + length else { return nil }
        let mask = Array(bytes[(bytes.startIndex + header)..<(bytes.startIndex + header + 4)])
        let body = bytes[(bytes.startIndex + header + 4)..<(bytes.startIndex + header + 4 + length)]
        let payload = body.enumerated().map { $0.element ^ mask[$0.offset & 3] }
        start += header + 4 + length
        return process(kind, payload, isLast: isLast)
    }

    private mutating func process(_ kind: WebSocketFrame.Kind, _ payload: [UInt8], isLast: Bool) -> Event? {
        switch kind {
        case .ping: return .ping(payload)
        case .pong: return .pong
        case .close: return end(.normal)
        case .binary: return end(.unsupported)
        case .text:
            guard message == nil else { return end(.protocolError) }
            guard isLast else {
                message = payload
                return nil
            }
            return text(payload)
        case .continuation:
            guard let partialMessage = message else { return end(.protocolError) }
            message = isLast ? nil : partialMessage + payload
            return isLast ? text(partialMessage + payload) : nil
        }
    }

    private mutating func text(_ bytes: [UInt8]) -> Event {
        String(validating: bytes, as: UTF8.self) == nil ? end(.notText) : .text(bytes)
    }

    private mutating func end(_ code: WebSocketFrame.CloseCode) -> Event {
        isClosed = true
        return .closed(code)
    }
}
