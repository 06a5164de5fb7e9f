// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

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
