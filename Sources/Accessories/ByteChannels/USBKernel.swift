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
