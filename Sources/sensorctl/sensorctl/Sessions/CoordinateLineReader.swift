// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Reads lines of limited length from standard input. To avoid blocking, check that data is available before reading.
struct CoordinateLineReader {
    enum Outcome {
        case more
        case end
        case failed(errno: Int32)
    }

    private let descriptor: Descriptor
    private var buffer: [UInt8] = []
    /// The index of the first byte that `next` has not returned yet.
    private var start = 0
    /// True while the reader skips the rest of an overlong line.
    private var isTooLong = false
    /// The maximum length of a line, in bytes. It is more than enough for a coordinate.
    private static let maximumLineLength = 256

    init(_ descriptor: Descriptor = .standardInput) { self.descriptor = descriptor }

    /// Waits until data is available. Returns false on timeout.
    func isReadable(withinMilliseconds milliseconds: Int32) -> Bool {
        var wait = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        return poll(&wait, 1, milliseconds) > 0
    }

    mutating func read() -> Outcome {
        switch descriptor.readSome(atMost: 65_536) {
        case .bytes(let bytes):
            buffer.removeFirst(start)
            start = 0
            buffer += bytes
            return .more
        case .end: return .end
        case .failed(let number): return [EINTR, EAGAIN].contains(number) ? .more : .failed(errno: number)
        }
    }

    /// Returns the next line, or nil if no complete line is available. Overlong lines are truncated.
    mutating func next(isAtEnd: Bool) -> String? {
        let rest = buffer[start...]
        if let end = rest.firstIndex(of: 0x0A) {
            start = end + 1
            if isTooLong {
                isTooLong = false
                return next(isAtEnd: isAtEnd)
            }
            return Self.text(rest[..<end])
        }
        guard isAtEnd || rest.count > Self.maximumLineLength else { return nil }
        start = buffer.count
        if isTooLong || rest.isEmpty { return nil }
        isTooLong = !isAtEnd
        return Self.text(rest)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.prefix(maximumLineLength + 1), as: UTF8.self)
    }
}
