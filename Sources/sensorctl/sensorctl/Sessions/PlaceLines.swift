// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The lines of standard input, however long they are and however slowly they come.
struct PlaceLines {
    enum Outcome {
        case more
        case end
        case failed(errno: Int32)
    }

    private let descriptor: Descriptor
    private var waiting: [UInt8] = []
    private var start = 0
    /// True while the rest of a line that is too long is passed over.
    private var isTooLong = false
    /// The longest line that is looked at, in bytes. A coordinate is shorter.
    private static let longest = 256

    init(_ descriptor: Descriptor = .standardInput) { self.descriptor = descriptor }

    /// Waits until something can be read, or nothing more will come.
    func isReadable(within milliseconds: Int32) -> Bool {
        var wait = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        return poll(&wait, 1, milliseconds) > 0
    }

    /// Reads once.
    mutating func read() -> Outcome {
        switch descriptor.readSome(atMost: 65_536) {
        case .bytes(let bytes):
            waiting.removeFirst(start)
            start = 0
            waiting += bytes
            return .more
        case .end: return .end
        case .failed(let number): return [EINTR, EAGAIN].contains(number) ? .more : .failed(errno: number)
        }
    }

    /// The next line without its end; nil when it has not come whole. One that is too long is cut off.
    mutating func next(isAtEnd: Bool) -> String? {
        let rest = waiting[start...]
        if let end = rest.firstIndex(of: 0x0A) {
            start = end + 1
            if isTooLong {
                isTooLong = false
                return next(isAtEnd: isAtEnd)
            }
            return Self.text(rest[..<end])
        }
        guard isAtEnd || rest.count > Self.longest else { return nil }
        start = waiting.count
        if isTooLong || rest.isEmpty { return nil }
        isTooLong = !isAtEnd
        return Self.text(rest)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.prefix(longest + 1), as: UTF8.self)
    }
}
