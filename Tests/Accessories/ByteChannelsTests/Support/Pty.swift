// SPDX-License-Identifier: Apache-2.0

import SystemCalls
import Testing

/// A pseudo-terminal. The test holds the master, and the other side has a path like a serial port.
struct Pty {
    let master: Peer
    let path: String

    init() throws {
        let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(descriptor >= 0)
        // TIOCSPTLCK and TIOCGPTN replace unlockpt() and ptsname(), which are not available in Swift.
        var isLocked: Int32 = 0
        try #require(ioctl(descriptor, 0x4004_5431, &isLocked) == 0)
        var number: Int32 = 0
        try #require(ioctl(descriptor, 0x8004_5430, &number) == 0)
        path = "/dev/pts/\(number)"
        master = Peer(descriptor)
    }

    /// Opens another descriptor of the port, in addition to the channel's.
    func slave() throws -> Int32 {
        let descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        try #require(descriptor >= 0)
        return descriptor
    }
}
