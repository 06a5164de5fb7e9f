// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Speeds of serial ports.
package enum TTYSpeed {
    /// The number that termios uses for a speed; nil for one that it has none for.
    static func constant(_ speed: UInt32) -> speed_t? {
        standard.first { $0.speed == speed }.map { speed_t($0.constant) }
    }

    private static let standard: [(speed: UInt32, constant: Int)] = [
        (50, Int(B50)), (75, Int(B75)), (110, Int(B110)), (134, Int(B134)), (150, Int(B150)), (200, Int(B200)),
        (300, Int(B300)), (600, Int(B600)), (1200, Int(B1200)), (1800, Int(B1800)), (2400, Int(B2400)),
        (4800, Int(B4800)), (9600, Int(B9600)), (19_200, Int(B19200)), (38_400, Int(B38400)), (57_600, Int(B57600)),
        (115_200, Int(B115200)), (230_400, Int(B230400)), (460_800, Int(B460800)), (500_000, Int(B500000)),
        (576_000, Int(B576000)), (921_600, Int(B921600)), (1_000_000, Int(B1000000)), (1_152_000, Int(B1152000)),
        (1_500_000, Int(B1500000)), (2_000_000, Int(B2000000)), (2_500_000, Int(B2500000)),
        (3_000_000, Int(B3000000)), (3_500_000, Int(B3500000)), (4_000_000, Int(B4000000)),
    ]

    /// Sets any speed; false when the port does not come within 3 % of it, which is what a receiver bears.
    static func setArbitrary(_ speed: UInt32, _ descriptor: Int32) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { settings in
            guard let start = settings.baseAddress else { return false }
            settings.initializeMemory(as: UInt8.self, repeating: 0)
            guard systemControl(descriptor, get, start) >= 0 else { return false }
            var flags = settings.load(fromByteOffset: controlOffset, as: UInt32.self)
            // The speed is in a field of its own, for both ways.
            flags = flags & ~(speedMask | speedMask << 16) | other
            settings.storeBytes(of: flags, toByteOffset: controlOffset, as: UInt32.self)
            settings.storeBytes(of: speed, toByteOffset: inputSpeedOffset, as: UInt32.self)
            settings.storeBytes(of: speed, toByteOffset: inputSpeedOffset + 4, as: UInt32.self)
            guard systemControl(descriptor, set, start) >= 0, systemControl(descriptor, get, start) >= 0 else {
                return false
            }
            let result = Double(settings.load(fromByteOffset: inputSpeedOffset + 4, as: UInt32.self))
            return abs(result - Double(speed)) <= 0.03 * Double(speed)
        }
    }

    /// The speed that is set, in bits a second; nil where the driver does not tell.
    package static func current(_ descriptor: Int32) -> UInt32? {
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { settings in
            guard let start = settings.baseAddress, systemControl(descriptor, get, start) >= 0 else { return nil }
            return settings.load(fromByteOffset: inputSpeedOffset + 4, as: UInt32.self)
        }
    }

    // struct termios2: four words of flags, the line discipline in a byte, 19 characters, two speeds.
    static let size = 44
    static let controlOffset = 8
    static let inputSpeedOffset = 36
    static let get = IOControl.number(.fromKernel, "T", 0x2A, size: size)
    static let set = IOControl.number(.toKernel, "T", 0x2B, size: size)
    static let speedMask: UInt32 = 0x100F
    static let other: UInt32 = 0x1000
}

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
    static let size = 96
    static let flagsOffset = 16
    static let closingWaitOffset = 40
    static let lowLatency: UInt32 = 1 << 13
    private static let longestWait: UInt16 = 200
}
