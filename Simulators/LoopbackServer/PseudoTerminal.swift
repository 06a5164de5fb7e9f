// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import SystemCalls

/// A pseudo-terminal in the place of a serial port.
package enum PseudoTerminal {
    /// Makes one: its master, which does not block and belongs to the caller, and the path that a program opens.
    ///
    /// Bytes pass as they are, and without echo nothing comes back. Nobody has it open, which poll(2) tells of the master
    /// as a hang-up.
    /// - Parameter owner: what it is for, in the words of an error: "the simulated accessory".
    package static func open(for owner: String) throws(DeviceError) -> (master: Int32, path: String) {
        let master = systemOpen("/dev/ptmx", flags)
        guard master >= 0 else { throw failure("open /dev/ptmx", errno, owner) }
        var off: Int32 = 0
        var number: UInt32 = 0
        // TIOCSPTLCK and TIOCGPTN: what unlockpt and ptsname call.
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
        // A port that was open once is seen to be closed.
        var settings = termios()
        if tcgetattr(slave, &settings) == 0 {
            cfmakeraw(&settings)
            tcsetattr(slave, TCSANOW, &settings)
        }
        close(slave)
        return (master, path)
    }

    private static let flags = O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC

    /// True while nobody has the other end open.
    package static func isHungUp(_ master: Int32) -> Bool {
        var descriptor = pollfd(fd: master, events: 0, revents: 0)
        return poll(&descriptor, 1, 0) > 0 && descriptor.revents & Int16(POLLHUP) != 0
    }

    /// True when a program has read all that was written to the master; nil when the other end cannot be looked at.
    ///
    /// The kernel keeps what there is no room for in a queue behind the terminal's own, and moves it up when a read has
    /// ended. Until it has, poll(2) finds nothing. FIONREAD waits for a read that goes on, and poll(2) for what moves up
    /// after that; only another read, of all that has moved up, can end in between. So all is read when both find nothing
    /// more often than the queue holds the terminal's 4095 bytes.
    package static func isRead(_ path: String) -> Bool? {
        let slave = systemOpen(path, flags)
        guard slave >= 0 else { return nil }
        defer { close(slave) }
        for _ in 0..<looks {
            var count: Int32 = 0
            var descriptor = pollfd(fd: slave, events: Int16(POLLIN), revents: 0)
            guard ioctl(slave, UInt(FIONREAD), &count) == 0 else { return nil }
            guard count == 0, poll(&descriptor, 1, 0) == 0 else { return false }
        }
        return true
    }

    /// The kernel's limit for the queue of a pseudo-terminal is 8 KiB, but buffers hold up to twice what they count, and
    /// the last one may be beyond it: at most 20 KiB, five times 4095 and a little.
    private static let looks = 8

    private static func failure(_ call: String, _ number: Int32, _ owner: String) -> DeviceError {
        let advice =
            switch number {
            case EMFILE, ENFILE: "Too many files are open: allow more with ulimit -n, or simulate fewer at a time."
            case ENOSPC, EIO: "All of the system's are in use: allow more with sysctl kernel.pty.max, or use sockets."
            default: "Mount /dev/pts, or use a socket."
            }
        return DeviceError(
            .notSupported, "There is no pseudo-terminal for \(owner). \(advice)",
            cause: .system(call: call, errno: number))
    }
}

/// Tells when a program has opened one of a simulator's pseudo-terminals: their masters do not.
///
/// One for all of a simulator's, because a user may have few of these.
package final class OpeningWatch: Sendable {
    /// Readable when that has happened; negative where inotify cannot be had.
    package let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))

    package init() {}

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Watches a terminal until it is gone; false when that cannot be.
    package func add(_ path: String) -> Bool {
        descriptor >= 0 && inotify_add_watch(descriptor, path, UInt32(IN_OPEN)) >= 0
    }

    /// Forgets what it has told. The terminals are to be looked at afterwards, so that whoever comes in between is told of
    /// again.
    package func drain() {
        guard descriptor >= 0 else { return }
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
    }
}
