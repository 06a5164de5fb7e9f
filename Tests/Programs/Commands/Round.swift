// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import ByteChannels
import DeviceCore
import SystemCalls

/// One connection: it is opened, used in both directions, and ended by the other side, by this side, or by a request
/// from outside.
enum Round {
    struct Failure: Error {}

    static func run(_ number: Int) throws {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard master >= 0 else { throw Failure() }
        var isOpen = true
        defer { if isOpen { close(master) } }
        var isLocked: Int32 = 0
        var index: Int32 = 0
        // TIOCSPTLCK and TIOCGPTN
        guard ioctl(master, 0x4004_5431, &isLocked) == 0, ioctl(master, 0x8004_5430, &index) == 0 else {
            throw Failure()
        }
        let channel = try ChannelOpener.open(
            .tty(path: "/dev/pts/\(index)", TTYSettings()), clock: LiveClock())
        let changed = BinarySemaphore()
        channel.observe { _ in changed.signal() }
        var byte = UInt8(truncatingIfNeeded: number)
        guard write(master, &byte, 1) == 1 else { throw Failure() }
        while channel.bytesAvailable == 0 { guard changed.wait(seconds: 60) else { throw Failure() } }
        var received: UInt8 = 0
        _ = withUnsafeMutableBytes(of: &received) { channel.read(into: $0) }
        guard received == byte else { throw Failure() }
        _ = withUnsafeBytes(of: &byte) { channel.write($0) }
        guard read(master, &received, 1) == 1, received == byte else { throw Failure() }
        let released = BinarySemaphore()
        channel.whenReleased { released.signal() }
        switch number % 3 {
        case 0:
            close(master)
            isOpen = false
        case 1: channel.close()
        default: channel.end(ByteChannelEnd(.detached))
        }
        guard released.wait(seconds: 60) else { throw Failure() }
        channel.observe(nil)
    }
}
