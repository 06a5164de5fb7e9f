// SPDX-License-Identifier: Apache-2.0

/// Scans in a buffer, and where their time stamps go. Whoever makes one has checked the bounds.
struct IIOScans {
    /// Where the time stamps lie and go.
    struct Stamps {
        /// The first byte within the scan.
        var offset: Int
        var isBigEndian: Bool
        /// Added to each.
        var clockOffset: Int64
        /// Room for one Int64 for each scan.
        var output: UnsafeMutableRawPointer
    }

    /// The first byte of the first scan.
    var start: UnsafeRawPointer
    /// The bytes from one scan to the next.
    var stride: Int
    var count: Int
    /// Nil when there are none, or nobody asks for them.
    var stamps: Stamps?

    /// Copies the time stamps.
    func copyStamps() {
        guard let stamps else { return }
        var source = start + stamps.offset
        var target = stamps.output
        for _ in 0..<count {
            let stored = source.loadUnaligned(as: Int64.self)
            let stamp = stamps.isBigEndian ? Int64(bigEndian: stored) : Int64(littleEndian: stored)
            // A stamp may be anything, so the sum wraps rather than traps.
            target.storeBytes(of: stamp &+ stamps.clockOffset, as: Int64.self)
            source += stride
            target += MemoryLayout<Int64>.stride
        }
    }
}
