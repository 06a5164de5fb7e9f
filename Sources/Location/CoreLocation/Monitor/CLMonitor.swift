// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
import LiveDevice

/// A monitor that reports when conditions become satisfied or unsatisfied.
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
/// Borders are monitored like those of ``CLCircularRegion``, whose documentation describes when a crossing is reported.
/// A condition causes an event when its state differs from the state in its last event. The initial state is unknown,
/// unless a different state is assumed. Conditions and their last events are stored under the monitor's name, in the
/// same file as the regions of managers, and restored in the next run of the app. During trace playback, nothing is
/// stored.
///
/// A loop has completed an event when it requests the next one or ends. If the app is terminated before that, the event
/// is delivered again in the next run. No event is lost, but an event may be delivered twice, so event handling has to
/// be idempotent.
///
/// Adding the first condition requests authorization if the status is not determined, as starting a service does.
///
/// Differences from Apple's monitor: a second monitor with a name that is in use shares the conditions and events of
/// the first, whereas Apple terminates the process. The limit of 20 conditions applies to each monitor, whereas Apple's
/// limit applies to the app. Conditions are monitored only while the monitor or a loop over its events exists, because
/// no other process monitors them.
public actor CLMonitor {
    /// The monitor's name.
    public nonisolated let name: String

    private let core: MonitorCore

    /// Opens the monitor with the given name and restores its conditions.
    public init(_ name: String) async {
        self.name = name
        core = MonitorCore.of(LiveDevice.resolved, name)
    }

    /// Adds a condition and starts monitoring it. An existing condition with the same identifier is replaced.
    public func add(_ condition: any CLCondition, identifier: String) {
        core.add(condition, identifier, assuming: .unknown)
    }

    /// Adds a condition and starts monitoring it. An existing condition with the same identifier is replaced. An event
    /// is delivered if the state differs from the assumed state.
    public func add(_ condition: any CLCondition, identifier: String, assuming state: Event.State) {
        core.add(condition, identifier, assuming: state)
    }

    /// Removes a condition, stops monitoring it, and discards its pending events.
    public func remove(_ identifier: String) { core.remove(identifier) }

    /// Returns a condition and its last event, or nil if no condition has the identifier.
    public func record(for identifier: String) -> Record? { core.record(for: identifier) }

    /// The identifiers of the conditions, in the order in which they were added.
    public var identifiers: [String] { core.identifiers }

    /// An endless sequence of the monitor's events. Up to 1,024 events are buffered, even before the first loop. Only
    /// one loop is active at a time: when a second loop starts, the first one ends. Playback waits while a loop
    /// processes an event, so do not await `play()` in the loop body.
    public var events: Events { Events(core: core) }
}

extension CLMonitor {
    /// A condition and its last event.
    public struct Record: Sendable {
        /// The condition.
        public let condition: any CLCondition
        /// The last event that a loop has completed. Before the first event, this is an event with the assumed state.
        /// While a loop processes an event, this is the previous event, for comparison.
        public let lastEvent: Event
    }

    /// A sequence of the monitor's events.
    public struct Events: AsyncSequence, Sendable {
        /// The element type of the sequence.
        public typealias Element = Event
        /// The iterator type of the sequence.
        public typealias AsyncIterator = Iterator

        let core: MonitorCore

        /// Returns an iterator over the events.
        public func makeAsyncIterator() -> Iterator { Iterator(core: core) }

        /// An iterator over the events.
        public struct Iterator: AsyncIteratorProtocol {
            private let handle: Handle

            /// Ends the loop when the iterator is released.
            private final class Handle {
                let loop: MonitorEventLoop

                init(_ loop: MonitorEventLoop) { self.loop = loop }

                deinit { loop.finish() }
            }

            init(core: MonitorCore) { handle = Handle(MonitorEventLoop(core)) }

            /// Returns the next event, or nil if the task is cancelled or a newer loop has taken over. Never throws on
            /// Linux.
            public mutating func next() async throws -> Event? { await handle.loop.next() }
        }
    }
}

extension CLMonitor {
    /// A change of a condition's state.
    public struct Event: Sendable {
        /// The state of a condition.
        public enum State: UInt, Sendable {
            /// The state has not been determined.
            case unknown = 0
            /// The condition is satisfied: the device is inside the circle, or receives the beacon.
            case satisfied = 1
            /// The condition is not satisfied.
            case unsatisfied = 2
            /// The condition is not monitored; the properties of the event contain the reason.
            case unmonitored = 3
        }

        /// The identifier of the condition.
        public let identifier: String
        /// The new state.
        public let state: State
        /// The time since which the state has held: the time of the first position or sighting in this state.
        public let date: Date
        /// The beacon that was received, if the condition matches several beacons; otherwise nil.
        public let refinement: (any CLCondition)?
        /// True if the app may not use the position.
        public let authorizationDenied: Bool
        /// True if no app may use the position, because location services are disabled.
        public let authorizationDeniedGlobally: Bool
        /// True if the use of the position is restricted on this machine.
        public let authorizationRestricted: Bool
        /// True while a policy is deciding the request to use the position.
        public let authorizationRequestInProgress: Bool
        /// True if only reduced accuracy is authorized, which is not sufficient for monitoring borders.
        public let accuracyLimited: Bool
        /// True if the condition cannot be monitored, because a circle has an invalid centre or radius, the machine
        /// cannot receive beacons, or the condition type is not supported.
        public let conditionUnsupported: Bool
        /// True if the condition was not added because the monitor already has 20 conditions.
        public let conditionLimitExceeded: Bool
        /// True if conditions cannot be written to the file. Always false during trace playback.
        public let persistenceUnavailable: Bool
        /// Always false: a process on Linux is always in use.
        public var insufficientlyInUse: Bool { false }
        /// Always false: Linux does not require a session.
        public var serviceSessionRequired: Bool { false }

        init(
            _ identifier: String, _ state: State, timestamp: Double, _ authorization: LocationAuthorization,
            refinement: (any CLCondition)? = nil, isUnsupported: Bool = false, exceedsLimit: Bool = false,
            isNotKept: Bool = false
        ) {
            let status = authorization.status
            self.identifier = identifier
            self.state = state
            self.refinement = refinement
            date = Date(timeIntervalSinceReferenceDate: timestamp)
            authorizationDenied = status == .denied
            authorizationDeniedGlobally = status == .denied && !authorization.servicesEnabled
            authorizationRestricted = status == .restricted
            authorizationRequestInProgress = authorization.isRequestInProgress
            accuracyLimited = authorization.accuracy == .reducedAccuracy
            conditionUnsupported = isUnsupported
            conditionLimitExceeded = exceedsLimit
            persistenceUnavailable = isNotKept
        }
    }
}
