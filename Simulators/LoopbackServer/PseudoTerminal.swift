// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import SystemCalls

package enum PseudoTerminal {
    /// Opens a pseudo-terminal in raw mode without echo. Returns the non-blocking master, which the caller must close,
    /// and the path of the slave. Until a program opens the slave, poll(2) reports POLLHUP on the master.
    package static func open(for owner: String) throws(DeviceError) -> (master: Int32, path: String) {
        let master = systemOpen("/dev/ptmx", flags)
        guard master >= 0 else { throw failure("open /dev/ptmx", errno, owner) }
        var off: Int32 = 0
        var number: UInt32 = 0
        // The numbers are TIOCSPTLCK and TIOCGPTN, the requests issued by unlockpt(3) and ptsname(3).
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
        // poll(2) reports POLLHUP on the master only after the slave has been opened and closed once.
        var settings = termios()
        if tcgetattr(slave, &settings) == 0 {
            cfmakeraw(&settings)
            tcsetattr(slave, TCSANOW, &settings)
        }
        close(slave)
        return (master, path)
    }

    private static let flags = O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC

    package static func isHungUp(_ master: Int32) -> Bool {
        var descriptor = pollfd(fd: master, events: 0, revents: 0)
        return poll(&descriptor, 1, 0) > 0 && descriptor.revents & Int16(POLLHUP) != 0
    }

    /// Returns true if a program has read all bytes written to the master, or nil if the slave cannot be examined.
    ///
    /// Unread bytes can be in two places: in the terminal's 4095-byte read buffer, and in a queue from which the kernel
    /// refills the buffer after each read. Before a refill, poll(2) reports no input even if the queue contains bytes,
    /// so one check is not enough.
    ///
    /// If a check finds no input even though the queue contains bytes, the program has just emptied the buffer. This
    /// can happen only as often as the queue can refill the buffer, which is less than `checkCount`. Therefore, if no
    /// check finds input, the program has read all bytes.
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

    /// The number of checks in `hasReadAllInput`. It must be greater than the number of times that the queue can fill
    /// the read buffer, which is about five. The kernel limits the queue to 8 KiB, but it may count only half of each
    /// block, and the last block may exceed the limit. The queue can therefore hold up to 20 KiB.
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

/// Reports when a program opens a pseudo-terminal or directory. poll(2) on a terminal's master does not report this. A
/// simulator uses one instance for all its terminals, because the number of inotify instances per user is limited.
package final class OpenWatcher: Sendable {
    /// The inotify descriptor, or a negative number if inotify is not available.
    package let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))

    package init() {}

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Watches a terminal or directory. Returns false if it cannot be watched.
    package func add(_ path: String) -> Bool {
        descriptor >= 0 && inotify_add_watch(descriptor, path, UInt32(IN_OPEN)) >= 0
    }

    /// Discards pending events. The caller must check the terminals after this call, not before.
    package func drain() {
        guard descriptor >= 0 else { return }
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
    }
}
