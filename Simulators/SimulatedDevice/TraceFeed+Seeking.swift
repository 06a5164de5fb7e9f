// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

extension TraceFeed {
    // MARK: Seeking

    /// Moves to the start of playback and returns the state at that time.
    mutating func begin() -> TraceState { skip(to: from) }

    /// Moves to a trace time and returns the state at that time. From then on, that trace time corresponds to `now` on
    /// the device's clock, while the receivers' times remain those of the trace.
    mutating func seek(to place: Int64, now: BootTime) -> TraceState {
        offset = now.nanoseconds.subtractingSaturated(start.nanoseconds).subtractingSaturated(place)
        shiftBase = recordedShift.subtractingSaturated(offset)
        let state = rewind(to: place)
        // Beyond the last event, the position is limited to the end of the trace.
        if !hasRecord() { lastPlace = min(place, passed) }
        return state
    }

    private mutating func rewind(to place: Int64) -> TraceState {
        keepWarnings()
        reader = TraceReader(
            file, readsAhead: options.readsAhead, decodesPositions: options.streams.positions)
        block = TraceBlock()
        taken = 0
        nextPosition = 0
        time = nil
        record = nil
        isAtEnd = false
        reportClock = ReportClock()
        lastPlace = place
        round = RoundRhythm(offset: offset)
        return skip(to: place)
    }

    /// Skips the events before a trace time and returns the resulting state.
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
            decode(record, at: taken)
            // If the record is decoded again, its time does not advance the report clock any further.
            if record.time ?? reportClock.elapsed >= place { break }
            taken += 1
            move()
            passed = record.time ?? reportClock.elapsed
            note(passed, in: &state)
        }
        record = nil
        return state
    }

    /// Applies the most recently decoded event to the state.
    func note(_ place: Int64, in state: inout TraceState) {
        switch content {
        case .position:
            var fix = position
            fix.arrival = bootTime(place)
            state.take(fix)
        case .other(.devices(let receivers)): state.receivers = receivers
        case .other(.device(let receiver)): state.take(receiver)
        case .other, .line, .round, .beacon(.sighting): break
        case .lost(let error): state.positionLoss = error
        case .regained: state.positionLoss = nil
        case .sensorLost(let error): if let sensor { state.sensorLosses[sensor] = error }
        case .sensorRegained: if let sensor { state.sensorLosses[sensor] = nil }
        case .battery(let battery): state.battery = battery
        case .accessory(let event): state.take(event)
        case .beacon(.lost(let error)): state.beaconLoss = error
        case .beacon(.regained): state.beaconLoss = nil
        }
    }

    /// Begins another pass. Returns false if no passes are left or the preceding pass was empty.
    mutating func beginRound() -> Bool {
        guard roundsLeft != 0, !round.isEmpty else { return false }
        let end: Int64? = to == .max ? nil : min(to.addingSaturated(offset), round.end(atMost: maximumGap))
        offset = round.next(from: from.addingSaturated(round.offset), end: end).subtractingSaturated(from)
        roundsLeft = roundsLeft.map { $0 - 1 }
        let state = rewind(to: from)
        content = .round(state)
        // A kind that belongs to neither a sensor nor a receiver.
        kind = .battery
        time = bootTime(from)
        return true
    }
}

/// The state of a device at a time in a trace, as determined by the preceding events.
struct TraceState: Sendable {
    var battery: BatteryReading?
    /// The error of the position source; nil while it is available.
    var positionLoss: DeviceError?
    /// The error of the beacon source; nil while it is available.
    var beaconLoss: DeviceError?
    /// The errors of unavailable sensors, by index in the trace's list of sensors.
    var sensorLosses: [Int: DeviceError] = [:]
    /// The last fix of each receiver, limited to the number of receivers that a hub supports.
    var fixes: [PositionReport] = []
    var receivers: [ReceiverDescription] = []
    /// The attached accessories with their last descriptions, in order of attachment.
    var accessories: [TraceAccessoryEvent] = []

    private static let maximumReceivers = 64

    mutating func take(_ fix: PositionReport) {
        positionLoss = nil
        guard fix.hasFix else { return }
        fixes.removeAll { $0.receiver == fix.receiver }
        if fixes.count == Self.maximumReceivers { fixes.removeFirst() }
        fixes.append(fix)
    }

    mutating func take(_ receiver: ReceiverDescription) {
        receivers.removeAll { $0.path == receiver.path }
        if receiver.isActive, receivers.count < Self.maximumReceivers { receivers.append(receiver) }
    }

    mutating func take(_ event: TraceAccessoryEvent) {
        let index = accessories.firstIndex { $0.accessory == event.accessory }
        switch event.change {
        case .attached: if let index { accessories[index] = event } else { accessories.append(event) }
        case .detached:
            if let index { accessories.remove(at: index) }
        // Bytes of the past are not repeated.
        case .opened, .closed, .received, .sent: break
        }
    }
}
