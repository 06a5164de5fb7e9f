// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A pseudo-terminal in the place of a serial port.
package enum PseudoTerminal {
    /// Makes one: its master, which does not block and belongs to the caller, and the path that a program opens.
    ///
    /// Bytes pass as they are, and without echo nothing comes back. Nobody has it open, which poll(2) tells of the master
    /// as a hang-up.
    /// - Parameter owner: what it is for, in the words of an error: "the simulated accessory".
    package static func open(for owner: String) throws(DeviceError) -> (master: Int32, path: String) {
        let master = system_open("/dev/ptmx")
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
        let slave = system_open(path)
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

    /// True while nobody has the other end open.
    package static func isHungUp(_ master: Int32) -> Bool {
        var descriptor = pollfd(fd: master, events: 0, revents: 0)
        return poll(&descriptor, 1, 0) > 0 && descriptor.revents & Int16(POLLHUP) != 0
    }

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

/// The C function, whose name the type's own hides.
private func system_open(_ path: String) -> Int32 {
    open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
}
