// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import GPSDProtocol
public import Trace

/// An edit that injects faults into a trace. The result depends only on the trace, the faults and the seed.
///
/// The header of the result contains the seed and the fault list in a "faults" member, so that a failed run can be
/// repeated from its trace alone. If the trace already contained faults, the member is an array.
///
/// A target that does not exist in the trace is an error, because a test with a misspelled target could otherwise pass.
/// Sensors are looked up in the header, receivers and accessories in the whole trace. A fault that starts after the
/// last event is also an error.
///
/// If a fault changes positions (`nofix`, `clockstep`), all NMEA sentences are omitted, because their fixes or times
/// would contradict the changed reports. Simulated servers generate new sentences from the reports.
public struct FaultEdit: TraceEdit {
    let faults: [TraceFault]
    private let seed: UInt64
    private var random: SplitMix64
    private var kinds: [SensorDescription.ID: SensorKind] = [:]
    var decoder = GPSDDecoder()
    /// The readings that stuck sensors repeat: one dictionary per fault, keyed by sensor ID. A stuck sensor repeats its
    /// first reading after the fault began.
    var stuckValues: [[SensorDescription.ID: SIMD3<Double>]]
    private var schedule: FaultSchedule
    /// The number of active loss faults, by sensor ID. An empty ID represents gpsd.
    private var activeLosses: [String: Int] = [:]
    /// One element per fault: true if the fault has already unplugged an accessory during a write.
    private var hasOccurred: [Bool]
    private var delayedEvents = DelayedEventQueue()
    private let hasJitter: Bool
    private let dropsSentences: Bool
    private let namesReceivers: Bool
    /// The receivers found in the trace: all those in the header, all fault targets, and, for error messages, others
    /// until there are 100 in total.
    private var receivers: Set<String> = []
    private var lastTime: Int64 = 0
    /// The accessory names, by ID.
    private var accessories: [String: String] = [:]
    /// The IDs of the unplugged accessories. An accessory's events are omitted until the trace attaches it again.
    private var unplugged: Set<String> = []
    /// The open protocols of each attached accessory, by accessory ID. The list is empty if no protocol is open.
    private var openProtocols: [String: [String]] = [:]

    /// Creates an edit.
    ///
    /// - Parameters:
    ///   - faults: The faults. Faults that affect the same event are applied in this order.
    ///   - seed: The seed of the random number generator.
    public init(_ faults: [TraceFault], seed: UInt64 = 0) {
        self.faults = faults
        self.seed = seed
        random = SplitMix64(seed: seed)
        stuckValues = faults.map { _ in [:] }
        hasOccurred = faults.map { _ in false }
        schedule = FaultSchedule(faults)
        hasJitter = faults.contains { if case .jitter = $0.action { true } else { false } }
        dropsSentences = faults.contains { $0.action.subject == .receivers }
        namesReceivers = faults.contains { $0.action.subject == .receivers && $0.receiver != nil }
    }

    /// Returns the header with the fault list. Throws an error if a sensor fault has no matching sensor.
    public mutating func header(_ header: TraceHeader) throws(DeviceError) -> TraceHeader {
        for fault in faults { try fault.check(against: header) }
        for sensor in header.sensors { kinds[sensor.id] = sensor.kind }
        for device in header.devices where device.kind == "gpsd" { receivers.insert(device.receiver.path) }
        var header = header
        header.addFaults(faults.map(\.description).joined(separator: ","), seed: seed)
        return header
    }

    /// Applies the faults to an event and appends the resulting events.
    public mutating func process(_ event: TraceEvent, into events: inout [TraceEvent]) {
        let time = event.time ?? 0
        lastTime = max(lastTime, time)
        if namesReceivers { recordReceiver(of: event) }
        while let step = schedule.next(upTo: time) { perform(step, into: &events) }
        apply(to: event, time, into: &events)
        // Event times never decrease, so all delayed events up to this time can be released.
        delayedEvents.release(upTo: time, into: &events)
    }

    /// Appends the delayed events. Throws an error if a fault's receiver or accessory is not in the trace, or if a
    /// fault starts after the last event.
    public mutating func finish(into events: inout [TraceEvent]) throws(DeviceError) {
        delayedEvents.release(upTo: .max, into: &events)
        for fault in faults { try fault.check(end: lastTime) }
        for fault in faults { try fault.check(receivers: receivers.subtracting([""]), accessories: accessories) }
    }

    private mutating func recordReceiver(of event: TraceEvent) {
        guard case .gpsd(let line) = event.contents,
            let receiver = line.withUnsafeBytes({ decoder.decode($0) }).receiver
        else { return }
        if shouldRecord(receiver, count: receivers.count) { receivers.insert(receiver) }
    }

    private func shouldRecord(_ name: String, count: Int) -> Bool {
        count < 100 && name.utf8.count < 4096 || faults.contains { $0.target == name }
    }

    // MARK: Scheduled faults

