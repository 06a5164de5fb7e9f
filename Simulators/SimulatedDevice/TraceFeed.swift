// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// A reader of trace events that converts their times to the device's clock. Used only by the thread that has claimed
/// the player.
///
/// The device's clock must not advance beyond the time of the next event. Therefore, the feed decodes the next event in
/// advance and stores it until it is delivered. A `traceTime` counts nanoseconds since the start of the trace. The
/// corresponding time on the device's clock is the sum of `start`, `traceTime` and `offset`. The offset changes when a
/// pause is shortened, when a pass begins, and during a seek.
struct TraceFeed {
    enum Content {
        /// A position. Its value is in `position`.
        case position
        case other(GPSDReport)
        /// A line that changes no state. Only subscribers to raw lines receive it.
        case line
        case lost(DeviceError)
        case regained
        case sensorLost(DeviceError)
        case sensorRegained
        case battery(BatteryReading?)
        case accessory(TraceAccessoryEvent)
        case beacon(BeaconEvent)
        /// The start of a new pass, with the device's state at that time.
        case loopStart(PlaybackState)
    }

    private static let maximumBatch = 1024
    let file: TraceFile
    /// The time of the next event, or nil before the event has been read and at the end of the trace.
    var time: BootTime?
    /// The content of the next event. For motion samples, use ``readSamples(into:)`` instead.
    var content = Content.line
    /// The kind of the next event. It is cheaper to check than the content.
    var kind = TraceRecord.Kind.gpsd
    var position = PositionReport()
    let start: BootTime
    let options: PlaybackOptions
    /// The start and end of playback and the maximum pause, in nanoseconds of trace time.
    let from: Int64
    let to: Int64
    let maximumGap: Int64?
    /// For each sensor, true if it is played. The array is nil if the whole trace is played.
    private let isSensorPlayed: [Bool]?
    /// The amount by which the receivers' times are initially shifted, in nanoseconds.
    let recordedShift: Int64
    /// The shift of the receivers' times minus `offset`, in nanoseconds. Only a seek changes it.
    var shiftBase: Int64
    var offset: Int64 = 0
    var reader: TraceReader
    var block = TraceBlock()
    /// `consumedCount` is the number of consumed records in the block. `nextPosition` is the index of the next decoded
    /// position.
    var consumedCount = 0
    var nextPosition = 0
    /// `formerWarnings` contains the warnings from earlier blocks. `warnedLine` is the line number of the last one.
    private var formerWarnings: [TraceWarning] = []
    private var warnedLine = 0
    var decoder = GPSDDecoder()
    var record: TraceRecord?
    /// The line to deliver instead of the recorded line, or nil to deliver the recorded line.
    var replacedLine: [UInt8]?
    /// The clock that is used if the trace has no arrival times.
    var reportClock = ReportClock()
    var isAtEnd = false
    /// The trace time of the last event that was read. If no event has been read yet, it is the trace time at which
    /// reading starts.
    var lastTraceTime: Int64
    /// The time of the last event that was skipped when moving to a trace time.
    var lastSkippedTime: Int64 = 0
    var loopTiming = LoopTiming(offset: 0)
    /// The number of passes after the current pass, or nil for unlimited passes.
    var remainingLoops: Int?

    /// Creates a feed. `start` is the time on the device's clock at the start of the trace. `shift` is the initial
    /// shift of the receivers' times in nanoseconds. `sensors` contains all sensors of the trace.
    init(
        file: TraceFile, start: BootTime, shift: Int64, options: PlaybackOptions = PlaybackOptions(),
        sensors: [SensorDescription] = []
    ) {
        (self.file, self.start, self.options) = (file, start, options)
        recordedShift = shift
        shiftBase = shift
        from = Self.traceTime(options.from.inSeconds)
        to = options.to.map { Self.traceTime($0.inSeconds) } ?? .max
        maximumGap = options.maximumGap.flatMap { $0 > .zero ? Int64(saturatingSeconds: $0.inSeconds) : nil }
        isSensorPlayed = options.streams == .all ? nil : sensors.map { options.streams.contains($0) }
        switch options.loops {
        case .once: remainingLoops = 0
        case .times(let count): remainingLoops = max(1, count) - 1
        case .endless: remainingLoops = nil
        }
        lastTraceTime = from
        reader = TraceReader(file, readsAhead: options.readsAhead, decodesPositions: options.streams.positions)
    }

    /// Converts seconds to a trace time in nanoseconds. Negative values and NaN become 0.
    static func traceTime(_ seconds: Double) -> Int64 { seconds > 0 ? Int64(saturatingSeconds: seconds) ?? 0 : 0 }

    var isEndless: Bool { remainingLoops == nil }

    /// The amount by which the receivers' times are currently shifted, in nanoseconds.
    var shift: Int64 { shiftBase.addingSaturated(offset) }

    /// Converts a trace time to a time on the device's clock. The result is never `.never`, because the player treats
    /// `.never` as the end of the trace.
    func bootTime(_ traceTime: Int64) -> BootTime {
        BootTime(nanoseconds: min(start.nanoseconds.addingSaturated(offset).addingSaturated(traceTime), .max - 1))
    }

    var warnings: [TraceWarning] {
        formerWarnings
            + block.warnings.prefix { isAtEnd || $0.record < consumedCount }.map(\.warning).filter {
                $0.line > warnedLine
            }
    }

