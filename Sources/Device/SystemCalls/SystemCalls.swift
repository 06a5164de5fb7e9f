// SPDX-License-Identifier: Apache-2.0

// The C library of the system, by whatever name: everything else imports this module.
#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#endif

// The C functions under names that no method hides.

package func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

package func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

/// Never raises SIGPIPE, never waits.
package func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
}

package func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 { open(path, flags, mode) }

/// Lets go of a lock of flock(2). Closing does not while a child between fork(2) and exec(2) has the descriptor too.
package func systemUnlock(_ descriptor: Int32) {
    _ = flock(descriptor, LOCK_UN)
}

package func systemClose(_ descriptor: Int32) {
    // Not again after EINTR: on Linux the descriptor is gone all the same.
    _ = close(descriptor)
}

/// The result, or an error number below zero.
package func systemControl(_ descriptor: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32 {
    while true {
        let result = ioctl(descriptor, numericCast(request), argument)
        if result >= 0 { return result }
        if errno != EINTR { return -errno }
    }
}

/// The same without an argument, and not again after EINTR.
package func systemControl(_ descriptor: Int32, _ request: UInt) -> Int32 {
    let result = ioctl(descriptor, numericCast(request))
    return result >= 0 ? result : -errno
}

extension UnsafeRawBufferPointer {
    /// True when the others are the same bytes. Collections compare one byte after the other, which takes several times as
    /// long.
    package func isSame(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let bytes = baseAddress, let others = other.baseAddress else { return true }
        return memcmp(bytes, others, count) == 0
    }
}

/// Which thread this is, as a number.
package func currentThread() -> UInt {
    #if canImport(Musl)
    UInt(bitPattern: pthread_self())
    #else
    UInt(pthread_self())
    #endif
}
