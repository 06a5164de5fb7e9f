// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// A reader of trace events that converts their times to the device's clock. Used only by the thread that has claimed
/// the player. After `peek()` has returned a time, the player consumes the event with `readSamples(into:isWanted:)` if
/// `sampledSensor` is not nil, and otherwise with `next(into:through:includesLine:)`.
///
/// The device's clock must not advance beyond the time of the next event. Therefore, the feed decodes the next event in
/// advance and stores it until it is delivered. A `traceTime` counts nanoseconds since the start of the trace. The
/// corresponding time on the device's clock is the sum of `start`, `traceTime` and `offset`. The offset changes when a
/// pause is shortened, when a pass begins, and when the player seeks.
struct TraceFeed {
    private static let maximumBatch = 1024
    let file: TraceFile
    /// The time of the next event, or nil before the event has been read and at the end of the trace.
    var time: BootTime?
    /// The next event, unless it consists of motion samples.
    var event = PlaybackEvent()
    /// The next event's record, or nil at the start of a pass and at the end of the trace.
    var record: TraceRecord?
    let start: BootTime
    let options: PlaybackOptions
    /// The start and end of playback and the maximum pause, in nanoseconds of trace time.
    let from: Int64
    let to: Int64
    let maximumGap: Int64?
    /// An array with true for each sensor that is played, or nil if the whole trace is played.
    private let isSensorPlayed: [Bool]?
    /// For each sensor, its ID on the device, or nil if the device does not include it.
    let sensorIDs: [SensorDescription.ID?]
    /// The amount by which the receivers' times are initially shifted, in nanoseconds.
    let recordedShift: Int64
    /// The shift of the receivers' times minus `offset`, in nanoseconds. Only a seek changes it.
    var shiftBase: Int64
    var offset: Int64 = 0
    var records: TraceBlockCursor
    var decoder = GPSDDecoder()
    /// The clock to use if the trace has no arrival times.
    var reportClock = ReportClock()
    /// The trace time of the last event read or, if no event has been read yet, the trace time at which reading starts.
    var lastTraceTime: Int64
    var loopTiming = LoopTiming(offset: 0)
    /// The number of passes after the current pass, or nil for unlimited passes.
    var remainingLoops: Int?

    /// Creates a feed. `start` is the time on the device's clock at the start of the trace. `shift` is the initial
    /// shift of the receivers' times in nanoseconds. `sensors` lists all sensors in the trace, and `sensorIDs` their
    /// IDs on the device.
    init(
        file: TraceFile, start: BootTime, shift: Int64, options: PlaybackOptions, sensors: [SensorDescription],
        sensorIDs: [SensorDescription.ID?]
    ) {
        (self.file, self.start, self.options, self.sensorIDs) = (file, start, options, sensorIDs)
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
        records = TraceBlockCursor(
            TraceReader(file, readsAhead: options.readsAhead, decodesPositions: options.streams.positions))
    }

    /// Converts seconds to a trace time in nanoseconds. Negative values and NaN become 0.
    static func traceTime(_ seconds: Double) -> Int64 { seconds > 0 ? Int64(saturatingSeconds: seconds) ?? 0 : 0 }

    /// The amount by which the receivers' times are currently shifted, in nanoseconds.
    var shift: Int64 { shiftBase.addingSaturated(offset) }

    /// Converts a trace time to a time on the device's clock. The result is never `.never`, because the player treats
    /// `.never` as the end of the trace.
    func bootTime(_ traceTime: Int64) -> BootTime {
        BootTime(nanoseconds: min(start.nanoseconds.addingSaturated(offset).addingSaturated(traceTime), .max - 1))
    }

    var warnings: [TraceWarning] { records.warnings }

    /// Returns the time of the next event, or nil at the end of playback. Reads the event if necessary.
    mutating func peek() -> BootTime? {
        if time == nil, !records.isAtEnd { read() }
        return time
    }

