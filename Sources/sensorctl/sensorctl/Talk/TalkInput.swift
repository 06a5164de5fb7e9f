// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// What the user, or another program, wants sent.
struct TalkInput {
    let descriptor: Descriptor
    private let lineEnd: TalkPlan.LineEnd?
    private let isRaw: Bool
    /// What was read and is not sent yet.
    private(set) var pending: [UInt8] = []
    /// True when nothing more comes.
    private(set) var isAtEnd = false
    /// True when the user has pressed the key that ends it all.
    private(set) var wantsToLeave = false

    init(_ descriptor: Descriptor, plan: TalkPlan) {
        self.descriptor = descriptor
        lineEnd = plan.lineEnd
        isRaw = plan.isRaw
    }

    /// True when there is room for more, and more may come.
    var isWanted: Bool { pending.isEmpty && !isAtEnd }

    /// Reads once. Called when the descriptor is readable.
    mutating func read() {
        switch descriptor.readSome(atMost: 16_384) {
        case .bytes(let bytes): take(bytes)
        case .end: isAtEnd = true
        // Nothing to be read after all; or a terminal that has gone.
        case .failed(let number): isAtEnd = ![EINTR, EAGAIN].contains(number)
        }
    }

    private mutating func take(_ bytes: [UInt8]) {
        var bytes = bytes[...]
        if isRaw, let index = bytes.firstIndex(of: TalkPlan.escape) {
            bytes = bytes[..<index]
            isAtEnd = true
            wantsToLeave = true
        }
        guard let lineEnd, lineEnd != .lf else {
            pending.append(contentsOf: bytes)
            return
        }
        for byte in bytes { if byte == 10 { pending.append(contentsOf: lineEnd.bytes) } else { pending.append(byte) } }
    }

    /// The first of them have been sent.
    mutating func drop(_ count: Int) { pending.removeFirst(min(count, pending.count)) }
}

/// A terminal whose keys go out as they are typed, for as long as the object lives.
///
/// Output is left as it is, so that a line feed alone still begins a line at its left end.
final class TalkTerminal {
    private let descriptor: Descriptor
    private var former: termios

    /// Nil when it is no terminal.
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
