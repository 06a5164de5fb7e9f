// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Some minutes of recorded readings, compactly: 16 bytes each.
struct RecordedReadings: Sendable {
    /// More readings than this begin the next piece, which bounds what is copied when somebody reads while it grows.
    static let limit = 3000
    /// Nor do two pieces share a start when they are further apart than this, in seconds.
    static let length = 600.0

    /// The number of the first reading.
    let firstIdentifier: UInt64
    /// When the first reading was measured.
    let start: BootTime
    /// The civil time of the first reading.
    let wallStart: WallTime
    /// Microseconds since the first, rising.
    private(set) var offsets: [UInt32] = []
    private var values: [Float] = []

    init(firstIdentifier: UInt64, start: BootTime, wallStart: WallTime) {
        self.firstIdentifier = firstIdentifier
        self.start = start
        self.wallStart = wallStart
    }

    var count: Int { offsets.count }

    /// Adds a reading, unless it needs another piece: this one is full, or the time has gone back or far ahead, or the
    /// civil clock has been set since.
    mutating func add(_ value: SIMD3<Double>, at time: BootTime, wall: WallTime) -> Bool {
        let seconds = time.seconds(since: start)
        guard count < Self.limit, seconds >= 0, seconds < Self.length,
            abs(wall.seconds(since: wallStart) - seconds) < 0.1,
            let offset = UInt32(exactly: (seconds * 1e6).rounded()), offset >= offsets.last ?? 0
        else { return false }
        offsets.append(offset)
        values.append(Float(value.x))
        values.append(Float(value.y))
        values.append(Float(value.z))
        return true
    }

    /// The reading at an index that there is.
    func reading(at index: Int) -> MotionReading {
        let value = SIMD3(Double(values[3 * index]), Double(values[3 * index + 1]), Double(values[3 * index + 2]))
        return MotionReading(value: value, time: start.advanced(bySeconds: Double(offsets[index]) / 1e6))
    }

    /// The civil time of a reading.
    func wallTime(at index: Int) -> WallTime { wallStart.advanced(bySeconds: Double(offsets[index]) / 1e6) }

    /// The indices of the readings from one civil time to another, both included.
    func indices(from start: WallTime, to end: WallTime) -> Range<Int> {
        guard count > 0, wallStart <= end, wallTime(at: count - 1) >= start else { return 0..<0 }
        let lower = offsets.indices.first { wallTime(at: $0) >= start } ?? count
        let upper = offsets.indices.last { wallTime(at: $0) <= end }.map { $0 + 1 } ?? 0
        return lower..<max(lower, upper)
    }
}
