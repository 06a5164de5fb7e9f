// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace
import UmockdevFormat

/// What a trace tells of accessories: who comes and goes when, and the dialogues of each protocol.
struct TracePlan {
    /// What is said in a session.
    struct Dialogue: Sendable {
        var script = UmockdevScript()
        /// True when the accessory ended it.
        var hangsUp = false
        /// When the step before was, in nanoseconds of the trace.
        var last: Int64
    }

    /// An accessory from its coming to its going.
    struct Accessory {
        var name: String
        var description: AccessoryDescription
        /// By protocol.
        var dialogues: [String: [Dialogue]] = [:]
        /// In nanoseconds of the trace.
        var attach: Int64
        /// Nil for one that stays.
        var detach: Int64?
    }

    private(set) var accessories: [Accessory] = []
    /// The lines of the trace that could not be read in full.
    private(set) var diagnostics = InputDiagnostics()
    /// The places of those that have not gone, by their names in the trace.
    private var present: [String: Int] = [:]

    init(_ file: TraceFile) {
        file.bytes.withUnsafeBytes { bytes in
            var cursor = TraceCursor(file)
            while let record = cursor.next(bytes) {
                if let event = record.accessoryEvent(in: bytes) { take(event, at: record.time ?? 0) }
            }
            diagnostics = cursor.diagnostics
        }
    }

    private mutating func take(_ event: TraceAccessoryEvent, at time: Int64) {
        let index = present[event.accessory]
        if case .attached(let description) = event.change {
            if let index {
                // Protocols that come later are there from the beginning: a file of an accessory names them all.
                let known = Set(accessories[index].description.protocols.map(\.name))
                accessories[index].description.protocols += description.protocols.filter { !known.contains($0.name) }
            } else {
                present[event.accessory] = accessories.count
                accessories.append(Accessory(name: event.accessory, description: description, attach: time))
            }
            return
        }
        guard let index else { return }
        if case .detached = event.change { present[event.accessory] = nil }
        accessories[index].take(event.change, at: time)
    }
}

extension TracePlan.Accessory {
    mutating func take(_ change: TraceAccessoryEvent.Change, at time: Int64) {
        switch change {
        case .attached: break
        case .detached: detach = time
        case .opened(let name): dialogues[name, default: []].append(TracePlan.Dialogue(last: time))
        case .closed(let name, let reason): edit(name, at: time) { $0.hangsUp = reason == .hungUp || reason == .failed }
        case .received(let name, let bytes):
            edit(name, at: time) { dialogue in
                let milliseconds = max(0, (time - dialogue.last) / 1_000_000)
                dialogue.script.steps.append(.read(milliseconds: UInt32(clamping: milliseconds), bytes))
            }
        case .sent(let name, let bytes): edit(name, at: time) { $0.script.steps.append(.write(milliseconds: 0, bytes)) }
        }
    }

    /// Bytes without an opening before them begin a dialogue.
    private mutating func edit(_ name: String, at time: Int64, _ change: (inout TracePlan.Dialogue) -> Void) {
        if dialogues[name, default: []].isEmpty { dialogues[name] = [TracePlan.Dialogue(last: time)] }
        // In place: a copy of a long dialogue for each of its steps would take the square of its length.
        dialogues[name, default: []].withLast { last in
            change(&last)
            last.last = time
        }
    }
}

extension Array {
    /// Changes the last element in place; nothing when there is none.
    fileprivate mutating func withLast(_ change: (inout Element) -> Void) {
        guard !isEmpty else { return }
        change(&self[count - 1])
    }
}
