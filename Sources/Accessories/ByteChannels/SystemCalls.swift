// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SystemCalls

// The C functions under names that methods called read, write and the like do not hide.

func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

/// Never raises SIGPIPE, never waits.
func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
}

func systemOpen(_ path: String, _ flags: Int32) -> Int32 {
    open(path, flags)
}

func systemSocket(_ family: Int32, _ type: Int32, _ number: Int32) -> Int32 {
    socket(family, type, number)
}

func systemClose(_ descriptor: Int32) {
    // Not again after EINTR: on Linux the descriptor is gone all the same.
    _ = close(descriptor)
}

/// The result, or an error number below zero.
func systemControl(_ descriptor: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32 {
    while true {
        let result = ioctl(descriptor, numericCast(request), argument)
        if result >= 0 { return result }
        if errno != EINTR { return -errno }
    }
}

func systemControl(_ descriptor: Int32, _ request: UInt) -> Int32 {
    let result = ioctl(descriptor, numericCast(request))
    return result >= 0 ? result : -errno
}

/// Which thread this is, as a number.
func currentThread() -> UInt {
    #if canImport(Musl)
    UInt(bitPattern: pthread_self())
    #else
    UInt(pthread_self())
    #endif
}
