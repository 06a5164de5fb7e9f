// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

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
