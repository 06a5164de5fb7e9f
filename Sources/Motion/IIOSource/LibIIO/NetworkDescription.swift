// SPDX-License-Identifier: Apache-2.0

#if LibIIO
import DeviceCore
import SystemCalls

/// The description of its devices that a server on the network announces.
///
/// libiio makes room for as many bytes as the server says, before it has seen one of them.
enum NetworkDescription {
    /// The most bytes of a description: more than a thousand sensors have.
    static let maximumSize = 16 << 20
    /// Seconds that each address of a server has for saying the size: as many as libiio gives it.
    private static let patience = 5.0
    /// More addresses of one host are not asked.
    private static let maximumAddresses = 8

    /// Throws when the server announces more than a description has. What else is wrong, libiio finds.
    ///
    /// - Returns: Where the server has answered; nil where only libiio finds it, or it says something else.
    @discardableResult
    static func check(
        _ address: MotionSourceAddress, patience: Double = patience
    ) throws(IIOFailure) -> ServerPlace? {
        guard address.backend == .network, let (host, port) = place(address.place) else { return nil }
        var answer = Answer.unreachable
        var count = 0
        var found: ServerPlace?
        _ = Sockets.resolve(host, port: port) { address in
            answer = ask(address, until: LiveClock().now.advanced(bySeconds: patience))
            count += 1
            if case .size = answer { found = ServerPlace(address) }
            return answer != .unreachable || count == maximumAddresses
        }
        switch answer {
        case .size(let size) where size > maximumSize: throw IIOFailure("PRINT", EFBIG)
        // It may be silent now and say anything to the next one who asks.
        case .silent: throw IIOFailure("PRINT", ETIMEDOUT)
        case .size, .other, .unreachable: return found
        }
    }

    private enum Answer: Equatable {
        case size(Int)
        /// What is no size: libiio says what is wrong.
        case other
        case silent
        case unreachable
    }

    /// The host and the port of `host`, `host:port`, `[host]:port`.
    static func place(_ text: String) -> (host: String, port: UInt16)? {
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

    /// What the server answers to PRINT before the description: its size.
    private static func ask(_ address: addrinfo, until end: BootTime) -> Answer {
        guard let descriptor = ServerPlace(address)?.connect() else { return .unreachable }
        defer { systemClose(descriptor) }
        guard wait(descriptor, POLLOUT, until: end), Sockets.takeError(descriptor) == 0 else { return .unreachable }
        let request = Array("PRINT\r\n".utf8)
        guard request.withUnsafeBytes({ systemSend(descriptor, $0) }) == request.count else { return .other }
        var digits: [UInt8] = []
        var byte: UInt8 = 0
        // One by one: a few, and what comes behind them is not wanted.
        while digits.count < 20 {
            guard wait(descriptor, POLLIN, until: end) else { return .silent }
            guard withUnsafeMutableBytes(of: &byte, { systemRead(descriptor, $0) }) == 1 else { return .other }
            if byte == UInt8(ascii: "\n") { return size(digits[...]) }
            digits.append(byte)
        }
        // As many characters have more than any size, whatever they are.
        return .size(.max)
    }

    /// What libiio takes a line for: blanks, a number, and whatever stands behind it.
    private static func size(_ line: ArraySlice<UInt8>) -> Answer {
        let text = line.drop { $0 <= UInt8(ascii: " ") }
        let sign = text.first == UInt8(ascii: "-") || text.first == UInt8(ascii: "+") ? 1 : 0
        let digits = text.dropFirst(sign).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return Int(String(decoding: text.prefix(sign) + digits, as: UTF8.self)).map { .size($0) } ?? .other
    }

    private static func wait(_ descriptor: Int32, _ events: Int32, until end: BootTime) -> Bool {
        while true {
            let left = max(0, end.seconds(since: LiveClock().now))
            var state = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let count = poll(&state, 1, Int32(left * 1000))
            // A signal is no answer.
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }
}

/// Where a server listens, as the resolver has said: it is not asked again for each connection.
struct ServerPlace: Sendable {
    private let family: Int32
    private let bytes: [UInt8]

    init?(_ address: addrinfo) {
        guard let pointer = address.ai_addr else { return nil }
        family = address.ai_family
        bytes = Array(UnsafeRawBufferPointer(start: pointer, count: Int(address.ai_addrlen)))
    }

    /// A socket that connects, for the caller to wait for and to close; nil when that cannot be begun.
    func connect() -> Int32? {
        let descriptor = Sockets.open(family, .stream)
        guard descriptor >= 0 else { return nil }
        let result = bytes.withUnsafeBytes { bytes -> Int32 in
            guard let start = bytes.baseAddress else { return -1 }
            return Sockets.connect(descriptor, start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        if result == 0 || errno == EINPROGRESS { return descriptor }
        systemClose(descriptor)
        return nil
    }
}
#endif
