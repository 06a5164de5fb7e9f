// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// Reads a trace, one event after the other, each with its place on the device's clock.
///
/// The event that comes next is read ahead, because it decides how far the clock may go. It stays where it was decoded
/// until it is handed on. What the trace calls a time is a place here; the device's clock shows the start, the place and
/// the offset, which changes when pauses are shortened, from round to round, and where somebody goes to another place.
struct TraceFeed {
    enum Content {
        /// A position: `position` holds it.
        case position
        case other(GPSDReport)
        /// A line that says nothing, and is there for those who want each line.
        case line
        case lost(DeviceError)
        case regained
        case sensorLost(DeviceError)
        case sensorRegained
        case battery(BatteryReading?)
        case accessory(TraceAccessoryEvent)
        case beacon(BeaconEvent)
        /// Another round begins, in that state.
        case round(TraceState)
    }

    /// The most readings that are handed on together.
    private static let maximumBatch = 1024

    let file: TraceFile
    /// When the event that comes next is due; nil before the first and after the last.
    var time: BootTime?
    /// What it is about, unless it is a motion reading: ``takeSamples(into:)`` takes those.
    var content = Content.line
    /// What kind of event it is: quicker to look at than its content.
    var kind = TraceRecord.Kind.gpsd
    var position = PositionReport()

    let start: BootTime
    let options: PlaybackOptions
    /// Where playback begins and ends, and the longest pause, in nanoseconds of the trace.
    let from: Int64
    let to: Int64
    let maximumGap: Int64?
    /// For each sensor whether it is played; nil when everything is.
    private let sensors: [Bool]?

    /// Nanoseconds by which the receivers' times are moved where the offset is 0.
    let recordedShift: Int64
    /// By how much less they are moved than the device's clock, beyond that: not 0 where somebody has gone to another
    /// place.
    var shiftBase: Int64
    var offset: Int64 = 0

    var reader: TraceReader
    /// What the reader gave last.
    var block = TraceBlock()
    /// How many records of the block have been taken, and the first of its positions that may belong to one that has not.
    var taken = 0
    var nextPosition = 0
    /// What there was to say about the file before the block, and the last line that it is about.
    private var formerWarnings: [TraceWarning] = []
    private var warnedLine = 0
    var decoder = GPSDDecoder()
    var record: TraceRecord?
    /// The line of gpsd that stands in the place of the record's.
    var replacedLine: [UInt8]?
    /// The trace clock of traces without stamps of arrival.
    var reportClock = ReportClock()
    var isAtEnd = false
    /// The place of the event before, or where reading began.
    var lastPlace: Int64
    /// The place of the last event that was passed over on the way to where reading began.
    var passed: Int64 = 0
    var round = RoundRhythm(offset: 0)
    /// How many rounds follow this one; nil without an end.
    var roundsLeft: Int?

    /// - Parameters:
    ///   - start: The device's clock at the start of the trace.
    ///   - shift: Nanoseconds by which the receivers' times are moved.
    ///   - sensors: All sensors of the trace.
    init(
        file: TraceFile, start: BootTime, shift: Int64, options: PlaybackOptions = PlaybackOptions(),
        sensors: [SensorDescription] = []
    ) {
        self.file = file
        self.start = start
        self.options = options
        recordedShift = shift
        shiftBase = shift
        from = Self.place(options.from)
        to = Int64(saturatingSeconds: options.to).map { max(0, $0) } ?? .max
        maximumGap = options.maximumGap.flatMap { $0 > 0 ? Int64(saturatingSeconds: $0) : nil }
        self.sensors = options.streams == .all ? nil : sensors.map { options.streams.contains($0) }
        switch options.rounds {
        case .once: roundsLeft = 0
        case .times(let count): roundsLeft = max(0, count - 1)
        case .endless: roundsLeft = nil
        }
        lastPlace = from
        reader = TraceReader(
            file, readsAhead: options.readsAhead, decodesPositions: options.streams.positions)
    }

    /// Seconds of a trace as a place in it.
    static func place(_ seconds: Double) -> Int64 { seconds > 0 ? Int64(saturatingSeconds: seconds) ?? 0 : 0 }

    var isEndless: Bool { roundsLeft == nil }

    /// Nanoseconds by which the receivers' times are moved now.
    var shift: Int64 { shiftBase.addingSaturated(offset) }

    func bootTime(_ place: Int64) -> BootTime {
        BootTime(nanoseconds: start.nanoseconds.addingSaturated(offset).addingSaturated(place))
    }

