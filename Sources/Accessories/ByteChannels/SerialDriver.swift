// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// What a serial driver can be asked for beyond termios; most drivers know nothing of it.
package enum SerialDriver {
    /// Asks for bytes as soon as they come, and for a close that does not wait long for a device that takes nothing. The
    /// driver keeps both when the port is closed.
    static func tune(_ descriptor: Int32) {
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { settings in
            guard let start = settings.baseAddress else { return }
            settings.initializeMemory(as: UInt8.self, repeating: 0)
            guard systemControl(descriptor, UInt(TIOCGSERIAL), start) >= 0 else { return }
            let flags = settings.load(fromByteOffset: flagsOffset, as: UInt32.self) | lowLatency
            let former = settings.load(fromByteOffset: closingWaitOffset, as: UInt16.self)
            settings.storeBytes(of: flags, toByteOffset: flagsOffset, as: UInt32.self)
            settings.storeBytes(of: closingWait(former), toByteOffset: closingWaitOffset, as: UInt16.self)
            if systemControl(descriptor, UInt(TIOCSSERIAL), start) >= 0 { return }
            // The wait is for administrators; low latency is for all.
            settings.storeBytes(of: former, toByteOffset: closingWaitOffset, as: UInt16.self)
            _ = systemControl(descriptor, UInt(TIOCSSERIAL), start)
        }
    }

    /// How long closing may wait until the hardware has sent what is in its own queue, in hundredths of a second.
    ///
    /// - Parameter former: What was set: 0 for as long as it takes, 65535 for no wait, which would cut the last bytes off.
    package static func closingWait(_ former: UInt16) -> UInt16 {
        former == 0 ? longestWait : min(former, longestWait)
    }

    // struct serial_struct: type, line, port, irq, flags, xmit_fifo_size, custom_divisor, baud_base as words; close_delay
    // as a half; io_type and a reserved byte; hub6 as a word; closing_wait as a half. The rest has pointers: room for 64
    // bits of each.
    private static let size = 96
    private static let flagsOffset = 16
    private static let closingWaitOffset = 40
    private static let lowLatency: UInt32 = 1 << 13
    private static let longestWait: UInt16 = 200
}
