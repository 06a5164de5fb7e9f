// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import Trace
import TraceEditing

/// What a person lets go wrong in a trace that plays, by switches: a fault is there from when it is switched on until it is
/// switched off, wherever somebody goes meanwhile.
final class HandFaults: Sendable {
    /// A switch.
    struct Fault: Sendable {
        /// As `--fault` takes it.
        let id: String
        let label: String
        let about: String
        fileprivate let fault: TraceFault
    }

    private struct State {
        var active: [(id: String, edit: FaultEdit)] = []
        /// What is told once more, for what is over.
        var returns: [TraceEvent.Contents] = []
    }

    /// The switches of this trace, in the order in which pages show them.
    let all: [Fault]
    private let header: TraceHeader
    private let state = Mutex(State())
    /// Sees what a trace tells of sessions with accessories.
    private let watch: @Sendable (TraceAccessoryEvent) -> Void

    init(_ survey: TraceSurvey, header: TraceHeader, watch: @escaping @Sendable (TraceAccessoryEvent) -> Void) {
        self.header = header
        self.watch = watch
        all = Self.clauses(survey).compactMap { clause, label, about in
            guard let fault = (try? TraceFault.list(clause))?.first else { return nil }
            return Fault(id: clause, label: label, about: about, fault: fault)
        }
    }

    private static func clauses(_ survey: TraceSurvey) -> [(String, String, String)] {
        var clauses: [(String, String, String)] = []
        if survey.hasPositions {
            clauses += [
                ("nofix", "No fix", "Receivers report that they do not know where they are."),
                ("silence(gpsd)", "gpsd is silent", "The connection stays, and nothing comes."),
                ("loss(gpsd)", "gpsd is gone", "The connection is lost, and the program is told."),
                ("drop=0.5(gpsd)", "Every other report is missing", "Reports are left out by chance."),
                ("clockstep=-2s", "The receiver's clock is wrong", "The times that receivers tell are 2 s early."),
            ]
        }
        for kind in SensorKind.allCases where survey.kinds.contains(kind) {
            let name = kind.rawValue
            clauses += [
                ("stuck(\(name))", "The \(kind.name) is stuck", "It gives the last value again and again."),
                ("silence(\(name))", "The \(kind.name) is silent", "It gives nothing, and nobody says so."),
                ("loss(\(name))", "The \(kind.name) is gone", "It is lost, and the program is told."),
            ]
            switch kind {
            case .accelerometer:
                clauses.append(
                    ("saturate=9(accelerometer)", "The accelerometer saturates", "Below 9 m/s² on each axis."))
            case .gyroscope:
                clauses.append(("disturb=0.1/0/0(gyroscope)", "The gyroscope drifts", "0.1 rad/s are added about x."))
            case .magnetometer:
                clauses.append(
                    ("disturb=0.3/0/0.1(magnetometer)", "A magnet is near", "30 µT on x and 10 µT on z are added."))
            default: break
            }
        }
        if survey.hasAccessories {
            clauses.append(
                ("unplug", "Accessories are unplugged", "Until the recording attaches them, or this is off."))
        }
        return clauses
    }

    /// The ids of those that are on, in the order in which they were switched.
    var active: [String] { state.withLock { $0.active.map(\.id) } }

    /// True while they have to see the readings of sensors too.
    var takesSamples: Bool { state.withLock { !$0.active.isEmpty || !$0.returns.isEmpty } }

    /// True while accessories are unplugged by hand.
    var unplugs: Bool { active.contains("unplug") }

    /// Switches one; why not when that cannot be.
    func set(_ id: String, isOn: Bool) -> String? {
        guard let fault = all.first(where: { $0.id == id }) else { return "There is no fault \(id) here." }
        return state.withLock { state in
            let index = state.active.firstIndex { $0.id == id }
            guard isOn != (index != nil) else { return nil }
            if let index {
                state.active.remove(at: index)
                if case .loss = fault.fault.action { state.returns += returns(of: fault.fault) }
                return nil
            }
            do throws(DeviceError) {
                state.active.append((id, try edit(fault.fault)))
                return nil
            } catch {
                return error.message
            }
        }
    }

    /// Somebody has gone to another place: what faults do by themselves they do there again.
    func restart() {
        state.withLock { state in
            state.returns = []
            for index in state.active.indices {
                guard let fault = all.first(where: { $0.id == state.active[index].id })?.fault,
                    let new = try? edit(fault)
                else { continue }
                state.active[index].edit = new
            }
        }
    }

    private func edit(_ fault: TraceFault) throws(DeviceError) -> FaultEdit {
        var edit = FaultEdit([fault], seed: .random(in: 0...UInt64.max))
        _ = try edit.header(header)
        return edit
    }

    private func returns(of fault: TraceFault) -> [TraceEvent.Contents] {
        guard let target = fault.target, target != "gpsd" else { return [.regained] }
        return header.sensors.filter { $0.id == target || $0.kind.rawValue == target }.map {
            .sensorRegained(sensor: $0.id)
        }
    }

    /// What becomes of an event; nil where it stays as it is.
    func apply(_ event: TraceEvent) -> [TraceEvent]? {
        let result = state.withLock { state -> [TraceEvent]? in
            guard !state.active.isEmpty || !state.returns.isEmpty else { return nil }
            var events = state.returns.map { TraceEvent(time: event.time, $0) } + [event]
            state.returns = []
            for index in state.active.indices {
                var edited: [TraceEvent] = []
                for event in events { state.active[index].edit.take(event, into: &edited) }
                events = edited
            }
            return events
        }
        for event in result ?? [event] { if case .accessory(let accessory) = event.contents { watch(accessory) } }
        return result
    }
}

/// What a trace holds, as far as the dashboard has to know before it plays.
struct TraceSurvey: Sendable {
    var hasPositions = false
    var kinds: Set<SensorKind> = []
    var hasAccessories = false

    init(_ trace: TraceFile) {
        kinds = Set(trace.findSensors().map(\.kind))
        trace.play { cursor, bytes in
            while let record = cursor.next(bytes) {
                switch record.kind {
                case .gpsd: hasPositions = true
                case .accessory: hasAccessories = true
                default: continue
                }
            }
        }
    }
}
