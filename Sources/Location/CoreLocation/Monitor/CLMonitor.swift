// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import LiveDevice

/// Watches conditions, and tells when they begin or cease to be satisfied.
///
/// ```swift
/// let monitor = await CLMonitor("depot")
/// let yard = CLLocationCoordinate2D(latitude: 48.137, longitude: 11.575)
/// await monitor.add(CLMonitor.CircularGeographicCondition(center: yard, radius: 200), identifier: "yard")
/// for try await event in await monitor.events {
///     print(event.identifier, event.state == .satisfied ? "inside" : "outside", event.date)
/// }
/// ```
///
/// Borders are watched as those of ``CLCircularRegion``, which says when a crossing is told. A condition gives an event
/// when its state is another than that of the last event; at first that is unknown, or what was assumed. Conditions and
/// their last events are kept by the monitor's name from one run of the program to the next, beside the regions of
/// managers. While a trace is played nothing is kept.
///
/// A loop has done with an event when it asks for the next one, or is left. A program that is killed before that hears of
/// the event again in its next run: nothing is lost, and an event may come twice. What it does on an event it does so that
/// twice is no harm.
///
/// Adding the first condition asks for the authorization when it is not decided yet, as starting a service does.
///
/// Differences from Apple's: a second monitor of a name that is in use shares the conditions and the events of the first,
/// where Apple ends the process. A monitor has 20 conditions, where Apple's limit is one of the program. Without a
/// monitor and a loop over its events, its conditions are not watched: no other process does that.
public actor CLMonitor {
    /// The monitor's name.
    public nonisolated let name: String

    private let core: MonitorCore

    /// Opens the monitor of that name, with the conditions that it had.
    public init(_ name: String) async {
        self.name = name
        core = MonitorCore.of(LiveDevice.resolved, name)
    }

    /// Watches a condition from now on, in the place of one of that identifier.
    public func add(_ condition: any CLCondition, identifier: String) {
        core.add(condition, identifier, assuming: .unknown)
    }

    /// Watches a condition from now on, in the place of one of that identifier. An event comes when the state is another
    /// than the one assumed.
    public func add(_ condition: any CLCondition, identifier: String, assuming state: Event.State) {
        core.add(condition, identifier, assuming: state)
    }

    /// Watches the condition of that identifier no longer. No event of it comes after that, also of what waits.
    public func remove(_ identifier: String) {
        core.remove(identifier)
    }

    /// The condition of that identifier and its last event; nil when there is none.
    public func record(for identifier: String) -> Record? {
        core.record(for: identifier)
    }

    /// The identifiers of the conditions, in the order in which they were added.
    public var identifiers: [String] { core.identifiers }

    /// What happens to the conditions, as a sequence that never ends by itself.
    ///
    /// What happened before the first loop waits for it, up to 1,024 events. There is one loop at a time: a second one
    /// takes over, and the first ends. Playback waits for a loop that works on an event, so do not await `play()` in it.
    public var events: Events { Events(core: core) }
}

extension CLMonitor {
    /// A condition and what is known of it.
    public struct Record: Sendable {
        /// The condition.
        public let condition: any CLCondition
        /// The last event that a loop has done with; before the first, one with the state that was assumed. While a loop
        /// works on an event this is the one before, to compare with.
        public let lastEvent: Event
    }

    /// The events of a monitor as a sequence.
    public struct Events: AsyncSequence, Sendable {
        /// What the sequence is made of.
        public typealias Element = Event
        /// What a loop over it uses.
        public typealias AsyncIterator = Iterator

        let core: MonitorCore

        /// A loop over the events.
        public func makeAsyncIterator() -> Iterator { Iterator(core: core) }

        /// One loop over the events.
        public struct Iterator: AsyncIteratorProtocol {
            private let handle: Handle

            /// Ends the loop when the iterator is released.
            private final class Handle {
                let loop: MonitorLoop

                init(_ loop: MonitorLoop) { self.loop = loop }

                deinit { loop.finish() }
            }

            init(core: MonitorCore) {
                handle = Handle(MonitorLoop(core))
            }

            /// The next event, once there is one; nil when the task is cancelled or another loop has taken over. Never
            /// throws on Linux.
            public mutating func next() async throws -> Event? {
                await handle.loop.next()
            }
        }
    }
}
