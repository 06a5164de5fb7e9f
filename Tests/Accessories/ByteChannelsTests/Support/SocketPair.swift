// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import ByteChannels
import DeviceCore
import SystemCalls
import Testing

/// A channel over one end of a socket pair. The test holds the other end.
struct SocketPair {
    let peer: Peer
    let channel: NodeChannel
    let watch: Watch

    init(
        clock: any DeviceClock = LiveClock(), capacity: Int = 65_536, tolerance: Double = 0.1,
        reactor: ChannelReactor = .shared, framing: HIDFraming? = nil
    ) throws {
        let type = framing == nil ? SOCK_STREAM : SOCK_SEQPACKET
        let ends = try SocketPair.descriptors(type)
        peer = Peer(ends.0)
        if let framing {
            channel = try NodeChannel(
                HIDPort(descriptor: ends.1, path: "reports", framing: framing), clock: clock, reactor: reactor)
        } else {
            channel = try NodeChannel(
                SocketPort(descriptor: ends.1, path: "pair"), clock: clock, capacity: capacity, tolerance: tolerance,
                reactor: reactor)
        }
        watch = Watch(channel)
    }

    static func descriptors(_ type: __socket_type) throws -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        let flags = SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        try #require(socketpair(AF_UNIX, Int32(type.rawValue | flags), 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    /// Waits until the port has been released. Returns false after a minute.
    func waitForRelease() -> Bool {
        let semaphore = BinarySemaphore()
        channel.whenReleased { semaphore.signal() }
        return semaphore.wait(seconds: 60)
    }

    /// Sends single bytes, each after the channel has received the previous one. Each byte causes at most one wake-up.
    func roundTrips(_ count: Int) -> Bool {
        for round in 0..<count {
            peer.send([UInt8(truncatingIfNeeded: round)])
            guard watch.receive(1) == [UInt8(truncatingIfNeeded: round)] else { return false }
        }
        return true
    }
}