    /// What there is to say about the file so far.
    var warnings: [TraceWarning] {
        formerWarnings
            + block.warnings.prefix { isAtEnd || $0.record < taken }.map(\.warning).filter { $0.line > warnedLine }
    }

    /// Reads ahead unless that has been done; the time of the event that comes next, nil at the end.
    mutating func peek() -> BootTime? {
        if time == nil, !isAtEnd { read() }
        return time
    }

    mutating func consume() {
        time = nil
        replacedLine = nil
    }

    /// True when the event that comes next is a line of gpsd, be it one that says nothing.
    var isLine: Bool { kind == .gpsd || kind == .gpsdText }

    /// The motion sensor that the event that comes next is about.
    var sensor: Int? { record?.sensor }

    /// The line of the event that comes next, as it was sent.
    func line() -> [UInt8] {
        if let replacedLine { return replacedLine }
        guard let record else { return [] }
        return file.bytes.withUnsafeBytes { record.line(in: $0) }
    }

    /// Takes the readings of one sensor that came in together: those of the event that comes next, and of the events
    /// behind it as long as they are of the same sensor and time, and the sensor's own time does not go back.
    ///
    /// - Parameter batch: of that sensor; its readings are replaced, and its memory is used again.
    mutating func takeSamples(into batch: inout MotionBatch) {
        guard let first = record, first.kind == .sample, let time = first.time else { return }
        let start = start.nanoseconds.addingSaturated(offset)
        let arrival = start.addingSaturated(time)
        batch.arrival = BootTime(nanoseconds: arrival)
        guard let sample = first.sample else { return }
        let measured = sample.stamp.map { start.addingSaturated($0) } ?? arrival
        // Most often one takes the place of one, which is a good deal quicker than to empty the lists.
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
            taken += 1
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
            taken += 1
            count += 1
            last = measured
        }
    }

    /// The reading that has not been taken yet, if it came in together with that one.
    @inline(__always)
    private mutating func nextSample(with first: TraceRecord, count: Int) -> TraceSample? {
        guard count < Self.maximumBatch, hasRecord(), block.records[taken].time == first.time,
            block.records[taken].sensor == first.sensor
        else { return nil }
        return block.records[taken].sample
    }

    /// True when there is a record that has not been taken; gets more of them when the block is used up.
    @inline(__always)
    mutating func hasRecord() -> Bool { taken < block.records.count || nextBlock() }

    @inline(never)
    private mutating func nextBlock() -> Bool {
        while !block.isLast {
            keepWarnings()
            // Taken out, so that the reader has it alone and can use its memory again.
            block = reader.next(after: exchange(&block, with: TraceBlock()))
            taken = 0
            nextPosition = 0
            if !block.records.isEmpty { return true }
        }
        return false
    }

    /// Remarks are kept once, however often the file is read.
    mutating func keepWarnings() {
        formerWarnings = warnings
        warnedLine = max(warnedLine, formerWarnings.last?.line ?? 0)
    }

    /// True for what somebody has chosen to play.
    @inline(__always)
    func isPlayed(_ record: TraceRecord) -> Bool { sensors == nil || isChosen(record) }

    private func isChosen(_ record: TraceRecord) -> Bool {
        switch record.kind {
        case .gpsd, .gpsdText, .lost, .regained: return options.streams.positions
        case .sample, .sensorLost, .sensorRegained:
            guard let sensors, let sensor = record.sensor else { return false }
            return sensors.indices.contains(sensor) && sensors[sensor]
        case .battery: return options.streams.battery
        case .accessory: return options.streams.accessories
        case .beacon: return options.streams.beacons
        }
    }

    private mutating func read() {
        while hasRecord() {
            let record = block.records[taken]
            taken += 1
            guard isPlayed(record) else { continue }
            self.record = record
            kind = record.kind
            if kind != .sample { decode(record, at: taken - 1) }
            let place = record.time ?? reportClock.elapsed
            guard place <= to else { break }
            if let maximumGap, place.subtractingSaturated(lastPlace) > maximumGap {
                offset = offset.subtractingSaturated(place.subtractingSaturated(lastPlace) - maximumGap)
            }
            lastPlace = place
            time = bootTime(place)
            if kind != .sample { move() }
            if roundsLeft != 0 { noteRhythm(place) }
            return
        }
        if beginRound() { return }
        isAtEnd = true
        record = nil
    }

    private mutating func noteRhythm(_ place: Int64) {
        var isPosition = false
        if kind == .gpsd, case .position = content { isPosition = true }
        round.note(place.addingSaturated(offset), isPosition: isPosition, sensor: kind == .sample ? sensor : nil)
    }
}
