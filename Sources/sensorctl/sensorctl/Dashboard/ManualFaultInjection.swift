// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import Trace
import TraceEditing

/// Injects faults that the user can turn on and off from a page at any time during playback.
final class ManualFaultInjection: Sendable {
    struct Fault: Sendable {
        /// The fault, in the syntax of `--fault`.
        let id: String
        let label: String
        let about: String
        fileprivate let fault: TraceFault
    }

    private struct State {
        var active: [(id: String, edit: FaultEdit)] = []
        /// The events that report recovery from a fault. They are inserted before the trace's next event.
        var pendingRecoveries: [TraceEvent.Contents] = []
    }

    let all: [Fault]
    private let header: TraceHeader
    private let state = Mutex(State())
    /// Called for each accessory event that is played, after faults have been applied.
    private let watch: @Sendable (TraceAccessoryEvent) -> Void

    init(
        _ sensorSummary: TraceSensorSummary, header: TraceHeader,
        watch: @escaping @Sendable (TraceAccessoryEvent) -> Void
    ) {
        (self.header, self.watch) = (header, watch)
        all = Self.clauses(sensorSummary).compactMap { clause, label, about in
            guard let fault = (try? TraceFault.list(clause))?.first else { return nil }
            return Fault(id: clause, label: label, about: about, fault: fault)
        }
    }

    private static func clauses(_ sensorSummary: TraceSensorSummary) -> [(String, String, String)] {
        var clauses: [(String, String, String)] = []
        if sensorSummary.hasPositions {
            clauses += [
                ("nofix", "No fix", "Receivers report that they have no fix."),
                ("silence(gpsd)", "gpsd is silent", "The connection remains, but no data arrives."),
                ("loss(gpsd)", "gpsd is unavailable", "The connection is lost, and programs receive an error."),
                ("drop=0.5(gpsd)", "Every other report is missing", "Reports are dropped at random."),
                ("clockstep=-2s", "The receiver's clock is wrong", "The times that receivers report are 2 s early."),
            ]
        }
        for kind in SensorKind.allCases where sensorSummary.kinds.contains(kind) {
            let name = kind.rawValue
            clauses += [
                ("stuck(\(name))", "The \(kind.name) is stuck", "It repeats its last value."),
                ("silence(\(name))", "The \(kind.name) is silent", "It delivers no readings and no error."),
                ("loss(\(name))", "The \(kind.name) is unavailable", "It is lost, and programs receive an error."),
            ]
            switch kind {
            case .accelerometer:
                clauses.append(("saturate=9(accelerometer)", "The accelerometer saturates", "At 9 m/s² on each axis."))
            case .gyroscope:
                clauses.append(("disturb=0.1/0/0(gyroscope)", "The gyroscope drifts", "0.1 rad/s is added about x."))
            case .magnetometer:
                clauses.append(
                    ("disturb=0.3/0/0.1(magnetometer)", "A magnet is near", "30 µT on x and 10 µT on z are added."))
            default: break
            }
        }
        if sensorSummary.hasAccessories {
            let about = "Until the recording attaches them, or this fault is switched off."
            clauses.append(("unplug", "Accessories are unplugged", about))
        }
        return clauses
    }

    var active: [String] { state.withLock { $0.active.map(\.id) } }

    /// True if ``apply(_:)`` must receive the sensor readings in addition to the other events.
    var requiresSamples: Bool { state.withLock { !$0.active.isEmpty || !$0.pendingRecoveries.isEmpty } }

    var detachesAccessories: Bool { active.contains("unplug") }

    /// Turns a fault on or off. Returns an error message, or nil on success.
    func set(_ id: String, isOn: Bool) -> String? {
        guard let fault = all.first(where: { $0.id == id }) else { return "This recording has no fault \(id)." }
        return state.withLock { state in
            let index = state.active.firstIndex { $0.id == id }
            guard isOn != (index != nil) else { return nil }
            if let index {
                state.active.remove(at: index)
                if case .loss = fault.fault.action { state.pendingRecoveries += recoveries(of: fault.fault) }
                return nil
            }
            do throws(DeviceError) {
                state.active.append((id, try edit(fault.fault)))
                return nil
            } catch { return error.message }
        }
    }

    /// Restarts the active faults. Called after a seek, because faults retain state from earlier events.
    func restart() {
        state.withLock { state in
            state.pendingRecoveries = []
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
        // Passes the trace's sensors to the fault. The returned header is unused.
        _ = try edit.header(header)
        return edit
    }

    private func recoveries(of fault: TraceFault) -> [TraceEvent.Contents] {
        guard let target = fault.target, target != "gpsd" else { return [.regained] }
        return header.sensors.filter { $0.id == target || $0.kind.rawValue == target }.map {
            .sensorRegained(sensor: $0.id)
        }
    }

    /// Applies the active faults to an event. Returns the resulting events, or nil if the event is unchanged.
    func apply(_ event: TraceEvent) -> [TraceEvent]? {
        let result = state.withLock { state -> [TraceEvent]? in
            guard !state.active.isEmpty || !state.pendingRecoveries.isEmpty else { return nil }
            var events = state.pendingRecoveries.map { TraceEvent(time: event.time, $0) } + [event]
            state.pendingRecoveries = []
            for index in state.active.indices {
                var edited: [TraceEvent] = []
                for event in events { state.active[index].edit.process(event, into: &edited) }
                events = edited
            }
            return events
        }
        for event in result ?? [event] { if case .accessory(let accessory) = event.contents { watch(accessory) } }
        return result
    }
}

/// A summary of the sources in a trace. The dashboard needs the summary before playback begins.
struct TraceSensorSummary: Sendable {
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
