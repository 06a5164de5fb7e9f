// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A monitor's conditions and pending events, protected by the monitor's lock. Events are buffered only here, and a
/// loop removes an event when the app requests it. Replacing a loop therefore neither loses nor reorders events.
struct MonitorState {
    /// The maximum number of conditions.
    static let limit = 20
    /// The maximum number of pending events. If the limit is reached, the oldest event is dropped.
    static let eventLimit = 1024

    typealias Event = CLMonitor.Event
    typealias Watch = RegionEngine.WatchID

    /// A condition and the ID of its watch in the region engine. A condition that replaces another one gets its own
    /// watch.
    struct Condition {
        let watch = Watch()
        let identifier: String
        let condition: any CLCondition
        /// nil if the condition cannot be monitored.
        let shape: RegionShape?
        /// The state reported by the last event added to the queue.
        var posted: Event.State
        /// The last event that a loop has completed.
        var last: Event
        var lastNumber: UInt64 = 0
    }

    /// An event with its number and the watch that caused it. The watch is nil if the event reports that a condition
    /// was not added.
    struct NumberedEvent: Sendable {
        let event: Event
        let watch: Watch?
        /// A number that increases with each event. If a replaced loop completes its event after the new loop has
        /// completed a later one, the number prevents the earlier event from being recorded.
        var number: UInt64 = 0
    }

    private(set) var conditions: [Condition] = []
    private var pendingEvents = BoundedQueue<NumberedEvent>()
    private var eventCount: UInt64 = 0
    weak var loop: MonitorEventLoop?

    // MARK: Conditions

    func condition(_ identifier: String) -> Condition? { conditions.first { $0.identifier == identifier } }

    func contains(_ watch: Watch) -> Bool { index(of: watch) != nil }

    mutating func add(_ condition: Condition) -> (isAdded: Bool, former: Condition?) {
        discardEvents(of: condition.identifier)
        if let index = conditions.firstIndex(where: { $0.identifier == condition.identifier }) {
            defer { conditions[index] = condition }
            return (true, conditions[index])
        }
        guard conditions.count < Self.limit else { return (false, nil) }
        conditions.append(condition)
        return (true, nil)
    }

    mutating func remove(_ identifier: String) -> Condition? {
        discardEvents(of: identifier)
        return conditions.firstIndex { $0.identifier == identifier }.map { conditions.remove(at: $0) }
    }

    private mutating func discardEvents(of identifier: String) {
        pendingEvents.removeAll { $0.event.identifier == identifier }
    }

    private func index(of watch: Watch?) -> Int? { conditions.firstIndex { $0.watch == watch } }

    // MARK: Events

    /// Adds an event and returns true. If the state has not changed or the condition was removed, returns false without
    /// adding the event.
    mutating func post(_ numberedEvent: NumberedEvent) -> Bool {
        if let watch = numberedEvent.watch {
            guard let index = index(of: watch), conditions[index].posted != numberedEvent.event.state else {
                return false
            }
            conditions[index].posted = numberedEvent.event.state
        }
        eventCount += 1
        pendingEvents.append(
            NumberedEvent(event: numberedEvent.event, watch: numberedEvent.watch, number: eventCount),
            limit: Self.eventLimit)
        return true
    }

    /// Removes and returns the oldest event, or returns nil if no event is pending or a newer loop has started.
    mutating func removeFirst(for consumer: MonitorEventLoop) -> NumberedEvent? {
        consumer === loop ? pendingEvents.popFirst() : nil
    }

    var isEmpty: Bool { pendingEvents.isEmpty }

    /// Returns whether an event's condition still exists. Always true for an event without a watch.
    func isCurrent(_ numberedEvent: NumberedEvent) -> Bool { numberedEvent.watch.map(contains) ?? true }

    /// Records that an event has been completed. Returns false if the condition was removed or a later event has
    /// already been completed.
    mutating func complete(_ numberedEvent: NumberedEvent) -> Bool {
        guard let index = index(of: numberedEvent.watch), numberedEvent.number > conditions[index].lastNumber else {
            return false
        }
        conditions[index].lastNumber = numberedEvent.number
        conditions[index].last = numberedEvent.event
        return true
    }

    /// The conditions with the states of their last completed events. Uncompleted events do not change these states, so
    /// the next run delivers the events again.
    var stored: [StoredRegion] {
        conditions.compactMap { condition in
            condition.shape.map {
                StoredRegion(
                    identifier: condition.identifier, shape: $0, state: Int(condition.last.state.rawValue),
                    date: condition.last.date.timeIntervalSinceReferenceDate)
            }
        }
    }
}