    private mutating func perform(_ step: FaultSchedule.Step, into events: inout [TraceEvent]) {
        guard case .loss = step.fault.action else { return unplug(step.fault.target, at: step.time, into: &events) }
        for source in step.fault.appliesToPositions ? [""] : sensors(step.fault) {
            let count = activeLosses[source, default: 0] + (step.isEnd ? -1 : 1)
            activeLosses[source] = count
            // If losses overlap, the source becomes available again only when the last loss ends.
            guard count == (step.isEnd ? 0 : 1) else { continue }
            emit(TraceEvent(time: step.time, step.isEnd ? Self.regained(source) : Self.loss(source)), into: &events)
        }
    }

    private static func loss(_ source: String) -> TraceEvent.Contents {
        source.isEmpty
            ? .lost(DeviceError(.connectionLost, "The connection to gpsd was lost (simulated)."))
            : .sensorLost(DeviceError(.connectionLost, "The sensor was lost (simulated)."), sensor: source)
    }

    private static func regained(_ source: String) -> TraceEvent.Contents {
        source.isEmpty ? .regained : .sensorRegained(sensor: source)
    }

    private func sensors(_ fault: TraceFault) -> [SensorDescription.ID] {
        kinds.filter { fault.applies(toSensor: $0.key, $0.value) }.keys.sorted()
    }

    private mutating func unplug(_ target: String?, at time: Int64, into events: inout [TraceEvent]) {
        for id in openProtocols.keys.sorted() where target == nil || target == id {
            for change in (openProtocols[id] ?? []).map({ .closed($0, .detached) }) + [
                TraceAccessoryEvent.Change.detached
            ] {
                emit(TraceEvent(time: time, .accessory(TraceAccessoryEvent(accessory: id, change))), into: &events)
            }
            openProtocols[id] = nil
            unplugged.insert(id)
        }
    }

    // MARK: Faults of an event

    private mutating func apply(to event: TraceEvent, _ time: Int64, into events: inout [TraceEvent]) {
        if dropsSentences, case .gpsdText(let line) = event.contents, line.first == UInt8(ascii: "$") { return }
        var event = event
        var copies = 1
        var delay: Int64 = 0
        for index in faults.indices where faults[index].isActive(at: time) {
            let fault = faults[index]
            guard fault.applies(to: event) else { continue }
            switch fault.action {
            case .silence, .loss: return
            case .drop(let probability): if nextProbability() < probability { return }
            case .duplicate(let probability): if nextProbability() < probability { copies += 1 }
            case .jitter(let limit):
                let maximumDelay = Int64(saturatingSeconds: limit.inSeconds) ?? 0
                delay = delay.addingSaturated(Int64(nextProbability() * Double(maximumDelay)))
            case .noFix: removeFix(from: &event, fault.receiver)
            case .clockStep(let step): shiftTimes(of: &event, fault.receiver, by: step.inSeconds)
            case .stuck, .saturation, .disturbance: change(&event, by: fault, index)
            case .unplugDuringWrite:
                if !hasOccurred[index] { hasOccurred[index] = unplugDuringWrite(event, into: &events) }
            case .unplug: break
            }
        }
        guard updateAccessories(with: event) else { return }
        if delay > 0 {
            if case .sample(let value, let kind, let sensor, nil) = event.contents {
                event.contents = .sample(value, kind: kind, sensor: sensor, stamp: time)
            }
            event.time = time.addingSaturated(delay)
        }
        for _ in 0..<copies { emit(event, into: &events) }
    }

    /// Returns a uniformly distributed random number in the range [0, 1).
    private mutating func nextProbability() -> Double { Double(random.next() >> 11) * 0x1p-53 }

    /// Keeps the first half of the bytes that the program writes, then unplugs the accessory. Returns false if the
    /// event is not a write.
    private mutating func unplugDuringWrite(_ event: TraceEvent, into events: inout [TraceEvent]) -> Bool {
        guard case .accessory(let accessory) = event.contents, case .sent(let name, let bytes) = accessory.change else {
            return false
        }
        let time = event.time ?? 0
        if bytes.count > 1 {
            var half = accessory
            half.change = .sent(name, [UInt8](bytes.prefix(bytes.count / 2)))
            emit(TraceEvent(time: time, .accessory(half)), into: &events)
        }
        unplug(accessory.accessory, at: time, into: &events)
        return true
    }

    /// Updates the accessory state. Returns false for events of an unplugged accessory.
    private mutating func updateAccessories(with event: TraceEvent) -> Bool {
        guard case .accessory(let accessory) = event.contents else { return true }
        let id = accessory.accessory
        switch accessory.change {
        case .attached(let description):
            if shouldRecord(id, count: accessories.count) { accessories[id] = description.name }
            unplugged.remove(id)
            if openProtocols[id] == nil { openProtocols[id] = [] }
        case .detached:
            openProtocols[id] = nil
            return unplugged.remove(id) == nil
        case .opened(let name): if !unplugged.contains(id) { openProtocols[id, default: []].append(name) }
        case .closed(let name, _): openProtocols[id]?.removeAll { $0 == name }
        case .received, .sent: break
        }
        return !unplugged.contains(id)
    }

    /// Appends an event. If any fault is jitter, the event is queued until no earlier event can follow.
    private mutating func emit(_ event: TraceEvent, into events: inout [TraceEvent]) {
        if hasJitter { delayedEvents.insert(event, into: &events) } else { events.append(event) }
    }
}
