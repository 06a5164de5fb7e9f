// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The kernel's calls for USB devices, so that tests can stand in for them.
package protocol USBKernel: Sendable {
    /// A descriptor, or an error number below zero.
    func open(_ path: String) -> Int32

    /// The result, or an error number below zero.
    func control(_ descriptor: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32

    /// Gives the descriptor back, and with it all that is under way.
    func close(_ descriptor: Int32)
}

/// The kernel itself.
package struct LiveUSBKernel: USBKernel {
    package init() {}

    package func open(_ path: String) -> Int32 {
        let descriptor = systemOpen(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        return descriptor >= 0 ? descriptor : -errno
    }

    package func control(_ descriptor: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32 {
        systemControl(descriptor, request, argument)
    }

    package func close(_ descriptor: Int32) {
        systemClose(descriptor)
    }
}

/// Numbers of ioctl requests, which C makes with macros that Swift cannot see.
enum IOControl {
    enum Direction {
        case none, toKernel, fromKernel
    }

    /// A request with an argument of that size.
    static func number(_ direction: Direction, _ group: Unicode.Scalar, _ number: UInt, size: Int) -> UInt {
        #if arch(powerpc64) || arch(powerpc64le)
        let (none, toKernel, fromKernel): (UInt, UInt, UInt) = (1, 4, 2)
        let directionShift: UInt = 29
        #else
        let (none, toKernel, fromKernel): (UInt, UInt, UInt) = (0, 1, 2)
        let directionShift: UInt = 30
        #endif
        let bits =
            switch direction {
            case .none: none
            case .toKernel: toKernel
            case .fromKernel: fromKernel
            }
        return bits << directionShift | UInt(size) << 16 | UInt(group.value) << 8 | number
    }
}

/// The requests of usbdevice_fs that a channel uses.
package enum USBRequest {
    /// Argument: interface and alternate setting, 32 bits each.
    package static let setInterface = IOControl.number(.fromKernel, "U", 4, size: 8)
    /// Argument: interface in 32 bits, name in 256 bytes.
    package static let getDriver = IOControl.number(.toKernel, "U", 8, size: 260)
    /// Argument: a block, see ``USBRequestBlock``.
    package static let submit = IOControl.number(.fromKernel, "U", 10, size: USBRequestBlock.size)
    /// Argument: a block that is under way. It still has to be reaped.
    package static let discard = IOControl.number(.none, "U", 11, size: 0)
    /// Argument: where to put the address of a block that is done; EAGAIN for none.
    package static let reap = IOControl.number(.toKernel, "U", 13, size: MemoryLayout<UnsafeRawPointer>.size)
    /// Argument: interface, 32 bits.
    package static let claim = IOControl.number(.fromKernel, "U", 15, size: 4)
    /// Argument: interface, 32 bits.
    package static let release = IOControl.number(.fromKernel, "U", 16, size: 4)
}
