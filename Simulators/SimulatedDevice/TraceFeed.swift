// This source file is part of the swift-device-services project.
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
    /// What an event is about.
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
        /// Another round begins, in that state.
        case round(TraceState)
    }

    /// The most readings that are handed on together.
    private static let maximumBatch = 1024

    let file: TraceFile
    /// When the event that comes next is due; nil before the first and after the last.
    private(set) var time: BootTime?
    /// What it is about, unless it is a motion reading: ``takeSamples(into:)`` takes those.
    private(set) var content = Content.line
    /// What kind of event it is: quicker to look at than its content.
    private(set) var kind = TraceRecord.Kind.gpsd
    /// The position, when it is one.
    var position = PositionReport()

    private let start: BootTime
    private let options: PlaybackOptions
    /// Where playback begins and ends, and the longest pause, in nanoseconds of the trace.
    private let from: Int64
    private let to: Int64
    private let maximumGap: Int64?
    /// For each sensor whether it is played; nil when everything is.
    private let sensors: [Bool]?

    /// Nanoseconds by which the receivers' times are moved where the offset is 0.
    private let recordedShift: Int64
    /// By how much less they are moved than the device's clock, beyond that: not 0 where somebody has gone to another
    /// place.
    private var shiftBase: Int64
    private var offset: Int64 = 0

    private var reader: TraceReader
    /// What the reader gave last.
    private var block = TraceBlock()
    /// How many records of the block have been taken.
    private var taken = 0
    /// What there was to say about the file before the block, and the last line that it is about.
    private var formerWarnings: [TraceWarning] = []
    private var warnedLine = 0
    private var decoder = GPSDDecoder()
    private var record: TraceRecord?
    /// The trace clock, nanoseconds since the start, of traces without stamps of arrival.
    private var elapsed: Int64 = 0
    private var lastTime: WallTime?
    private var isAtEnd = false
    /// The place of the event before, or where reading began.
    private(set) var lastPlace: Int64
    /// The place of the last event that was passed over on the way to where reading began.
    private var passed: Int64 = 0
    private var round = RoundRhythm(offset: 0)
    /// How many rounds follow this one; nil without an end.
    private var roundsLeft: Int?

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
        reader = TraceReader(file, readsAhead: options.readsAhead)
    }

    /// Seconds of a trace as a place in it.
    static func place(_ seconds: Double) -> Int64 {
        seconds > 0 ? Int64(saturatingSeconds: seconds) ?? 0 : 0
    }

    /// True when rounds follow each other without an end.
    var isEndless: Bool { roundsLeft == nil }

    /// Nanoseconds by which the receivers' times are moved now.
    private var shift: Int64 { shiftBase.addingSaturated(offset) }

    private func bootTime(_ place: Int64) -> BootTime {
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

    /// The event has been handed on.
    mutating func consume() {
        time = nil
    }

    // MARK: Going to a place

    /// Goes to where playback begins; the state of there.
    mutating func begin() -> TraceState {
        skip(to: from)
    }

    /// Goes to a place, which the device's clock calls now from here on, while the receivers' times stay those of the
    /// trace; the state of there.
    mutating func seek(to place: Int64, now: BootTime) -> TraceState {
        offset = now.nanoseconds.subtractingSaturated(start.nanoseconds).subtractingSaturated(place)
        shiftBase = recordedShift.subtractingSaturated(offset)
        let state = rewind(to: place)
        // Behind the end there is nothing: it is the end.
        if !hasRecord() { lastPlace = min(place, passed) }
        return state
    }

    private mutating func rewind(to place: Int64) -> TraceState {
        keepWarnings()
        reader = TraceReader(file, readsAhead: options.readsAhead)
        block = TraceBlock()
        taken = 0
        time = nil
        record = nil
        isAtEnd = false
        elapsed = 0
        lastTime = nil
        lastPlace = place
        round = RoundRhythm(offset: offset)
        return skip(to: place)
    }

    /// Passes over what is before the place.
    private mutating func skip(to place: Int64) -> TraceState {
        var state = TraceState(battery: options.streams.battery ? file.header?.battery : nil)
        passed = 0
        while place > 0, hasRecord() {
            let record = block.records[taken]
            if let time = record.time, time >= place { break }
            if record.kind == .sample || !isPlayed(record) {
                taken += 1
                passed = record.time ?? passed
                continue
            }
            self.record = record
            decode(record)
            // The same report again finds the clock where it is.
            if record.time ?? elapsed >= place { break }
            taken += 1
            move()
            passed = record.time ?? elapsed
            note(passed, in: &state)
        }
        record = nil
        return state
    }

    /// What the event that was decoded last makes of the state.
    private func note(_ place: Int64, in state: inout TraceState) {
        switch content {
        case .position:
            var fix = position
            fix.arrival = bootTime(place)
            state.take(fix)
        case .other(.devices(let receivers)): state.receivers = receivers
        case .other(.device(let receiver)): state.take(receiver)
        case .other, .line, .round: break
        case .lost(let error): state.positionLoss = error
        case .regained: state.positionLoss = nil
        case .sensorLost(let error): if let sensor { state.sensorLosses[sensor] = error }
        case .sensorRegained: if let sensor { state.sensorLosses[sensor] = nil }
        case .battery(let battery): state.battery = battery
        case .accessory(let event): state.take(event)
        }
    }

    /// Begins another round, if there is one and the one before was not empty.
    private mutating func beginRound() -> Bool {
        guard roundsLeft != 0, !round.isEmpty else { return false }
        let end: Int64? = to == .max ? nil : min(to.addingSaturated(offset), round.end(atMost: maximumGap))
        offset = round.next(from: from.addingSaturated(round.offset), end: end).subtractingSaturated(from)
        roundsLeft = roundsLeft.map { $0 - 1 }
        let state = rewind(to: from)
        content = .round(state)
        // Of no sensor and no receiver.
        kind = .battery
        time = bootTime(from)
        return true
    }

    /// True when the event that comes next is a line of gpsd, be it one that says nothing.
    var isLine: Bool { kind == .gpsd || kind == .gpsdText }

    /// The motion sensor that the event that comes next is about.
    var sensor: Int? { record?.sensor }

    /// The line of the event that comes next, as it was sent.
    func line() -> [UInt8] {
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

    /// Passes over the same readings.
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
    private mutating func hasRecord() -> Bool {
        taken < block.records.count || nextBlock()
    }

    @inline(never)
    private mutating func nextBlock() -> Bool {
        while !block.isLast {
            keepWarnings()
            block = reader.next(after: block)
            taken = 0
            if !block.records.isEmpty { return true }
        }
        return false
    }

    /// Remarks are kept once, however often the file is read.
    private mutating func keepWarnings() {
        formerWarnings = warnings
        warnedLine = max(warnedLine, formerWarnings.last?.line ?? 0)
    }

    /// True for what somebody has chosen to play.
    @inline(__always)
    private func isPlayed(_ record: TraceRecord) -> Bool {
        sensors == nil || isChosen(record)
    }

    private func isChosen(_ record: TraceRecord) -> Bool {
        switch record.kind {
        case .gpsd, .gpsdText, .lost, .regained: return options.streams.positions
        case .sample, .sensorLost, .sensorRegained:
            guard let sensors, let sensor = record.sensor else { return false }
            return sensors.indices.contains(sensor) && sensors[sensor]
        case .battery: return options.streams.battery
        case .accessory: return options.streams.accessories
        }
    }

    private mutating func read() {
        while hasRecord() {
            let record = block.records[taken]
            taken += 1
            guard isPlayed(record) else { continue }
            self.record = record
            kind = record.kind
            if kind != .sample { decode(record) }
            let place = record.time ?? elapsed
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

    /// Reads what is in a record that is no motion reading.
    private mutating func decode(_ record: TraceRecord) {
        file.bytes.withUnsafeBytes { bytes in
            switch record.kind {
            case .gpsd:
                let line = UnsafeRawBufferPointer(rebasing: bytes[record.range])
                if let report = decoder.decode(line, position: &position) {
                    content = .other(report)
                } else {
                    content = .position
                    if record.time == nil { follow() }
                }
                if !options.streams.names.isEmpty { rename(by: options.streams.names) }
            case .gpsdText: content = .line
            case .lost:
                content = .lost(record.loss(in: bytes) ?? DeviceError(.connectionLost, "The position source was lost."))
            case .regained: content = .regained
            // Taken as they are.
            case .sample: break
            case .sensorLost:
                content = .sensorLost(record.loss(in: bytes) ?? DeviceError(.connectionLost, "The sensor was lost."))
            case .sensorRegained: content = .sensorRegained
            case .battery: content = .battery(record.battery(in: bytes))
            // The cursor hands over none that cannot be read.
            case .accessory: content = record.accessoryEvent(in: bytes).map { .accessory($0) } ?? .line
            }
        }
    }

    /// Gives the receivers in what was decoded other names.
    private mutating func rename(by names: [String: String]) {
        switch content {
        case .position: position.receiver = names[position.receiver] ?? position.receiver
        case .other(let report): content = .other(report.renamed(by: names))
        default: break
        }
    }

    /// Moves the receiver's own time in what was decoded.
    private mutating func move() {
        let shift = shift
        guard shift != 0 else { return }
        switch content {
        case .position: position.time = position.time?.moved(by: shift)
        case .other(let report): content = .other(report.moved(by: shift))
        case .line, .lost, .regained, .sensorLost, .sensorRegained, .battery, .accessory, .round: break
        }
    }

    /// Moves the trace clock with the report's own time where that rises by up to a minute; else it holds.
    private mutating func follow() {
        guard let time = position.time else { return }
        if let lastTime {
            let rise = time.nanoseconds.subtractingSaturated(lastTime.nanoseconds)
            if rise > 0, rise <= 60_000_000_000 { elapsed = elapsed.addingSaturated(rise) }
        }
        lastTime = time
    }

    /// The first time that a report of the trace carries; nil when none does.
    static func firstTime(of file: TraceFile) -> WallTime? {
        var cursor = TraceCursor(file)
        var decoder = GPSDDecoder()
        var report = PositionReport()
        return file.bytes.withUnsafeBytes { bytes in
            while let record = cursor.next(bytes) {
                guard case .gpsd = record.kind else { continue }
                let line = UnsafeRawBufferPointer(rebasing: bytes[record.range])
                if decoder.decode(line, position: &report) == nil, let time = report.time { return time }
            }
            return nil
        }
    }
}

extension GPSDReport {
    /// The same report with the receiver's time moved.
    fileprivate func moved(by nanoseconds: Int64) -> GPSDReport {
        switch self {
        case .sky(var sky):
            sky.time = sky.time?.moved(by: nanoseconds)
            return .sky(sky)
        case .attitude(var attitude):
            attitude.time = attitude.time?.moved(by: nanoseconds)
            return .attitude(attitude)
        case .position, .version, .devices, .device, .watch, .error, .other, .malformed: return self
        }
    }
}

extension GPSDReport {
    /// The same report of receivers with other names.
    fileprivate func renamed(by names: [String: String]) -> GPSDReport {
        func renamed(_ receiver: ReceiverDescription) -> ReceiverDescription {
            var receiver = receiver
            receiver.path = names[receiver.path] ?? receiver.path
            return receiver
        }
        switch self {
        case .sky(var sky):
            sky.receiver = names[sky.receiver] ?? sky.receiver
            return .sky(sky)
        case .attitude(var attitude):
            attitude.receiver = names[attitude.receiver] ?? attitude.receiver
            return .attitude(attitude)
        case .devices(let receivers): return .devices(receivers.map(renamed))
        case .device(let receiver): return .device(renamed(receiver))
        case .position, .version, .watch, .error, .other, .malformed: return self
        }
    }
}

extension WallTime {
    fileprivate func moved(by nanoseconds: Int64) -> WallTime {
        WallTime(nanoseconds: self.nanoseconds.addingSaturated(nanoseconds))
    }
}
