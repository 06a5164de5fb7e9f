// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SystemCalls

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

    deinit {
        tcsetattr(descriptor.number, TCSANOW, &former)
    }
}
