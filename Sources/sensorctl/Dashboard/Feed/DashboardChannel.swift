// SPDX-License-Identifier: Apache-2.0

/// A channel of sensor readings to plot on the dashboard.
package struct DashboardChannel: Sendable {
    package let name: String
    package let label: String
    package let unit: String
    /// The names of the axes. A channel has at most four axes.
    package let axes: [String]

    package init(_ name: String, _ label: String, unit: String, axes: [String]) {
        (self.name, self.label, self.unit, self.axes) = (name, label, unit, axes)
    }
}

/// A batch of a channel's readings, in the order they are sent.
struct ReadingBatch: Sendable {
    let axes: Int
    private(set) var times: [Double] = []
    /// The values of all readings, with `axes` values per reading.
    private(set) var values: [Float] = []

    init(axes: Int) { self.axes = axes }

    var count: Int { times.count }

    mutating func append(_ time: Double, _ reading: SIMD4<Float>) {
        times.append(time)
        for axis in 0..<axes { values.append(reading[axis]) }
    }

    mutating func removeAll() {
        times.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
    }

    /// Encodes a range of readings as a binary frame. The header contains the version, the channel, the number of
    /// readings and the time of the first reading. Each reading consists of the time since the first reading and the
    /// values. All numbers are little-endian. `decode.js` reads this format.
    func frame(channel: UInt8, _ range: Range<Int>) -> [UInt8] {
        let size = 16 + range.count * 4 * (1 + axes)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size + 10)
        WebSocketFrame.begin(.binary, count: size, in: &bytes)
        bytes.append(1)
        bytes.append(channel)
        Self.append(UInt16(range.count), to: &bytes)
        Self.append(UInt32(0), to: &bytes)
        let first = range.isEmpty ? 0 : times[range.lowerBound]
        Self.append(first.bitPattern, to: &bytes)
        for index in range {
            Self.append(Float(times[index] - first).bitPattern, to: &bytes)
            for value in values[(index * axes)..<((index + 1) * axes)] { Self.append(value.bitPattern, to: &bytes) }
        }
        return bytes
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
}

/// A ring buffer of a channel's most recent readings.
struct ChannelHistory: Sendable {
    /// The duration of the history, in seconds.
    static let length = 60.0
    /// The minimum interval between stored readings, in seconds. It limits memory use but is short enough to keep every
    /// reading from a 100 Hz sensor.
    private static let spacing = 0.0095
    private static let limit = Int(length / spacing)

    private var ring: [(time: Double, reading: SIMD4<Float>)] = []
    private var oldest = 0

    var last: Double? { ring.isEmpty ? nil : ring[(oldest + ring.count - 1) % ring.count].time }

    /// Adds a reading, unless it follows the previous reading too closely. Gap markers are always added.
    mutating func add(_ time: Double, _ reading: SIMD4<Float>, isGapMarker: Bool = false) {
        if let last, !isGapMarker, time >= last, time < last + Self.spacing { return }
        guard ring.count == Self.limit else { return ring.append((time, reading)) }
        ring[oldest] = (time, reading)
        oldest = (oldest + 1) % ring.count
    }

    mutating func removeAll() {
        ring.removeAll(keepingCapacity: true)
        oldest = 0
    }

    /// Returns the readings from the minute before `now`, oldest first.
    func batch(axes: Int, upTo now: Double) -> ReadingBatch {
        var batch = ReadingBatch(axes: axes)
        for offset in ring.indices {
            let entry = ring[(oldest + offset) % ring.count]
            if entry.time >= now - Self.length { batch.append(entry.time, entry.reading) }
        }
        return batch
    }
}

/// Detects gaps in a stream. A gap is an interval much longer than the usual interval.
package struct GapDetector: Sendable {
    /// An interval counts as a gap if it is longer than this multiple of the usual interval.
    private static let factor = 5.0
    /// The minimum duration of a gap, in seconds.
    private static let minimumDuration = 0.5

    private var last: Double?
    private var typicalInterval: Double?

    package init() {}

    /// Processes the time of a reading, in seconds. If a gap precedes the reading, returns the gap's start and the time
    /// at which charts break their lines.
    package mutating func process(_ time: Double) -> (start: Double, breakTime: Double)? {
        guard let last else {
            self.last = time
            return nil
        }
        let interval = time - last
        self.last = time
        guard interval > 0 else { return nil }
        guard let typicalInterval else {
            self.typicalInterval = interval
            return nil
        }
        if interval > max(Self.minimumDuration, Self.factor * typicalInterval) {
            // A single gap has a limited effect, because it at most doubles the usual interval. If the rate drops
            // permanently, the usual interval adapts within a few gaps.
            self.typicalInterval = min(interval, 2 * typicalInterval)
            return (last, last + min(typicalInterval, interval / 2))
        }
        self.typicalInterval = typicalInterval + (interval - typicalInterval) / 16
        return nil
    }
}
