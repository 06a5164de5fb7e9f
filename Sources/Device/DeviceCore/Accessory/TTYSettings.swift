// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// How a serial port is set up.
public struct TTYSettings: Sendable, Hashable {
    /// What becomes of the line "data terminal ready", which resets many boards.
    public enum DTR: String, Sendable, Hashable {
        /// Raised when the port is opened, as every terminal program does, and some firmware waits for. The port drops it
        /// at the last close when it is set up to, which is its default.
        case assert
        /// Not touched after the port is open, and not dropped when it is closed. Opening raises it all the same, the
        /// first time: that the kernel does by itself.
        case leave
    }

    /// Bits a second; nothing to a USB device of the class CDC ACM, and everything to a converter.
    public var speed: UInt32
    /// What becomes of "data terminal ready".
    public var dtr: DTR
    /// True to hold back when the other side's "clear to send" is down.
    public var usesHardwareFlowControl: Bool

    /// 115,200 bits a second, "data terminal ready" raised, no flow control.
    public init(speed: UInt32 = 115_200, dtr: DTR = .assert, usesHardwareFlowControl: Bool = false) {
        self.speed = speed
        self.dtr = dtr
        self.usesHardwareFlowControl = usesHardwareFlowControl
    }
}
