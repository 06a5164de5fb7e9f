// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import GPSDProtocol
public import Trace

/// Lets things go wrong in a trace. The same trace, faults and seed give the same result.
///
/// The header of the result says what was done, in a member "faults" with the seed and the list, so that a run that has failed can
/// be repeated from its trace alone; a list of such where there were faults in it before. A fault that names what the trace
/// has not is an error, so that no test passes because of a slip: sensors are looked for in the header, receivers and
/// accessories in all of the trace, and what would begin behind the last event is one too.
///
/// Where faults change positions (`nofix`, `clockstep`) the sentences that receivers sent are left out of all of the trace:
/// they would tell of a fix or a time that the reports beside them do not have. Simulated servers make others of the reports.
public struct FaultEdit: TraceEdit {
    let faults: [TraceFault]
    private let seed: UInt64
    private var numbers: SeededNumbers
    private var kinds: [SensorDescription.ID: SensorKind] = [:]
    var decoder = GPSDDecoder()
    /// The last readings before a sensor was stuck, by fault and sensor.
    var held: [[SensorDescription.ID: SIMD3<Double>]]
    private var schedule: FaultSchedule
    /// How many losses there are of a sensor, and of gpsd by the empty name.
    private var losses: [String: Int] = [:]
    /// True for accessories' faults that have happened.
    private var isOver: [Bool]
    /// Events that come later than they were taken.
    private var late = LateEvents()
    private let hasJitter: Bool
    private let dropsSentences: Bool
    private let namesReceivers: Bool
    /// Those that faults name, and some of the others, for what is said when one is missing.
    private var receivers: Set<String> = []
    private var end: Int64 = 0
    /// The names that accessories have, by their ids.
    private var accessories: [String: String] = [:]
    /// Accessories that were unplugged: nothing more is heard of them until they are attached again.
    private var unplugged: Set<String> = []
    private var open: [String: [String]] = [:]

    /// - Parameters:
    ///   - faults: What goes wrong. Of several for one event the first comes first.
    ///   - seed: What chance is counted from.
    public init(_ faults: [TraceFault], seed: UInt64 = 0) {
        self.faults = faults
        self.seed = seed
        numbers = SeededNumbers(seed: seed)
        held = faults.map { _ in [:] }
        isOver = faults.map { _ in false }
        schedule = FaultSchedule(faults)
        hasJitter = faults.contains { if case .jitter = $0.action { true } else { false } }
        dropsSentences = faults.contains { $0.action.subject == .receivers }
        namesReceivers = faults.contains { $0.action.subject == .receivers && $0.receiver != nil }
    }

    /// The same header, with what is done.
    public mutating func header(_ header: TraceHeader) throws(DeviceError) -> TraceHeader {
        for fault in faults { try fault.check(against: header) }
        for sensor in header.sensors { kinds[sensor.id] = sensor.kind }
        for device in header.devices where device.kind == "gpsd" { receivers.insert(device.receiver.path) }
        var header = header
        header.noteFaults(faults.map(\.description).joined(separator: ","), seed: seed)
        return header
    }

    /// Adds what becomes of an event.
    public mutating func take(_ event: TraceEvent, into events: inout [TraceEvent]) {
        let time = event.time ?? 0
        end = max(end, time)
        if namesReceivers { noteReceivers(event) }
        while let step = schedule.next(upTo: time) { happen(step, into: &events) }
        apply(to: event, time, into: &events)
        // What comes later is not earlier.
        late.release(upTo: time, into: &events)
    }

    /// Adds what was late. Throws for a fault of a receiver or an accessory that was not in the trace, and for one behind its
    /// end.
    public mutating func finish(into events: inout [TraceEvent]) throws(DeviceError) {
        late.release(upTo: .max, into: &events)
        for fault in faults { try fault.check(end: end) }
        for fault in faults { try fault.check(receivers: receivers.subtracting([""]), accessories: accessories) }
    }

    private mutating func noteReceivers(_ event: TraceEvent) {
        guard case .gpsd(let line) = event.contents,
            let receiver = line.withUnsafeBytes({ decoder.decode($0) }).receiver
        else { return }
        if isWorthNoting(receiver, among: receivers.count) { receivers.insert(receiver) }
    }

    private func isWorthNoting(_ name: String, among count: Int) -> Bool {
        count < 100 && name.utf8.count < 4096 || faults.contains { $0.target == name }
    }

    // MARK: What happens by itself

