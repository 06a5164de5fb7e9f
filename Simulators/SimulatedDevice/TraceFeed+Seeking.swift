// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// Seeking, and the start of subsequent passes. Used only by the thread that has claimed the player.
extension TraceFeed {
    mutating func seekToStart() -> PlaybackState { skip(to: from) }

    /// Moves to a trace time, in seconds, and returns the device state at that time. The trace time then corresponds to
    /// `now` on the device's clock. Resets the shift of the receivers' times to its initial value.
    mutating func seek(to seconds: Double, now: BootTime) -> PlaybackState {
        let traceTime = Self.traceTime(seconds)
        offset = now.nanoseconds.subtractingSaturated(start.nanoseconds).subtractingSaturated(traceTime)
        shiftBase = recordedShift.subtractingSaturated(offset)
        var state = rewind(to: traceTime)
        // If no event follows, `traceTime` may be beyond the end of the trace, so the time of the last event is used if
        // it is earlier.
        if !records.hasRecord() { lastTraceTime = min(traceTime, state.traceTime) }
        state.traceTime = lastTraceTime
        return state
    }

    private mutating func rewind(to traceTime: Int64) -> PlaybackState {
        records.restart(
            TraceReader(file, readsAhead: options.readsAhead, decodesPositions: options.streams.positions))
        time = nil
        record = nil
        reportClock = ReportClock()
        lastTraceTime = traceTime
        loopTiming = LoopTiming(offset: offset)
        return skip(to: traceTime)
    }

    private mutating func skip(to traceTime: Int64) -> PlaybackState {
        var state = PlaybackState(battery: options.streams.battery ? file.header?.battery : nil)
        while traceTime > 0, records.hasRecord() {
            let record = records.next
            if let time = record.time, time >= traceTime { break }
            if record.kind == .sample || !isPlayed(record) {
                records.consumeRecord()
                state.traceTime = record.time ?? state.traceTime
                continue
            }
            decode(record)
            // This record is not skipped, so it is decoded again when it is played. Decoding it a second time does not
            // advance the report clock.
            if record.time ?? reportClock.elapsed >= traceTime { break }
            records.consumeRecord()
            event.shiftTime(by: shift)
            state.traceTime = record.time ?? reportClock.elapsed
            apply(event, to: &state)
        }
        return state
    }

    private func apply(_ event: PlaybackEvent, to state: inout PlaybackState) {
        switch event.content {
        case .position:
            var fix = event.position
            fix.arrival = bootTime(state.traceTime)
            state.apply(fix)
        case .report(.devices(let receivers)): state.receivers = receivers
        case .report(.device(let receiver)): state.apply(receiver)
        case .other(.lost(let error)): state.positionLoss = error
        case .other(.regained): state.positionLoss = nil
        case .other(.sensorLost(let error, let sensor)): state.sensorLosses[sensor] = error
        case .other(.sensorRegained(let sensor)): state.sensorLosses[sensor] = nil
        case .other(.battery(let battery)): state.battery = battery
        case .other(.accessory(let change)): state.apply(change)
        case .other(.beacon(.lost(let error))): state.beaconLoss = error
        case .other(.beacon(.regained)): state.beaconLoss = nil
        case .report, .text, .sample, .loopStart, .ignored, .other(.beacon(.sighting)): break
        case .other(.gpsd), .other(.gpsdText), .other(.sample): break
        }
    }

    /// Begins the next pass. Returns false if no passes are left or the preceding pass contained no events.
    mutating func beginLoop() -> Bool {
        guard remainingLoops != 0, !loopTiming.isEmpty else { return false }
        let end: Int64? = to == .max ? nil : min(to.addingSaturated(offset), loopTiming.end(atMost: maximumGap))
        offset = loopTiming.next(from: from.addingSaturated(loopTiming.offset), end: end).subtractingSaturated(from)
        remainingLoops = remainingLoops.map { $0 - 1 }
        let state = rewind(to: from)
        event.content = .loopStart(state, isEndless: remainingLoops == nil)
        time = bootTime(from)
        return true
    }
}

