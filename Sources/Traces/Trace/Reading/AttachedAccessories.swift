// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The accessories attached at a given point in a trace.
struct AttachedAccessories: Sendable {
    private struct Entry: Sendable {
        var id: String
        var protocols: [String]
    }

    private var entries: [Entry] = []

    /// Applies an event. Returns false if the accessory is not attached, if it does not offer the protocol, or if the
    /// maximum number of accessories is already attached.
    mutating func apply(_ event: TraceAccessoryEvent) -> Bool {
        let index = entries.firstIndex { $0.id == event.accessory }
        switch event.change {
        case .attached(let description):
            let entry = Entry(id: event.accessory, protocols: description.protocols.map(\.name))
            if let index {
                entries[index] = entry
            } else {
                guard entries.count < TraceAccessoryEvent.maximumAccessories else { return false }
                entries.append(entry)
            }
            return true
        case .detached:
            guard let index else { return false }
            entries.remove(at: index)
            return true
        case .opened(let name), .closed(let name, _), .received(let name, _), .sent(let name, _):
            guard let index else { return false }
            return entries[index].protocols.contains(name)
        }
    }
}
