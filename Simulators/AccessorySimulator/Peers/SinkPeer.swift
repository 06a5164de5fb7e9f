// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import Trace

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
