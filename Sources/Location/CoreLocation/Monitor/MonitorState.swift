// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The conditions of a monitor, and the events that no loop has taken yet. A value, under the monitor's lock.
///
/// Events wait here and nowhere else: a loop takes one when its program asks for it. So none is lost or overtaken when
/// loops come and go.
struct MonitorState {
    /// The most conditions of a monitor.
    static let limit = 20
    /// More events than this do not wait: the oldest are dropped.
    static let eventLimit = 1024

    typealias Event = CLMonitor.Event
    typealias Watch = RegionEngine.Watch

    /// A condition. What is added in the place of one of its identifier is another condition, with another watch.
    struct Condition {
        let watch = Watch()
        let identifier: String
        let condition: any CLCondition
        /// Nil for one that cannot be watched.
        let shape: RegionShape?
        /// The state of the last event that was made.
        var posted: Event.State
        /// The last event that a loop has done with.
        var last: Event
        /// Its number.
        var lastNumber: UInt64 = 0
    }

    /// An event, and the watch that it is of; none when nothing was added.
    struct News: Sendable {
        let event: Event
        let watch: Watch?
        /// Later events have higher numbers: a loop that was taken over may have done with one after its successor.
        var number: UInt64 = 0
    }

    private(set) var conditions: [Condition] = []
    private var waiting = Outbox<News>()
    private var eventCount: UInt64 = 0
    /// The one that events are for.
    weak var loop: MonitorLoop?

    // MARK: Conditions

    func condition(_ identifier: String) -> Condition? { conditions.first { $0.identifier == identifier } }

    func has(_ watch: Watch) -> Bool { index(of: watch) != nil }

    /// Adds a condition, in the place of one of its identifier. What waits of that one is forgotten.
    ///
    /// - Returns: Whether there was room, and the condition that was there before.
    mutating func add(_ condition: Condition) -> (isAdded: Bool, former: Condition?) {
        forgetEvents(of: condition.identifier)
        if let index = conditions.firstIndex(where: { $0.identifier == condition.identifier }) {
            defer { conditions[index] = condition }
            return (true, conditions[index])
        }
        guard conditions.count < Self.limit else { return (false, nil) }
        conditions.append(condition)
        return (true, nil)
    }

    mutating func remove(_ identifier: String) -> Condition? {
        forgetEvents(of: identifier)
        return conditions.firstIndex { $0.identifier == identifier }.map { conditions.remove(at: $0) }
    }

    private mutating func forgetEvents(of identifier: String) {
        waiting.removeAll { $0.event.identifier == identifier }
    }

    private func index(of watch: Watch?) -> Int? { conditions.firstIndex { $0.watch == watch } }

    // MARK: Events

    /// Has an event wait, unless it says what the last one said, or its condition is gone.
    ///
    /// - Returns: True when it waits.
    mutating func post(_ news: News) -> Bool {
        if let watch = news.watch {
            guard let index = index(of: watch), conditions[index].posted != news.event.state else { return false }
            conditions[index].posted = news.event.state
        }
        eventCount += 1
        waiting.append(News(event: news.event, watch: news.watch, number: eventCount), limit: Self.eventLimit)
        return true
    }

    /// Gives the oldest event to a loop that asks for it; nil when none waits, or another loop has taken over.
    mutating func takeFirst(for asking: MonitorLoop) -> News? {
        asking === loop ? waiting.takeFirst() : nil
    }

    var isEmpty: Bool { waiting.isEmpty }

    /// True while an event's condition is there, or when nothing was added.
    func isCurrent(_ news: News) -> Bool { news.watch.map(has) ?? true }

    /// A loop has done with an event; false when its condition is gone, or a later one is done with.
    mutating func finish(_ news: News) -> Bool {
        guard let index = index(of: news.watch), news.number > conditions[index].lastNumber else { return false }
        conditions[index].lastNumber = news.number
        conditions[index].last = news.event
        return true
    }

    // MARK: What is kept

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