    private mutating func happen(_ step: FaultSchedule.Step, into events: inout [TraceEvent]) {
        guard case .loss = step.fault.action else { return unplug(step.fault.target, at: step.time, into: &events) }
        for source in step.fault.isForPositions ? [""] : sensors(step.fault) {
            let count = losses[source, default: 0] + (step.isEnd ? -1 : 1)
            losses[source] = count
            // While another loss lasts nothing is back.
            guard count == (step.isEnd ? 0 : 1) else { continue }
            hand(TraceEvent(time: step.time, step.isEnd ? Self.regain(source) : Self.loss(source)), into: &events)
        }
    }

    private static func loss(_ source: String) -> TraceEvent.Contents {
        source.isEmpty
            ? .lost(DeviceError(.connectionLost, "The connection to gpsd was lost (simulated)."))
            : .sensorLost(DeviceError(.connectionLost, "The sensor was lost (simulated)."), sensor: source)
    }

    private static func regain(_ source: String) -> TraceEvent.Contents {
        source.isEmpty ? .regained : .sensorRegained(sensor: source)
    }

    private func sensors(_ fault: TraceFault) -> [SensorDescription.ID] {
        kinds.filter { fault.meets(sensor: $0.key, $0.value) }.keys.sorted()
    }

    private mutating func unplug(_ target: String?, at time: Int64, into events: inout [TraceEvent]) {
        for id in open.keys.sorted() where target == nil || target == id {
            for change in (open[id] ?? []).map({ .closed($0, .detached) }) + [TraceAccessoryEvent.Change.detached] {
                hand(TraceEvent(time: time, .accessory(TraceAccessoryEvent(accessory: id, change))), into: &events)
            }
            open[id] = nil
            unplugged.insert(id)
        }
    }

    // MARK: What happens to an event

    private mutating func apply(to event: TraceEvent, _ time: Int64, into events: inout [TraceEvent]) {
        if dropsSentences, case .gpsdText(let line) = event.contents, line.first == UInt8(ascii: "$") { return }
        var event = event
        var copies = 1
        var delay: Int64 = 0
        for index in faults.indices where faults[index].isDue(at: time) {
            let fault = faults[index]
            guard fault.meets(event) else { continue }
            switch fault.action {
            case .silence, .loss: return
            case .drop(let probability): if chance() < probability { return }
            case .duplicate(let probability): if chance() < probability { copies += 1 }
            case .jitter(let seconds):
                let most = Int64(saturatingSeconds: seconds) ?? 0
                delay = delay.addingSaturated(Int64(chance() * Double(most)))
            case .noFix: loseFix(of: &event, fault.receiver)
            case .clockStep(let seconds): stepClock(of: &event, fault.receiver, by: seconds)
            case .stuck, .saturation, .disturbance: change(&event, by: fault, index)
            case .unplugInWrite: if !isOver[index] { isOver[index] = cut(event, into: &events) }
            case .unplug: break
            }
        }
        guard passes(event) else { return }
        if delay > 0 {
            if case .sample(let value, let kind, let sensor, nil) = event.contents {
                event.contents = .sample(value, kind: kind, sensor: sensor, stamp: time)
            }
            event.time = time.addingSaturated(delay)
        }
        for _ in 0..<copies { hand(event, into: &events) }
    }

    /// A number from 0 up to 1.
    private mutating func chance() -> Double { Double(numbers.next() >> 11) * 0x1p-53 }

    /// Lets through the first half of what the program writes, and unplugs; false when that is not the event.
    private mutating func cut(_ event: TraceEvent, into events: inout [TraceEvent]) -> Bool {
        guard case .accessory(let accessory) = event.contents, case .sent(let name, let bytes) = accessory.change else {
            return false
        }
        let time = event.time ?? 0
        if bytes.count > 1 {
            var half = accessory
            half.change = .sent(name, [UInt8](bytes.prefix(bytes.count / 2)))
            hand(TraceEvent(time: time, .accessory(half)), into: &events)
        }
        unplug(accessory.accessory, at: time, into: &events)
        return true
    }

    /// Notes who is attached; false for what an unplugged accessory would have done.
    private mutating func passes(_ event: TraceEvent) -> Bool {
        guard case .accessory(let accessory) = event.contents else { return true }
        let id = accessory.accessory
        switch accessory.change {
        case .attached(let description):
            if isWorthNoting(id, among: accessories.count) { accessories[id] = description.name }
            unplugged.remove(id)
            if open[id] == nil { open[id] = [] }
        case .detached:
            open[id] = nil
            return unplugged.remove(id) == nil
        case .opened(let name): if !unplugged.contains(id) { open[id, default: []].append(name) }
        case .closed(let name, _): open[id]?.removeAll { $0 == name }
        case .received, .sent: break
        }
        return !unplugged.contains(id)
    }

    /// Hands on an event once nothing earlier can come.
    private mutating func hand(_ event: TraceEvent, into events: inout [TraceEvent]) {
        if hasJitter { late.add(event, into: &events) } else { events.append(event) }
    }
}
