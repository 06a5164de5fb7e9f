// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Sets and reads the speed of a serial port, in bits per second.
package enum TTYSpeed {
    /// Returns the termios constant, or `nil` if the speed requires `setArbitrary`.
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

    /// Sets an arbitrary speed. Returns false if the driver cannot set the speed to within 3 %, the maximum deviation
    /// that receivers tolerate.
    static func setArbitrary(_ speed: UInt32, _ descriptor: Int32) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { settings in
            guard let start = settings.baseAddress else { return false }
            settings.initializeMemory(as: UInt8.self, repeating: 0)
            guard systemIoctl(descriptor, getRequest, start) >= 0 else { return false }
            var flags = settings.load(fromByteOffset: controlOffset, as: UInt32.self)
            // With BOTHER, the kernel takes the speed from the two speed members instead of the flags.
            flags = flags & ~(speedMask | speedMask << 16) | customSpeedFlag
            settings.storeBytes(of: flags, toByteOffset: controlOffset, as: UInt32.self)
            settings.storeBytes(of: speed, toByteOffset: inputSpeedOffset, as: UInt32.self)
            settings.storeBytes(of: speed, toByteOffset: inputSpeedOffset + 4, as: UInt32.self)
            guard systemIoctl(descriptor, setRequest, start) >= 0, systemIoctl(descriptor, getRequest, start) >= 0
            else { return false }
            let result = Double(settings.load(fromByteOffset: inputSpeedOffset + 4, as: UInt32.self))
            return abs(result - Double(speed)) <= 0.03 * Double(speed)
        }
    }

    /// Returns the current speed in bits per second, or `nil` if the driver does not report it.
    package static func current(_ descriptor: Int32) -> UInt32? {
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { settings in
            guard let start = settings.baseAddress, systemIoctl(descriptor, getRequest, start) >= 0 else { return nil }
            return settings.load(fromByteOffset: inputSpeedOffset + 4, as: UInt32.self)
        }
    }

    // `struct termios2` consists of four 32-bit flag members, the line discipline (one byte), 19 control characters,
    // and two 32-bit speeds.
    static let size = 44
    static let controlOffset = 8
    static let inputSpeedOffset = 36
    static let getRequest = IOControl.number(.fromKernel, "T", 0x2A, size: size)
    static let setRequest = IOControl.number(.toKernel, "T", 0x2B, size: size)
    static let speedMask: UInt32 = 0x100F
    static let customSpeedFlag: UInt32 = 0x1000
}

/// Serial driver settings that are not part of termios. Most drivers do not support them.
package enum SerialDriver {
    /// Requests low latency, and limits how long close(2) waits for a device that accepts no data. Both settings
    /// persist after the port is closed.
    static func configure(_ descriptor: Int32) {
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { settings in
            guard let start = settings.baseAddress else { return }
            settings.initializeMemory(as: UInt8.self, repeating: 0)
            guard systemIoctl(descriptor, UInt(TIOCGSERIAL), start) >= 0 else { return }
            let flags = settings.load(fromByteOffset: flagsOffset, as: UInt32.self) | lowLatency
            let former = settings.load(fromByteOffset: closingWaitOffset, as: UInt16.self)
            settings.storeBytes(of: flags, toByteOffset: flagsOffset, as: UInt32.self)
            settings.storeBytes(of: closingWait(former), toByteOffset: closingWaitOffset, as: UInt16.self)
            if systemIoctl(descriptor, UInt(TIOCSSERIAL), start) >= 0 { return }
            // Changing the closing wait requires privileges; changing the latency does not.
            settings.storeBytes(of: former, toByteOffset: closingWaitOffset, as: UInt16.self)
            _ = systemIoctl(descriptor, UInt(TIOCSSERIAL), start)
        }
    }

    /// Returns the closing wait to set, in hundredths of a second. The closing wait is the maximum time that close(2)
    /// waits for the driver's output queue to drain.
    ///
    /// - Parameter former: The driver's current closing wait. A value of 0 means an unlimited wait. A value of 65535
    ///   means that close(2) does not wait, so the last bytes would be lost.
    package static func closingWait(_ former: UInt16) -> UInt16 {
        former == 0 ? maximumClosingWait : min(former, maximumClosingWait)
    }

    // `struct serial_struct` begins with eight 32-bit members: type, line, port, irq, flags, xmit_fifo_size,
    // custom_divisor and baud_base. These are followed by close_delay (16 bits), io_type and a reserved byte, hub6 (32
    // bits), closing_wait (16 bits) and pointers. The size is sufficient for 64-bit pointers.
    static let size = 96
    static let flagsOffset = 16
    static let closingWaitOffset = 40
    static let lowLatency: UInt32 = 1 << 13
    private static let maximumClosingWait: UInt16 = 200
}