    /// If the next event consists of motion samples, the index of their sensor, or -1 if the sensor is unknown.
    /// Otherwise nil. Inlined, because a call would copy the whole feed.
    @inline(__always)
    var sampledSensor: Int? {
        guard let record, case .sample = record.kind else { return nil }
        return record.sensor ?? -1
    }

    /// Consumes the next event and stores it in `event`. If the filter replaces the event, returns the replacements;
    /// otherwise, returns nil. Motion samples require a filter and are always returned as events instead of being
    /// stored in `event`.
    mutating func next(
        into event: inout PlaybackEvent, through filter: PlaybackFilter?, includesLine: Bool
    ) -> [TraceEvent]? {
        if let filter, sampledSensor != nil { return readSampleEvents().flatMap { filter.apply($0) ?? [$0] } }
        time = nil
        swap(&event, &self.event)
        event.line = nil
        if let record, record.kind == .gpsd || record.kind == .gpsdText, includesLine || filter != nil {
            event.line = file.bytes.withUnsafeBytes { record.line(in: $0) }
        }
        guard let filter, let recorded = event.traceEvent(at: lastTraceTime) else { return nil }
        return filter.apply(recorded)
    }

    /// Consumes samples that arrived together: the next sample and those immediately after it with the same sensor and
    /// arrival time. If a sample was measured earlier than the preceding one, the batch ends before that sample. If
    /// `isWanted` is true, the samples replace the contents of the batch. Returns false if the next event does not
    /// consist of samples.
    @discardableResult
    mutating func readSamples(into batch: inout MotionBatch, isWanted: Bool) -> Bool {
        time = nil
        guard let first = record, let traceTime = first.time, let sample = first.sample else { return false }
        let start = start.nanoseconds.addingSaturated(offset)
        let arrival = start.addingSaturated(traceTime)
        var last = sample.stamp.map { start.addingSaturated($0) } ?? arrival
        if isWanted {
            batch.arrival = BootTime(nanoseconds: arrival)
            // The batch usually contains one sample. Overwriting that sample is faster than clearing the arrays.
            if batch.values.count == 1, batch.times.count == 1 {
                batch.values[0] = sample.value
                batch.times[0] = BootTime(nanoseconds: last)
            } else {
                batch.values.removeAll(keepingCapacity: true)
                batch.times.removeAll(keepingCapacity: true)
                batch.values.append(sample.value)
                batch.times.append(BootTime(nanoseconds: last))
            }
        }
        var count = 1
        while count < Self.maximumBatch, let sample = records.nextSample(with: first) {
            let measured = sample.stamp.map { start.addingSaturated($0) } ?? arrival
            guard measured >= last else { break }
            records.consumeRecord()
            count += 1
            last = measured
            guard isWanted else { continue }
            batch.values.append(sample.value)
            batch.times.append(BootTime(nanoseconds: measured))
        }
        return true
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
        while records.hasRecord() {
            let record = records.next
            guard isPlayed(record) else {
                records.consumeRecord()
                continue
            }
            self.record = record
            if record.kind != .sample { decode(record) }
            records.consumeRecord()
            let traceTime = record.time ?? reportClock.elapsed
            guard traceTime <= to else { break }
            if let maximumGap, traceTime.subtractingSaturated(lastTraceTime) > maximumGap {
                offset = offset.subtractingSaturated(traceTime.subtractingSaturated(lastTraceTime) - maximumGap)
            }
            lastTraceTime = traceTime
            time = bootTime(traceTime)
            if record.kind != .sample { event.shiftTime(by: shift) }
            if remainingLoops != 0 { updateLoopTiming(record, at: traceTime) }
            return
        }
        if beginLoop() { return }
        records.isAtEnd = true
        record = nil
    }

    private mutating func updateLoopTiming(_ record: TraceRecord, at traceTime: Int64) {
        var isPosition = false
        if record.kind == .gpsd, case .position = event.content { isPosition = true }
        loopTiming.record(
            traceTime.addingSaturated(offset), isPosition: isPosition,
            sensor: record.kind == .sample ? record.sensor : nil)
    }
}