    /// Returns the time of the next event, which is read if necessary, or nil at the end of playback.
    mutating func peek() -> BootTime? {
        if time == nil, !isAtEnd { read() }
        return time
    }

    mutating func consume() {
        time = nil
        replacedLine = nil
    }

    /// True if the next event is a gpsd line, even if the line changes no state.
    var isLine: Bool { kind == .gpsd || kind == .gpsdText }

    var sensor: Int? { record?.sensor }

    func line() -> [UInt8] {
        if let replacedLine { return replacedLine }
        guard let record else { return [] }
        return file.bytes.withUnsafeBytes { record.line(in: $0) }
    }

    /// Replaces the contents of a batch with samples that arrived together: the next event, and the samples directly
    /// after it that have the same sensor and arrival time. If a sample was measured earlier than the preceding one,
    /// the batch ends before that sample.
    mutating func readSamples(into batch: inout MotionBatch) {
        guard let first = record, first.kind == .sample, let time = first.time else { return }
        let start = start.nanoseconds.addingSaturated(offset)
        let arrival = start.addingSaturated(time)
        batch.arrival = BootTime(nanoseconds: arrival)
        guard let sample = first.sample else { return }
        let measured = sample.stamp.map { start.addingSaturated($0) } ?? arrival
        // Usually, the batch contains one sample, which is replaced with another one. Overwriting it is faster than
        // clearing the arrays.
        if batch.values.count == 1, batch.times.count == 1 {
            batch.values[0] = sample.value
            batch.times[0] = BootTime(nanoseconds: measured)
        } else {
            batch.values.removeAll(keepingCapacity: true)
            batch.times.removeAll(keepingCapacity: true)
            batch.values.append(sample.value)
            batch.times.append(BootTime(nanoseconds: measured))
        }
        var last = measured
        while let sample = nextSample(with: first, count: batch.values.count) {
            let measured = sample.stamp.map { start.addingSaturated($0) } ?? arrival
            guard measured >= last else { return }
            consumedCount += 1
            batch.values.append(sample.value)
            batch.times.append(BootTime(nanoseconds: measured))
            last = measured
        }
    }

    mutating func skipSamples() {
        guard let first = record, first.kind == .sample, let time = first.time else { return }
        var last = first.sample?.stamp ?? time
        var count = 1
        while let sample = nextSample(with: first, count: count) {
            let measured = sample.stamp ?? time
            guard measured >= last else { return }
            consumedCount += 1
            count += 1
            last = measured
        }
    }

    /// Returns the next unconsumed sample if it arrived together with `first`.
    @inline(__always)
    private mutating func nextSample(with first: TraceRecord, count: Int) -> TraceSample? {
        guard count < Self.maximumBatch, hasRecord(), block.records[consumedCount].time == first.time,
            block.records[consumedCount].sensor == first.sensor
        else { return nil }
        return block.records[consumedCount].sample
    }

    /// Reads the next block if necessary.
    @inline(__always)
    mutating func hasRecord() -> Bool { consumedCount < block.records.count || nextBlock() }

    @inline(never)
    private mutating func nextBlock() -> Bool {
        while !block.isLast {
            saveWarnings()
            // The old block is swapped out, so that it is uniquely referenced and the reader can reuse its memory.
            block = reader.next(after: exchange(&block, with: TraceBlock()))
            consumedCount = 0
            nextPosition = 0
            if !block.records.isEmpty { return true }
        }
        return false
    }

    /// Saves the warnings of the current block, so that reading the file again does not repeat them.
    mutating func saveWarnings() {
        formerWarnings = warnings
        warnedLine = max(warnedLine, formerWarnings.last?.line ?? 0)
    }

    @inline(__always)
    func isPlayed(_ record: TraceRecord) -> Bool { isSensorPlayed == nil || isChosen(record) }

    private func isChosen(_ record: TraceRecord) -> Bool {
        switch record.kind {
        case .gpsd, .gpsdText, .lost, .regained: return options.streams.positions
        case .sample, .sensorLost, .sensorRegained:
            guard let isSensorPlayed, let sensor = record.sensor else { return false }
            return isSensorPlayed.indices.contains(sensor) && isSensorPlayed[sensor]
        case .battery: return options.streams.battery
        case .accessory: return options.streams.accessories
        case .beacon: return options.streams.beacons
        }
    }

    private mutating func read() {
        while hasRecord() {
            let record = block.records[consumedCount]
            consumedCount += 1
            guard isPlayed(record) else { continue }
            self.record = record
            kind = record.kind
            if kind != .sample { decode(record, at: consumedCount - 1) }
            let traceTime = record.time ?? reportClock.elapsed
            guard traceTime <= to else { break }
            if let maximumGap, traceTime.subtractingSaturated(lastTraceTime) > maximumGap {
                offset = offset.subtractingSaturated(traceTime.subtractingSaturated(lastTraceTime) - maximumGap)
            }
            lastTraceTime = traceTime
            time = bootTime(traceTime)
            if kind != .sample { shiftTimes() }
            if remainingLoops != 0 { updateLoopTiming(traceTime) }
            return
        }
        if beginLoop() { return }
        isAtEnd = true
        record = nil
    }

    private mutating func updateLoopTiming(_ traceTime: Int64) {
        var isPosition = false
        if kind == .gpsd, case .position = content { isPosition = true }
        loopTiming.record(
            traceTime.addingSaturated(offset), isPosition: isPosition, sensor: kind == .sample ? sensor : nil)
    }
}
