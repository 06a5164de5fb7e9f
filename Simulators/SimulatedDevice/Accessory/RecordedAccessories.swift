// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// The accessories of a trace. Only the player may use this value.
struct RecordedAccessories {
    private let source: SimulatedAccessorySource
    private let clock: any DeviceClock
    let differences = AccessoryDifferenceList()
    /// The attached accessories, keyed by their names in the trace.
    private var attached: [String: (id: AccessoryDescription.ID, attachment: RecordedAttachment)] = [:]

    init(source: SimulatedAccessorySource, clock: any DeviceClock) {
        (self.source, self.clock) = (source, clock)
    }

    mutating func process(_ event: TraceAccessoryEvent) {
        let known = attached[event.accessory]
        switch event.change {
        case .attached(var description):
            if let known {
                description.id = known.id
                known.attachment.process(event.change)
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
        case .opened, .closed, .received, .sent: known?.attachment.process(event.change)
        }
    }

    /// Attaches and detaches accessories to match a different time in the trace. If an accessory remains attached, its
    /// sessions continue.
    mutating func restore(_ events: [TraceAccessoryEvent]) {
        let names = Set(events.map(\.accessory))
        let gone = attached.filter { !names.contains($0.key) }.sorted { $0.value.id < $1.value.id }
        for (name, _) in gone { process(TraceAccessoryEvent(accessory: name, .detached)) }
        for event in events {
            // Reattaches an accessory that was detached manually.
            if let id = id(of: event.accessory), !source.has(id) { attached[event.accessory] = nil }
            process(event)
        }
    }

    func id(of name: String) -> AccessoryDescription.ID? { attached[name]?.id }

    /// Returns the differences that would be reported if playback ended now, ordered by accessory.
    func outstanding() -> [AccessoryDifference] {
        attached.values.sorted { $0.id < $1.id }.flatMap { $0.attachment.outstanding() }
    }
}
