// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import Trace

/// A peer that sends a pattern, as much as the program reads, and checks nothing that comes in.
///
/// Byte number n, counted from 0 in each session, is what ``byte(at:)`` says: the receiver can tell a lost byte, one too
/// many and one in the wrong place.
public struct PatternPeer: AccessoryPeer {
    private static let pieceLength = 16_384

    private let length: Int64
    private let hangsUp: Bool
    private var sent: Int64 = 0

    /// A peer that sends that many bytes, or goes on until the program closes.
    public init(length: Int64 = .max, hangsUp: Bool = false) {
        self.length = length
        self.hangsUp = hangsUp
    }

    /// Byte number n of the pattern. It repeats after 65,521 bytes, a prime: no buffer is as long.
    public static func byte(at place: Int64) -> UInt8 {
        let place = UInt32(place % 65_521)
        return UInt8(truncatingIfNeeded: place &* 167 &+ place >> 8)
    }

    /// Sends a piece, and the next one when that is gone.
    public mutating func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction] {
        switch event {
        case .opened: sent = 0
        case .woken: break
        case .received, .closed: return []
        }
        let rest = length - sent
        guard rest > 0 else { return hangsUp ? [.hangUp] : [] }
        let count = min(rest, Int64(Self.pieceLength))
        let piece = (sent..<sent + count).map(Self.byte)
        sent += count
        // Asked for behind the piece, so that no more than one is waiting.
        return [.send(piece), .wake(after: 0)]
    }
}

/// A peer that sends back what it receives.
public struct EchoPeer: AccessoryPeer {
    /// An echo.
    public init() {}

    /// Sends back what came in.
    public mutating func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction] {
        if case .received(let bytes) = event { [.send(bytes)] } else { [] }
    }
}

/// A peer that takes everything in and answers nothing; how much that was and its checksum can be asked for.
public final class SinkPeer: AccessoryPeer {
    private let state = Mutex((count: Int64(0), sum: Adler32()))

    /// A sink that has received nothing. All its sessions count together.
    public init() {}

    /// How many bytes have come in.
    public var count: Int64 { state.withLock { $0.count } }

    /// The Adler-32 checksum (RFC 1950) of what has come in.
    public var checksum: UInt32 { state.withLock { $0.sum.value } }

    /// The checksum of bytes that a program wrote, for comparison.
    public static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
        var sum = Adler32()
        for byte in bytes { sum.add(byte) }
        return sum.value
    }

    /// Takes in what came.
    public func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction] {
        guard case .received(let bytes) = event else { return [] }
        state.withLock { state in
            state.count += Int64(bytes.count)
            for byte in bytes { state.sum.add(byte) }
        }
        return []
    }
}

/// RFC 1950, 8.2.
private struct Adler32: Sendable {
    private var first: UInt32 = 1
    private var second: UInt32 = 0

    var value: UInt32 { second << 16 | first }

    mutating func add(_ byte: UInt8) {
        first = (first + UInt32(byte)) % 65_521
        second = (second + first) % 65_521
    }
}
