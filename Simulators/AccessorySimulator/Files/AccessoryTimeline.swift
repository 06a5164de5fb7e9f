// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace
import UmockdevFormat

/// The accessories of a trace, with their attachment and detachment times and their dialogues.
struct AccessoryTimeline {
    struct Dialogue: Sendable {
        var script = UmockdevScript()
        var hangsUp = false
        /// The time of the last step, in nanoseconds since the start of the trace.
        var last: Int64
    }

    struct Accessory {
        var name: String
        var description: AccessoryDescription
        /// The dialogues of each protocol, keyed by the protocol's name. Each session has one dialogue.
        var dialogues: [String: [Dialogue]] = [:]
    }

    struct Step {
        /// The time in nanoseconds since the start of the trace.
        var time: Int64
        var isAttach: Bool
        /// The index of the accessory in `accessories`.
        var index: Int
    }

    private(set) var accessories: [Accessory] = []
    /// The attachments and detachments, in the order of the trace.
    private(set) var steps: [Step] = []
    private(set) var diagnostics = InputDiagnostics()
    /// The indices of attached accessories, keyed by their names in the trace.
    private var present: [String: Int] = [:]

    init(_ file: TraceFile) {
        file.bytes.withUnsafeBytes { bytes in
            var cursor = TraceCursor(file)
            while let record = cursor.next(bytes) {
                if let event = record.accessoryEvent(in: bytes) { process(event, at: record.time ?? 0) }
            }
            diagnostics = cursor.diagnostics
        }
    }

    private mutating func process(_ event: TraceAccessoryEvent, at time: Int64) {
        let index = present[event.accessory]
        if case .attached(let description) = event.change {
            if let index {
                // An accessory is announced only once, with all of its protocols. Protocols that appear later in the
                // recording are therefore added to the first description.
                let known = Set(accessories[index].description.protocols.map(\.name))
                accessories[index].description.protocols += description.protocols.filter { !known.contains($0.name) }
            } else {
                present[event.accessory] = accessories.count
                steps.append(Step(time: time, isAttach: true, index: accessories.count))
                accessories.append(Accessory(name: event.accessory, description: description))
            }
            return
        }
        guard let index else { return }
        if case .detached = event.change {
            present[event.accessory] = nil
            steps.append(Step(time: time, isAttach: false, index: index))
        }
        accessories[index].process(event.change, at: time)
    }
}

extension AccessoryTimeline.Accessory {
    mutating func process(_ change: TraceAccessoryEvent.Change, at time: Int64) {
        switch change {
        case .attached, .detached: break
        case .opened(let name): dialogues[name, default: []].append(AccessoryTimeline.Dialogue(last: time))
        case .closed(let name, let reason): edit(name, at: time) { $0.hangsUp = reason == .hungUp || reason == .failed }
        case .received(let name, let bytes):
            edit(name, at: time) { dialogue in
                let milliseconds = max(0, (time - dialogue.last) / 1_000_000)
                dialogue.script.steps.append(.read(milliseconds: UInt32(clamping: milliseconds), bytes))
            }
        case .sent(let name, let bytes): edit(name, at: time) { $0.script.steps.append(.write(milliseconds: 0, bytes)) }
        }
    }

    /// Changes the last dialogue of a protocol. If the protocol has no dialogue, creates one.
    private mutating func edit(_ name: String, at time: Int64, _ change: (inout AccessoryTimeline.Dialogue) -> Void) {
        if dialogues[name, default: []].isEmpty { dialogues[name] = [AccessoryTimeline.Dialogue(last: time)] }
        // The dialogue is modified in place. Copying it for each step would take quadratic time.
        guard let current = dialogues[name]?.indices.last else { return }
        change(&dialogues[name, default: []][current])
        dialogues[name, default: []][current].last = time
    }
}
