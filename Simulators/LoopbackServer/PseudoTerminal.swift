// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import SystemCalls

package enum PseudoTerminal {
    /// Opens a pseudo-terminal in raw mode without echo. Returns the non-blocking master, which the caller owns, and
    /// the path of the slave, which a program opens. Until a program opens the slave, poll(2) reports POLLHUP on the
    /// master.
    package static func open(for owner: String) throws(DeviceError) -> (master: Int32, path: String) {
        let master = systemOpen("/dev/ptmx", flags)
        guard master >= 0 else { throw failure("open /dev/ptmx", errno, owner) }
        var off: Int32 = 0
        var number: UInt32 = 0
        // TIOCSPTLCK and TIOCGPTN, the requests behind unlockpt(3) and ptsname(3).
        guard ioctl(master, 0x4004_5431, &off) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
            let error = failure("ioctl", errno, owner)
            close(master)
            throw error
        }
        let path = "/dev/pts/\(number)"
        let slave = systemOpen(path, flags)
        guard slave >= 0 else {
            let error = failure("open \(path)", errno, owner)
            close(master)
            throw error
        }
        // The slave must be opened and closed once, because poll(2) does not report POLLHUP on the master before that.
        var settings = termios()
        if tcgetattr(slave, &settings) == 0 {
            cfmakeraw(&settings)
            tcsetattr(slave, TCSANOW, &settings)
        }
        close(slave)
        return (master, path)
    }

    private static let flags = O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC

    /// True while no process has the slave open.
    package static func isHungUp(_ master: Int32) -> Bool {
        var descriptor = pollfd(fd: master, events: 0, revents: 0)
        return poll(&descriptor, 1, 0) > 0 && descriptor.revents & Int16(POLLHUP) != 0
    }

    /// Returns true if a program has read all bytes that were written to the master, or nil if the slave cannot be
    /// examined.
    ///
    /// Bytes that do not fit into the terminal's read buffer of 4095 bytes wait in a kernel queue. The kernel moves
    /// them into the read buffer after a read has ended, and poll(2) reports no input until then. FIONREAD waits for a
    /// read in progress, and poll(2) waits for the bytes that are moved afterwards. Between the two calls, only one
    /// more read of a full buffer can end. All bytes have been read if both calls find no input more times than the
    /// queue can fill the buffer.
    package static func hasReadAllInput(_ path: String) -> Bool? {
        let slave = systemOpen(path, flags)
        guard slave >= 0 else { return nil }
        defer { close(slave) }
        for _ in 0..<checkCount {
            var count: Int32 = 0
            var descriptor = pollfd(fd: slave, events: Int16(POLLIN), revents: 0)
            guard ioctl(slave, UInt(FIONREAD), &count) == 0 else { return nil }
            guard count == 0, poll(&descriptor, 1, 0) == 0 else { return false }
        }
        return true
    }

    /// The number of checks in `hasReadAllInput(_:)`, which exceeds the number of times that the kernel's queue can
    /// fill the read buffer. The queue is limited to 8 KiB, but its buffers are up to twice the size that the kernel
    /// counts, and the last buffer may exceed the limit. The queue therefore holds at most 20 KiB, slightly more than
    /// five times 4095 bytes.
    private static let checkCount = 8

    private static func failure(_ call: String, _ number: Int32, _ owner: String) -> DeviceError {
        let advice =
            switch number {
            case EMFILE, ENFILE: "Too many files are open. Raise the limit with ulimit -n, or simulate fewer at a time."
            case ENOSPC, EIO:
                "All pseudo-terminals are in use. Raise the limit with sysctl kernel.pty.max, or use sockets."
            default: "Mount /dev/pts, or use a socket."
            }
        return DeviceError(
            .notSupported, "No pseudo-terminal is available for \(owner). \(advice)",
            cause: .system(call: call, errno: number))
    }
}

/// Reports when a program opens a pseudo-terminal, which poll(2) on the master does not. A simulator uses one instance
/// for all its terminals, because the number of inotify instances per user is limited.
package final class OpenWatcher: Sendable {
    /// The inotify descriptor, which is readable after a terminal has been opened. Negative if inotify is not
    /// available.
    package let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))

    package init() {}

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Watches a terminal until the terminal is removed. Returns false if the terminal cannot be watched.
    package func add(_ path: String) -> Bool {
        descriptor >= 0 && inotify_add_watch(descriptor, path, UInt32(IN_OPEN)) >= 0
    }

    /// Discards pending events. The caller must check the terminals after this call. If a terminal is opened in
    /// between, a new event occurs.
    package func drain() {
        guard descriptor >= 0 else { return }
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
    }
}
