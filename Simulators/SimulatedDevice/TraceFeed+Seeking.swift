// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

extension TraceFeed {
    // MARK: Going to a place

    /// Goes to where playback begins; the state of there.
    mutating func begin() -> TraceState { skip(to: from) }

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
            decode(record, at: taken)
            // The same report again finds the clock where it is.
            if record.time ?? reportClock.elapsed >= place { break }
            taken += 1
            move()
            passed = record.time ?? reportClock.elapsed
            note(passed, in: &state)
        }
        record = nil
        return state
    }

    /// What the event that was decoded last makes of the state.
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

    /// Begins another round, if there is one and the one before was not empty.
    mutating func beginRound() -> Bool {
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
}

/// What a device is like at a place of a trace, as the events before that place tell.
struct TraceState: Sendable {
    var battery: BatteryReading?
    /// Nil while positions can be had.
    var positionLoss: DeviceError?
    /// Nil while beacons can be heard.
    var beaconLoss: DeviceError?
    /// The sensors that are lost, by their place in the trace's list.
    var sensorLosses: [Int: DeviceError] = [:]
    /// The last fix of each receiver, at most as many as a hub tells apart.
    var fixes: [PositionReport] = []
    var receivers: [ReceiverDescription] = []
    /// The accessories that are attached, in the order in which they came, as they were described last.
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
        // What was said before is not said again.
        case .opened, .closed, .received, .sent: break
        }
    }
}
