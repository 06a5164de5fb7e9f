// SPDX-License-Identifier: Apache-2.0

// Re-exports the C library to all other modules.
#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#endif

// Wrappers for C functions. Inside a type, a method hides the C function of the same name, so the type must call the
// wrapper.

package func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

package func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

/// Sends without raising SIGPIPE and without blocking.
package func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
}

package func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 { open(path, flags, mode) }

/// Releases a flock(2) lock. Closing the descriptor is not enough, because a child process may hold a copy of it until
/// it calls exec(2).
package func systemUnlock(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

package func systemClose(_ descriptor: Int32) {
    // Not retried after EINTR, because Linux closes the descriptor even in that case.
    _ = close(descriptor)
}

/// Calls ioctl(2) and retries after EINTR. Returns the result or a negative error number.
package func systemIoctl(_ descriptor: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32 {
    while true {
        let result = ioctl(descriptor, numericCast(request), argument)
        if result >= 0 { return result }
        if errno != EINTR { return -errno }
    }
}

/// Calls ioctl(2) without an argument and does not retry after EINTR. Returns the result or a negative error number.
package func systemControl(_ descriptor: Int32, _ request: UInt) -> Int32 {
    let result = ioctl(descriptor, numericCast(request))
    return result >= 0 ? result : -errno
}

/// Returns the time of a kernel clock, such as CLOCK_BOOTTIME, in nanoseconds, or nil if the kernel lacks the clock.
///
/// Other modules call this function instead of using `timespec`, because in a module that also imports Dispatch, the
/// members of that type may be unavailable, depending on the order of imports.
package func systemTime(_ clock: clockid_t) -> Int64? {
    var time = timespec()
    guard clock_gettime(clock, &time) == 0 else { return nil }
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

extension UnsafeRawBufferPointer {
    /// Compares the bytes using memcmp(3), because `elementsEqual` takes several times as long.
    package func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let bytes = baseAddress, let others = other.baseAddress else { return true }
        return memcmp(bytes, others, count) == 0
    }
}

package func currentThread() -> UInt {
    #if canImport(Musl)
    UInt(bitPattern: pthread_self())
    #else
    UInt(pthread_self())
    #endif
}
