// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The system calls for USB devices. Tests replace them.
package protocol USBKernel: Sendable {
    /// Opens a device node. Returns the descriptor or a negative errno.
    func open(_ path: String) -> Int32

    /// Calls ioctl(2). Returns the result or a negative errno.
    func ioctl(_ descriptor: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32

    func close(_ descriptor: Int32)
}

package struct LiveUSBKernel: USBKernel {
    package init() {}

    package func open(_ path: String) -> Int32 {
        let descriptor = systemOpen(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        return descriptor >= 0 ? descriptor : -errno
    }

    package func ioctl(_ descriptor: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32 {
        systemIoctl(descriptor, request, argument)
    }

    package func close(_ descriptor: Int32) { systemClose(descriptor) }
}

/// Calculates ioctl(2) request numbers. C code uses macros for this purpose, which Swift cannot import.
enum IOControl {
    enum Direction { case none, toKernel, fromKernel }

    /// Returns the request number for an argument of `size` bytes.
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

/// The usbdevice_fs requests that channels use. The directions match the kernel's macros, although some look reversed.
package enum USBRequest {
    /// The argument contains the interface and the alternate setting (32 bits each).
    package static let setInterface = IOControl.number(.fromKernel, "U", 4, size: 8)
    /// The argument consists of the 32-bit interface number and a 256-byte driver name.
    package static let getDriver = IOControl.number(.toKernel, "U", 8, size: 260)
    /// The argument is a ``USBRequestBlock``.
    package static let submit = IOControl.number(.fromKernel, "U", 10, size: USBRequestBlock.size)
    /// Cancels a submitted request block, which is the argument. The block must still be reaped.
    package static let discard = IOControl.number(.none, "U", 11, size: 0)
    /// The kernel stores the address of a completed request block in the argument. Fails with EAGAIN if no block has
    /// completed.
    package static let reap = IOControl.number(.toKernel, "U", 13, size: MemoryLayout<UnsafeRawPointer>.size)
    /// The argument is the 32-bit interface number.
    package static let claim = IOControl.number(.fromKernel, "U", 15, size: 4)
    /// The argument is the 32-bit interface number.
    package static let release = IOControl.number(.fromKernel, "U", 16, size: 4)
}

/// A bulk transfer and its buffer, in the kernel's memory layout.
///
/// The layout is that of `struct usbdevfs_urb`, which consists of the type and endpoint (one byte each), status and
/// flags (32 bits each), the address and length of the buffer, the transferred length, four 32-bit members that bulk
/// transfers do not use, and a pointer for the caller. The offsets depend on the pointer size.
package struct USBRequestBlock: @unchecked Sendable {
    private static let pointer = MemoryLayout<UnsafeRawPointer>.size
    static let endpointOffset = 1
    static let statusOffset = 4
    static let flagsOffset = 8
    static let bufferOffset = pointer == 8 ? 16 : 12
    static let lengthOffset = bufferOffset + pointer
    static let transferredOffset = lengthOffset + 4
    package static let size = lengthOffset + 24 + pointer

    static let bulk: UInt8 = 3
    static let zeroPacketFlag: UInt32 = 0x40

    private let block: UnsafeMutableRawPointer
    package let buffer: UnsafeMutableRawBufferPointer

    /// Allocates a block and its buffer. The caller must free them with ``free()``.
    init(endpoint: UInt8, capacity: Int) {
        block = .allocate(byteCount: USBRequestBlock.size, alignment: 16)
        buffer = .allocate(byteCount: capacity, alignment: 16)
        block.initializeMemory(as: UInt8.self, repeating: 0, count: USBRequestBlock.size)
        block.storeBytes(of: USBRequestBlock.bulk, as: UInt8.self)
        block.storeBytes(of: endpoint, toByteOffset: USBRequestBlock.endpointOffset, as: UInt8.self)
        block.storeBytes(
            of: UInt(bitPattern: buffer.baseAddress), toByteOffset: USBRequestBlock.bufferOffset, as: UInt.self)
    }

    /// Refers to an existing block, which the caller must not free.
    package init(address: UnsafeMutableRawPointer) {
        block = address
        let buffer = UnsafeMutableRawPointer(
            bitPattern: address.load(fromByteOffset: USBRequestBlock.bufferOffset, as: UInt.self))
        let length = address.load(fromByteOffset: USBRequestBlock.lengthOffset, as: Int32.self)
        self.buffer = UnsafeMutableRawBufferPointer(start: buffer, count: buffer == nil ? 0 : max(0, Int(length)))
    }

    func free() {
        block.deallocate()
        buffer.deallocate()
    }

    var address: UnsafeMutableRawPointer { block }
    package var endpoint: UInt8 { block.load(fromByteOffset: USBRequestBlock.endpointOffset, as: UInt8.self) }
    /// True to send a zero-length packet after a full last packet.
    package var endsWithShortPacket: Bool {
        block.load(fromByteOffset: USBRequestBlock.flagsOffset, as: UInt32.self) & USBRequestBlock.zeroPacketFlag != 0
    }

    func prepare(length: Int, endsWithShortPacket: Bool) {
        let flags = endsWithShortPacket ? USBRequestBlock.zeroPacketFlag : 0
        block.storeBytes(of: 0, toByteOffset: USBRequestBlock.statusOffset, as: Int32.self)
        block.storeBytes(of: flags, toByteOffset: USBRequestBlock.flagsOffset, as: UInt32.self)
        block.storeBytes(of: Int32(clamping: length), toByteOffset: USBRequestBlock.lengthOffset, as: Int32.self)
        block.storeBytes(of: 0, toByteOffset: USBRequestBlock.transferredOffset, as: Int32.self)
    }

    /// The result of the transfer, which is 0 or a negative errno.
    package var status: Int32 {
        get { block.load(fromByteOffset: USBRequestBlock.statusOffset, as: Int32.self) }
        nonmutating set { block.storeBytes(of: newValue, toByteOffset: USBRequestBlock.statusOffset, as: Int32.self) }
    }

    package var transferred: Int {
        get { Int(block.load(fromByteOffset: USBRequestBlock.transferredOffset, as: Int32.self)) }
        nonmutating set {
            block.storeBytes(
                of: Int32(clamping: newValue), toByteOffset: USBRequestBlock.transferredOffset, as: Int32.self)
        }
    }
}
