// SPDX-License-Identifier: Apache-2.0

/// An epoll(7) instance. Its descriptor is readable while any of its members is readable. Members may be added and
/// removed at any time.
package final class EpollSet: Sendable {
    /// The operations of epoll_ctl(2).
    package static let addOperation: Int32 = 1
    package static let deleteOperation: Int32 = 2

    /// The descriptor to poll or to add to another set. Reading from this descriptor fails.
    package let descriptor: Int32

    /// - Parameter owner: The purpose of the set. Used in the error message if the process runs out of file
    ///   descriptors.
    package init(for owner: String) throws(DeviceError) {
        descriptor = epoll_create1(O_CLOEXEC)
        guard descriptor >= 0 else { throw .noDescriptor(for: owner, call: "epoll_create1") }
    }

    deinit { systemClose(descriptor) }

    /// Adds a descriptor. Returns false if epoll_ctl(2) fails.
    @discardableResult package func add(_ member: Int32) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: EpollEvent.size, alignment: 8) { event in
            event.initializeMemory(as: UInt8.self, repeating: 0)
            event.storeBytes(of: EpollEvent.readable, as: UInt32.self)
            return epoll_ctl(descriptor, Self.addOperation, member, event.baseAddress) == 0
        }
    }

    /// Notifies edge-triggered waiters again if the member is still readable.
    package func rearm(_ member: Int32) {
        remove(member)
        add(member)
    }

    /// Removes a descriptor. Events that have already been returned are not affected.
    package func remove(_ member: Int32) { _ = epoll_ctl(descriptor, Self.deleteOperation, member, nil) }
}

/// A timerfd_create(2) descriptor that becomes readable when the timer expires. The timer uses CLOCK_BOOTTIME, which
/// continues during suspend. Setting a new time does not wake a waiting thread.
package final class TimerFD: Sendable {
    package let descriptor: Int32

    package init(for owner: String) throws(DeviceError) {
        descriptor = timerfd_create(Int32(CLOCK_BOOTTIME), O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .noDescriptor(for: owner, call: "timerfd_create") }
    }

    deinit { systemClose(descriptor) }

    /// Sets the timer to expire after the given number of seconds. Infinity disarms the timer.
    package func set(seconds: Double) {
        var time = itimerspec()
        if seconds < 1e9 {
            // Zero would disarm the timer.
            let nanoseconds = Int64(max(1e-9, seconds) * 1e9)
            time.it_value.tv_sec = time_t(nanoseconds / 1_000_000_000)
            time.it_value.tv_nsec = numericCast(nanoseconds % 1_000_000_000)
        }
        _ = withUnsafeBytes(of: &time) { timerfd_settime(descriptor, 0, $0.baseAddress, nil) }
    }
}

extension DeviceError {
    fileprivate static func noDescriptor(for owner: String, call: String) -> DeviceError {
        DeviceError(
            .busy, "No file descriptor is left for \(owner). Raise the limit of open files (ulimit -n).",
            cause: .system(call: call, errno: errno))
    }
}

/// The layout of `struct epoll_event`, which is packed on x86-64 only. Its first member is `events`.
package enum EpollEvent {
    #if arch(x86_64)
    package static let size = 12
    #else
    package static let size = 16
    #endif
    package static let readable: UInt32 = 1
}

// The Swift modules of the C libraries lack these functions.
@_silgen_name("epoll_create1")
private func epoll_create1(_ flags: Int32) -> Int32

@_silgen_name("epoll_ctl")
private func epoll_ctl(_ set: Int32, _ operation: Int32, _ member: Int32, _ event: UnsafeMutableRawPointer?) -> Int32

@_silgen_name("timerfd_create")
private func timerfd_create(_ clock: Int32, _ flags: Int32) -> Int32

@_silgen_name("timerfd_settime")
private func timerfd_settime(
    _ descriptor: Int32, _ flags: Int32, _ time: UnsafeRawPointer?, _ former: UnsafeMutableRawPointer?
) -> Int32

/// Lets other threads interrupt a wait in poll(2).
package final class WakeupPipe: Sendable {
    /// The descriptor for the owner to poll. The descriptor is readable while a wakeup is pending.
    package let readEnd: Int32
    private let writeEnd: Int32

    package init(for owner: String) throws(DeviceError) {
        var ends: [Int32] = [-1, -1]
        // socketpair(2) creates the descriptors with the close-on-exec flag, so a concurrent fork cannot leak them.
        let result = socketpair(AF_UNIX, SocketType.stream.nonBlockingCloseOnExec, 0, &ends)
        guard result == 0 else { throw .noDescriptor(for: owner, call: "socketpair") }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Ends the current wait or, if no thread is waiting, the next wait.
    package func signal() {
        var byte: UInt8 = 1
        // A failure can be ignored: sending fails only if wakeups are already pending.
        _ = send(writeEnd, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    package func drain() {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            while read(readEnd, buffer.baseAddress, buffer.count) == buffer.count {}
        }
    }

    /// Waits until a wakeup is signaled, the socket is ready or the timeout has passed. A negative timeout waits
    /// indefinitely. Returns true if the socket is ready.
    package func wait(for socket: Int32?, events: Int16, milliseconds: Int32) -> Bool {
        var descriptors = (
            pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0), pollfd(fd: socket ?? -1, events: events, revents: 0)
        )
        let ready = withUnsafeMutablePointer(to: &descriptors) { pointer in
            pointer.withMemoryRebound(to: pollfd.self, capacity: 2) { poll($0, 2, milliseconds) }
        }
        guard ready > 0 else { return false }
        if descriptors.0.revents != 0 { drain() }
        return descriptors.1.revents != 0
    }
}
