// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The user's input to a session. Used only on the session's thread.
struct TalkInput {
    let descriptor: Descriptor
    private let lineEnd: TalkOptions.LineEnd?
    private let isRaw: Bool
    /// The bytes that have been read but not yet sent.
    private(set) var pending: [UInt8] = []
    private(set) var isAtEnd = false
    /// True if the user typed ``TalkOptions/escape`` in raw mode.
    private(set) var isExitRequested = false

    init(_ descriptor: Descriptor, plan: TalkOptions) {
        self.descriptor = descriptor
        lineEnd = plan.lineEnd
        isRaw = plan.isRaw
    }

    var wantsInput: Bool { pending.isEmpty && !isAtEnd }

    /// Reads the available bytes. Call this only if the descriptor is readable.
    mutating func read() {
        switch descriptor.readSome(atMost: 16_384) {
        case .bytes(let bytes): append(bytes)
        case .end: isAtEnd = true
        // EINTR and EAGAIN do not end the input. Any other error does, for example because the terminal was closed.
        case .failed(let number): isAtEnd = ![EINTR, EAGAIN].contains(number)
        }
    }

    private mutating func append(_ bytes: [UInt8]) {
        var bytes = bytes[...]
        if isRaw, let index = bytes.firstIndex(of: TalkOptions.escape) {
            bytes = bytes[..<index]
            isAtEnd = true
            isExitRequested = true
        }
        guard let lineEnd, lineEnd != .lf else {
            pending.append(contentsOf: bytes)
            return
        }
        for byte in bytes { if byte == 10 { pending.append(contentsOf: lineEnd.bytes) } else { pending.append(byte) } }
    }

    mutating func drop(_ count: Int) { pending.removeFirst(min(count, pending.count)) }
}

/// Keeps a terminal's input in raw mode while this object exists. Output is processed as usual.
final class TalkTerminal {
    private let descriptor: Descriptor
    private var former: termios

    init?(_ descriptor: Descriptor) {
        var current = termios()
        guard tcgetattr(descriptor.number, &current) == 0 else { return nil }
        self.descriptor = descriptor
        former = current
        current.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG | IEXTEN)
        current.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR | IXON | ISTRIP | BRKINT | INPCK)
        withUnsafeMutableBytes(of: &current.c_cc) { keys in
            for (key, value) in [(Int(VMIN), UInt8(1)), (Int(VTIME), 0)] where keys.indices.contains(key) {
                keys[key] = value
            }
        }
        guard tcsetattr(descriptor.number, TCSANOW, &current) == 0 else { return nil }
    }

    deinit { tcsetattr(descriptor.number, TCSANOW, &former) }
}
