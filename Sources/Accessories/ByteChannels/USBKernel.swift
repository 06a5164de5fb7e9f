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

/// A bulk transfer as the kernel lays it out, with its buffer.
///
/// The layout is that of struct usbdevfs_urb, which holds two pointers and so has other offsets on 32 bits: type and
/// endpoint in a byte each, status and flags as words, the address of the buffer, its length, the length that was
/// transferred, four words that bulk transfers do not use, and a pointer of the owner's.
package struct USBRequestBlock: @unchecked Sendable {
    private static let pointer = MemoryLayout<UnsafeRawPointer>.size
    static let endpointOffset = 1
    static let statusOffset = 4
    static let flagsOffset = 8
    static let bufferOffset = pointer == 8 ? 16 : 12
    static let lengthOffset = bufferOffset + pointer
    static let transferredOffset = lengthOffset + 4
    /// Bytes of the structure.
    package static let size = lengthOffset + 24 + pointer

    static let bulk: UInt8 = 3
    static let emptyPacketAfterFull: UInt32 = 0x40

    private let block: UnsafeMutableRawPointer
    /// What is sent, or has come in.
    package let buffer: UnsafeMutableRawBufferPointer

    /// A block with a buffer, to be given back with ``free()``.
    init(endpoint: UInt8, capacity: Int) {
        block = .allocate(byteCount: USBRequestBlock.size, alignment: 16)
        buffer = .allocate(byteCount: capacity, alignment: 16)
        block.initializeMemory(as: UInt8.self, repeating: 0, count: USBRequestBlock.size)
        block.storeBytes(of: USBRequestBlock.bulk, as: UInt8.self)
        block.storeBytes(of: endpoint, toByteOffset: USBRequestBlock.endpointOffset, as: UInt8.self)
        block.storeBytes(
            of: UInt(bitPattern: buffer.baseAddress), toByteOffset: USBRequestBlock.bufferOffset, as: UInt.self)
    }

    /// The block that a kernel was given.
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
    /// The endpoint that it is for.
    package var endpoint: UInt8 { block.load(fromByteOffset: USBRequestBlock.endpointOffset, as: UInt8.self) }
    /// True when a full last packet is to be followed by an empty one.
    package var endsWithShortPacket: Bool {
        block.load(fromByteOffset: USBRequestBlock.flagsOffset, as: UInt32.self) & USBRequestBlock.emptyPacketAfterFull
            != 0
    }

    /// Prepares the block for that many bytes of its buffer.
    func prepare(length: Int, endsWithShortPacket: Bool) {
        let flags = endsWithShortPacket ? USBRequestBlock.emptyPacketAfterFull : 0
        block.storeBytes(of: 0, toByteOffset: USBRequestBlock.statusOffset, as: Int32.self)
        block.storeBytes(of: flags, toByteOffset: USBRequestBlock.flagsOffset, as: UInt32.self)
        block.storeBytes(of: Int32(clamping: length), toByteOffset: USBRequestBlock.lengthOffset, as: Int32.self)
        block.storeBytes(of: 0, toByteOffset: USBRequestBlock.transferredOffset, as: Int32.self)
    }

    /// How it went: 0, or an error number below zero.
    package var status: Int32 {
        get { block.load(fromByteOffset: USBRequestBlock.statusOffset, as: Int32.self) }
        nonmutating set { block.storeBytes(of: newValue, toByteOffset: USBRequestBlock.statusOffset, as: Int32.self) }
    }

    /// How many bytes were transferred.
    package var transferred: Int {
        get { Int(block.load(fromByteOffset: USBRequestBlock.transferredOffset, as: Int32.self)) }
        nonmutating set {
            block.storeBytes(
                of: Int32(clamping: newValue), toByteOffset: USBRequestBlock.transferredOffset, as: Int32.self)
        }
    }
}
