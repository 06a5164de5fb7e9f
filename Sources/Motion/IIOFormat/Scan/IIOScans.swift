// SPDX-License-Identifier: Apache-2.0

/// Scans in a buffer, and the destination of their timestamps. The creator is responsible for checking the bounds.
struct IIOScans {
    /// The position and the destination of the timestamps.
    struct Timestamps {
        /// The offset in the scan, in bytes.
        var offset: Int
        var isBigEndian: Bool
        /// The nanoseconds to add to each timestamp.
        var clockOffset: Int64
        /// A buffer for one `Int64` per scan.
        var output: UnsafeMutableRawPointer
    }

    /// The first byte of the first scan.
    var start: UnsafeRawPointer
    /// The distance from one scan to the next, in bytes.
    var stride: Int
    var count: Int
    /// The timestamps; nil if there are none or they are not requested.
    var timestamps: Timestamps?

    /// Converts the timestamps.
    func convertTimestamps() {
        guard let timestamps else { return }
        var source = start + timestamps.offset
        var target = timestamps.output
        for _ in 0..<count {
            let stored = source.loadUnaligned(as: Int64.self)
            let stamp = timestamps.isBigEndian ? Int64(bigEndian: stored) : Int64(littleEndian: stored)
            // A timestamp can have any value, so the addition wraps around instead of trapping.
            target.storeBytes(of: stamp &+ timestamps.clockOffset, as: Int64.self)
            source += stride
            target += MemoryLayout<Int64>.stride
        }
    }
}
