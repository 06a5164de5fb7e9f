// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// The accessories that a trace tells of. It belongs to the player.
struct RecordedAccessories {
    private let source: SimulatedAccessorySource
    private let clock: any DeviceClock
    let differences = AccessoryDifferences()
    /// Those that are attached, by their names in the trace.
    private var attached: [String: (id: AccessoryDescription.ID, attachment: RecordedAttachment)] = [:]

    init(source: SimulatedAccessorySource, clock: any DeviceClock) {
        self.source = source
        self.clock = clock
    }

    mutating func take(_ event: TraceAccessoryEvent) {
        let known = attached[event.accessory]
        switch event.change {
        case .attached(var description):
            if let known {
                description.id = known.id
                known.attachment.take(event.change)
                source.change(description)
            } else {
                let attachment = RecordedAttachment(name: description.name, clock: clock, differences: differences)
                let id = source.attach(description, attachment)
                attachment.setID(id)
                attached[event.accessory] = (id, attachment)
            }
        case .detached:
            guard let known else { return }
            attached[event.accessory] = nil
            source.detach(known.id)
        case .opened, .closed, .received, .sent: known?.attachment.take(event.change)
        }
    }

    /// Attaches and detaches, so that those are attached which the trace tells of at another place. Sessions with those that
    /// stay go on.
    mutating func restore(_ events: [TraceAccessoryEvent]) {
        let names = Set(events.map(\.accessory))
        let gone = attached.filter { !names.contains($0.key) }.sorted { $0.value.id < $1.value.id }
        for (name, _) in gone { take(TraceAccessoryEvent(accessory: name, .detached)) }
        for event in events {
            // One that somebody has unplugged by hand is there again.
            if let id = id(of: event.accessory), !source.has(id) { attached[event.accessory] = nil }
            take(event)
        }
    }

    /// The number of one that is attached, by its name in the trace.
    func id(of name: String) -> AccessoryDescription.ID? { attached[name]?.id }

    /// What is different if nothing happens any more, in the order of the accessories.
    func outstanding() -> [AccessoryDifference] {
        attached.values.sorted { $0.id < $1.id }.flatMap { $0.attachment.outstanding() }
    }
}
