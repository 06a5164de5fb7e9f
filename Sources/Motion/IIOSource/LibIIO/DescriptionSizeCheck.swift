// SPDX-License-Identifier: Apache-2.0

#if LibIIO
import DeviceCore
import IIOFormat
import SystemCalls

/// Checks the size that a network server announces for its device description. libiio allocates this much memory before
/// receiving the description.
enum DescriptionSizeCheck {
    /// The maximum size of a description, in bytes. This is enough for more than a thousand sensors.
    static let maximumSize = 16 << 20
    /// The timeout for each address of a server, in seconds. libiio uses the same value.
    private static let timeout = 5.0
    private static let maximumAddresses = 8

    /// Returns the address at which the server announced a size, or nil if it announced none. Throws an error only if
    /// the size is too large or the server does not respond in time. libiio reports all other problems.
    @discardableResult static func check(
        _ address: MotionSourceAddress, answerTimeout: Double = timeout
    ) throws(IIOFailure) -> ServerAddress? {
        guard address.backend == .network, let (host, port) = hostAndPort(address.target) else { return nil }
        var response = Response.unreachable
        var count = 0
        var serverAddress: ServerAddress?
        _ = Sockets.resolve(host, port: port) { address in
            response = requestSize(address, until: LiveClock().now.advanced(bySeconds: answerTimeout))
            count += 1
            if case .size = response { serverAddress = ServerAddress(address) }
            return response != .unreachable || count == maximumAddresses
        }
        switch response {
        case .size(let size) where size > maximumSize: throw IIOFailure("PRINT", EFBIG)
        // A timeout must be an error. Otherwise, a server could leave this check unanswered and then announce any size
        // to libiio.
        case .timedOut: throw IIOFailure("PRINT", ETIMEDOUT)
        case .size, .other, .unreachable: return serverAddress
        }
    }

    private enum Response: Equatable {
        case size(Int)
        case other
        case timedOut
        case unreachable
    }

    /// Parses text of the form `host`, `host:port` or `[host]:port`.
    static func hostAndPort(_ text: String) -> (host: String, port: UInt16)? {
        if text.hasPrefix("["), let close = text.firstIndex(of: "]") {
            let port = text[text.index(after: close)...].dropFirst()
            let host = String(text[text.index(after: text.startIndex)..<close])
            return (host, port.isEmpty ? MotionSourceAddress.standardPort : UInt16(port) ?? 0)
        }
        guard let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") else {
            return (text, MotionSourceAddress.standardPort)
        }
        return UInt16(text[text.index(after: colon)...]).map { (String(text[..<colon]), $0) }
    }

    private static func requestSize(_ address: addrinfo, until end: BootTime) -> Response {
        guard let descriptor = ServerAddress(address)?.connect() else { return .unreachable }
        defer { systemClose(descriptor) }
        guard wait(descriptor, POLLOUT, until: end), Sockets.clearPendingError(descriptor) == 0 else {
            return .unreachable
        }
        let request = Array("PRINT\r\n".utf8)
        guard request.withUnsafeBytes({ systemSend(descriptor, $0) }) == request.count else { return .other }
        var digits: [UInt8] = []
        var byte: UInt8 = 0
        // Read byte by byte, to avoid reading the description that follows.
        while digits.count < 20 {
            guard wait(descriptor, POLLIN, until: end) else { return .timedOut }
            guard withUnsafeMutableBytes(of: &byte, { systemRead(descriptor, $0) }) == 1 else { return .other }
            if byte == UInt8(ascii: "\n") { return size(digits[...]) }
            digits.append(byte)
        }
        return .size(.max)
    }

    /// Like libiio, ignores leading whitespace and any text after the number.
    private static func size(_ line: ArraySlice<UInt8>) -> Response {
        let text = line.drop { $0 <= UInt8(ascii: " ") }
        let sign = text.first == UInt8(ascii: "-") || text.first == UInt8(ascii: "+") ? 1 : 0
        let digits = text.dropFirst(sign).prefix(while: IIONumber.isDigit)
        return Int(String(decoding: text.prefix(sign) + digits, as: UTF8.self)).map { .size($0) } ?? .other
    }

    private static func wait(_ descriptor: Int32, _ events: Int32, until end: BootTime) -> Bool {
        while true {
            let remaining = max(0, end.seconds(since: LiveClock().now))
            var state = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let count = poll(&state, 1, Int32(remaining * 1000))
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }
}
#endif
