// SPDX-License-Identifier: Apache-2.0

/// A descriptor that is readable while one of others is: epoll(7).
///
/// Who waits for it need not know who the others are, and they may come and go meanwhile.
package final class WaitSet: Sendable {
    /// Operations of epoll_ctl(2).
    package static let adding: Int32 = 1
    package static let removing: Int32 = 2

    /// For a poll of the owner's own, or to be a member of another set. Reading from it takes nothing away: it fails.
    package let descriptor: Int32

    /// - Parameter owner: What it is for, in the words of the error that no descriptor is left.
    package init(for owner: String) throws(DeviceError) {
        descriptor = epoll_create1(O_CLOEXEC)
        guard descriptor >= 0 else { throw .noDescriptor(for: owner, call: "epoll_create1") }
    }

    deinit { systemClose(descriptor) }

    /// Waits for that one too, until it is readable or at its end; false when the system has no room.
    @discardableResult
    package func add(_ member: Int32) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: EpollEvent.size, alignment: 8) { event in
            event.initializeMemory(as: UInt8.self, repeating: 0)
            event.storeBytes(of: EpollEvent.readable, as: UInt32.self)
            return epoll_ctl(descriptor, Self.adding, member, event.baseAddress) == 0
        }
    }

    /// Has the set become readable anew if that one is so still: some who wait for a set are told of changes only.
    package func tellAgain(_ member: Int32) {
        remove(member)
        add(member)
    }

    /// Waits for that one no more. What has been told is not taken back.
    package func remove(_ member: Int32) { _ = epoll_ctl(descriptor, Self.removing, member, nil) }
}

/// A descriptor that becomes readable when time is up: timerfd_create(2). To set it again wakes nobody.
///
/// Its time goes on in suspend, as CLOCK_BOOTTIME does.
package final class Alarm: Sendable {
    /// For a poll of the owner's own.
    package let descriptor: Int32

    /// - Parameter owner: What it is for, in the words of the error that no descriptor is left.
    package init(for owner: String) throws(DeviceError) {
        descriptor = timerfd_create(Int32(CLOCK_BOOTTIME), O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .noDescriptor(for: owner, call: "timerfd_create") }
    }

    deinit { systemClose(descriptor) }

    /// Time is up so many seconds from now, in place of any time before; never with infinity.
    package func set(seconds: Double) {
        var time = itimerspec()
        if seconds < 1e9 {
            // Zero would be never.
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

/// `struct epoll_event`, which the kernel packs on x86-64 only. It begins with the events.
package enum EpollEvent {
    #if arch(x86_64)
    package static let size = 12
    #else
    package static let size = 16
    #endif
    package static let readable: UInt32 = 1
}

// Headers that the modules of Swift's C libraries leave out.
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
