// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import Trace

/// A peer that ignores received bytes and sends a pattern as fast as the program reads.
///
/// The value of each byte depends only on its offset, so the receiver can detect lost, extra and misplaced bytes.
public struct PatternPeer: AccessoryPeer {
    private static let chunkLength = 16_384
    private let length: Int64
    private let hangsUp: Bool
    private var sent: Int64 = 0

    /// Creates a peer that sends `length` bytes. If `hangsUp` is true, it hangs up after the last byte. With the
    /// default length, it sends bytes until the session is closed.
    public init(length: Int64 = .max, hangsUp: Bool = false) {
        self.length = length
        self.hangsUp = hangsUp
    }

    /// Returns the byte at an offset. The pattern repeats every 65,521 bytes. No common buffer size is a multiple of
    /// this number, so a lost or repeated buffer changes the pattern.
    public static func byte(at offset: Int64) -> UInt8 {
        let offset = UInt32(offset % 65_521)
        return UInt8(truncatingIfNeeded: offset &* 167 &+ offset >> 8)
    }

    /// Sends the next chunk of the pattern.
    public mutating func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction] {
        switch event {
        case .opened: sent = 0
        case .timerFired: break
        case .received, .closed: return []
        }
        let rest = length - sent
        guard rest > 0 else { return hangsUp ? [.hangUp] : [] }
        let count = min(rest, Int64(Self.chunkLength))
        let chunk = (sent..<sent + count).map(Self.byte)
        sent += count
        // The timer fires after these bytes have been sent. Only then is the next chunk sent, so at most one chunk is
        // pending.
        return [.send(chunk), .setTimer(after: .zero)]
    }
}

/// A peer that sends back all received bytes.
public struct EchoPeer: AccessoryPeer {
    /// Creates an echo peer.
    public init() {}

    /// Sends back received bytes.
    public mutating func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction] {
        if case .received(let bytes) = event { [.send(bytes)] } else { [] }
    }
}

/// A peer that sends nothing. It counts received bytes and computes their checksum.
public final class SinkPeer: AccessoryPeer {
    private let state = Mutex((count: Int64(0), sum: Adler32()))

    /// Creates a sink. All sessions share the count and the checksum.
    public init() {}

    /// The number of bytes received.
    public var count: Int64 { state.withLock { $0.count } }
    /// The Adler-32 checksum (RFC 1950) of the received bytes.
    public var checksum: UInt32 { state.withLock { $0.sum.value } }

    /// Returns the checksum of the bytes that a program wrote, for comparison with ``checksum``.
    package static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
        var sum = Adler32()
        for byte in bytes { sum.add(byte) }
        return sum.value
    }

    /// Counts the received bytes and updates the checksum.
    public func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction] {
        guard case .received(let bytes) = event else { return [] }
        state.withLock { state in
            state.count += Int64(bytes.count)
            for byte in bytes { state.sum.add(byte) }
        }
        return []
    }
}

private struct Adler32: Sendable {
    private var first: UInt32 = 1
    private var second: UInt32 = 0
    var value: UInt32 { second << 16 | first }

    mutating func add(_ byte: UInt8) {
        first = (first + UInt32(byte)) % 65_521
        second = (second + first) % 65_521
    }
}