/// The state of a device at a given time in a trace, as determined by the preceding events.
struct PlaybackState: Sendable {
    /// The time of the last preceding event, in nanoseconds. After a seek, the trace time at which playback continues.
    var traceTime: Int64 = 0
    var battery: BatteryReading?
    /// The error of the position source, or nil while the source is available.
    var positionLoss: DeviceError?
    /// The error of the beacon source, or nil while the source is available.
    var beaconLoss: DeviceError?
    /// The errors of unavailable sensors.
    var sensorLosses: [SensorDescription.ID: DeviceError] = [:]
    /// The last fix of each receiver. Limited to the number of receivers that a hub supports.
    var fixes: [PositionReport] = []
    var receivers: [ReceiverDescription] = []
    /// The attached accessories with their latest descriptions, in the order in which they were attached.
    var accessories: [TraceAccessoryEvent] = []
    private static let maximumReceivers = 64

    mutating func apply(_ fix: PositionReport) {
        positionLoss = nil
        guard fix.hasFix else { return }
        fixes.removeAll { $0.receiver == fix.receiver }
        if fixes.count == Self.maximumReceivers { fixes.removeFirst() }
        fixes.append(fix)
    }

    mutating func apply(_ receiver: ReceiverDescription) {
        receivers.removeAll { $0.path == receiver.path }
        if receiver.isActive, receivers.count < Self.maximumReceivers { receivers.append(receiver) }
    }

    mutating func apply(_ event: TraceAccessoryEvent) {
        let index = accessories.firstIndex { $0.accessory == event.accessory }
        switch event.change {
        case .attached: if let index { accessories[index] = event } else { accessories.append(event) }
        case .detached:
            if let index { accessories.remove(at: index) }
        // Sessions and bytes before the trace time do not change the device's state.
        case .opened, .closed, .received, .sent: break
        }
    }
}

/// The event times of one pass, which determine the start of the next pass. Times are measured on the device's clock,
/// in nanoseconds since the start of the trace.
struct LoopTiming: Sendable {
    /// The times of a stream's first and last event, and the interval between its last two events.
    private struct StreamTiming: Sendable {
        var first: Int64
        var last: Int64
        var interval: Int64 = 0

        mutating func record(_ time: Int64) {
            guard time > last else { return }
            interval = time - last
            last = time
        }
    }

    let offset: Int64
    private var last: Int64?
    private var positions: StreamTiming?
    /// The timing of the first sensor that delivered a sample.
    private var readings: StreamTiming?
    private var sensor: Int?

    var isEmpty: Bool { last == nil }

    init(offset: Int64) { self.offset = offset }

    mutating func record(_ time: Int64, isPosition: Bool, sensor: Int?) {
        last = time
        if isPosition {
            if positions == nil { positions = StreamTiming(first: time, last: time) } else { positions?.record(time) }
        } else if let sensor {
            if readings == nil {
                readings = StreamTiming(first: time, last: time)
                self.sensor = sensor
            } else if sensor == self.sensor {
                readings?.record(time)
            }
        }
    }

    /// Returns the latest time at which the pass can end: `gap` nanoseconds after the last event, or `.max` if `gap` is
    /// nil.
    func end(atMost gap: Int64?) -> Int64 { gap.map { (last ?? 0).addingSaturated($0) } ?? .max }

    /// The minimum duration of a pass, in nanoseconds. Without it, a trace whose events all have the same time would
    /// play a billion passes per second.
    private static let minimumDuration: Int64 = 10_000_000

    /// Returns the start of the next pass. `from` is the start of the current pass. The next pass starts later than the
    /// last event and at least `minimumDuration` after `from`. If `end` meets both conditions, the next pass starts at
    /// `end`. Otherwise, its start is chosen so that the stream continues at its regular interval.
    func next(from: Int64, end: Int64?) -> Int64 {
        let earliestNext = max((last ?? from).addingSaturated(1), from.addingSaturated(Self.minimumDuration))
        if let end, end >= earliestNext { return end }
        guard let regularStream = positions ?? readings else { return earliestNext }
        let first = regularStream.first.subtractingSaturated(from)
        return max(regularStream.last.addingSaturated(regularStream.interval).subtractingSaturated(first), earliestNext)
    }
}
