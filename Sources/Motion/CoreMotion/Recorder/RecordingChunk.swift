// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A piece of a recording. Each reading takes 16 bytes.
struct RecordingChunk: Sendable {
    /// The maximum number of readings in a piece. It limits the amount of data that is copied if a piece grows while it
    /// is read.
    static let maximumCount = 3000
    /// The maximum time between the first and the last reading of a piece, in seconds.
    static let maximumDuration = 600.0

    /// The sequence number of the first reading.
    let firstIdentifier: UInt64
    /// The time of the first reading.
    let start: BootTime
    /// The wall-clock time of the first reading.
    let wallStart: WallTime
    /// The times since the first reading, in microseconds, in ascending order.
    private(set) var offsets: [UInt32] = []
    private var values: [Float] = []

    init(firstIdentifier: UInt64, start: BootTime, wallStart: WallTime) {
        self.firstIdentifier = firstIdentifier
        self.start = start
        self.wallStart = wallStart
    }

    var count: Int { offsets.count }

    /// Adds a reading. Returns false if the reading needs a new piece: this piece is full, the time is earlier than the
    /// last reading or too far from the first, or the wall clock has been set.
    mutating func add(_ value: SIMD3<Double>, at time: BootTime, wall: WallTime) -> Bool {
        let seconds = time.seconds(since: start)
        guard count < Self.maximumCount, seconds >= 0, seconds < Self.maximumDuration,
            abs(wall.seconds(since: wallStart) - seconds) < 0.1,
            let offset = UInt32(exactly: (seconds * 1e6).rounded()), offset >= offsets.last ?? 0
        else { return false }
        offsets.append(offset)
        values.append(Float(value.x))
        values.append(Float(value.y))
        values.append(Float(value.z))
        return true
    }

    /// Returns the reading at a valid index.
    func reading(at index: Int) -> ConvertedReading {
        let value = SIMD3(Double(values[3 * index]), Double(values[3 * index + 1]), Double(values[3 * index + 2]))
        return ConvertedReading(value: value, time: start.advanced(bySeconds: Double(offsets[index]) / 1e6))
    }

    /// Returns the wall-clock time of a reading.
    func wallTime(at index: Int) -> WallTime { wallStart.advanced(bySeconds: Double(offsets[index]) / 1e6) }

    /// Returns the indices of the readings between two wall-clock times, both inclusive.
    func indices(from start: WallTime, to end: WallTime) -> Range<Int> {
        guard count > 0, wallStart <= end, wallTime(at: count - 1) >= start else { return 0..<0 }
        let lower = offsets.indices.first { wallTime(at: $0) >= start } ?? count
        let upper = offsets.indices.last { wallTime(at: $0) <= end }.map { $0 + 1 } ?? 0
        return lower..<max(lower, upper)
    }
}
