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
/// ``CLCircularRegion`` describes when a boundary crossing is reported. An event is delivered when the state of a
/// condition differs from the state in its last event. The initial state is unknown unless the app specifies an assumed
/// state. Conditions and their last events are stored under the monitor's name, in the same file as the managers'
/// regions, and restored in the next run of the app. During trace playback, nothing is stored.
///
/// An event is complete when the loop requests the next event or ends. If the app is terminated before then, the event
/// is delivered again in the next run. An event may therefore be delivered twice, so event handling must be idempotent.
///
/// If the authorization status is not determined, adding a condition requests authorization.
///
/// Monitors with the same name share their conditions and events. On Apple's platforms, a second monitor with the same
/// name terminates the process. Each monitor can have up to 20 conditions, whereas Apple's limit of 20 applies to the
/// whole app. Conditions are monitored only while the monitor or a loop over its events exists.
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

    /// Returns the condition with the given identifier and its last event, or nil if there is no such condition.
    public func record(for identifier: String) -> Record? { core.record(for: identifier) }

    /// The identifiers of the conditions, in the order they were added.
    public var identifiers: [String] { core.identifiers }

    /// An endless sequence of the monitor's events. Up to 1,024 events are buffered, even before the first loop starts.
    /// Only one loop is active at a time. When a second loop starts, the first one ends. Trace playback waits while a
    /// loop processes an event, so do not await `play()` in the loop body.
    public var events: Events { Events(core: core) }

    /// A change in the state of a condition.
    public struct Event: Sendable {
        /// The state of a condition.
        public enum State: UInt, Sendable {
            /// The state has not been determined.
            case unknown = 0
            /// The device is inside the circle, or it receives the beacon.
            case satisfied = 1
            /// The condition is not satisfied.
            case unsatisfied = 2
            /// The condition is not monitored. The event's properties give the reason.
            case unmonitored = 3
        }

        /// The identifier of the condition.
        public let identifier: String
        /// The new state.
        public let state: State
        /// The time of the change. For a circle, this is the time of the first position in the new state.
        public let date: Date
        /// The received beacon if the condition can match several beacons, or nil otherwise.
        public let refinement: (any CLCondition)?
        /// True if the app is denied access to the position.
        public let authorizationDenied: Bool
        /// True if location services are disabled, which denies all apps access to the position.
        public let authorizationDeniedGlobally: Bool
        /// True if access to the position is restricted on this machine.
        public let authorizationRestricted: Bool
        /// True while a policy is deciding on the authorization request.
        public let authorizationRequestInProgress: Bool
        /// True if the app is authorized only for reduced accuracy, which is not sufficient for monitoring.
        public let accuracyLimited: Bool
        /// True if the condition cannot be monitored because its type is not supported, its identifier is too long, its
        /// circle's centre or radius is invalid, or the machine cannot receive beacons.
        public let conditionUnsupported: Bool
        /// True if the condition was not added because the monitor already has 20 conditions.
        public let conditionLimitExceeded: Bool
        /// True if conditions cannot be saved for the next run of the app. During trace playback, this is always false.
        public let persistenceUnavailable: Bool
        /// Always false, because an app on Linux always counts as being in use.
        public var insufficientlyInUse: Bool { false }
        /// Always false, because Linux does not require a session.
        public var serviceSessionRequired: Bool { false }

        init(
            _ identifier: String, _ state: State, timestamp: Double, _ authorization: LocationAuthorization,
            refinement: (any CLCondition)? = nil, isUnsupported: Bool = false, exceedsLimit: Bool = false,
            isPersistenceUnavailable: Bool = false
        ) {
            let status = authorization.status
            (self.identifier, self.state, self.refinement) = (identifier, state, refinement)
            date = Date(timeIntervalSinceReferenceDate: timestamp)
            authorizationDenied = status == .denied
            authorizationDeniedGlobally = status == .denied && !authorization.servicesEnabled
            authorizationRestricted = status == .restricted
            authorizationRequestInProgress = authorization.isRequestInProgress
            accuracyLimited = authorization.accuracy == .reducedAccuracy
            conditionUnsupported = isUnsupported
            conditionLimitExceeded = exceedsLimit
            persistenceUnavailable = isPersistenceUnavailable
        }
    }
}

extension CLMonitor {
    /// A condition and its last event.
    public struct Record: Sendable {
        /// The condition.
        public let condition: any CLCondition
        /// The last event that a loop has finished processing. Before the first one, an event with the assumed state.
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

            private final class Handle {
                let loop: MonitorEventLoop

                init(_ loop: MonitorEventLoop) { self.loop = loop }

                deinit { loop.finish() }
            }

            init(core: MonitorCore) { handle = Handle(MonitorEventLoop(core)) }

            /// Returns the next event, or nil if the task is cancelled or a newer loop has started. The method never
            /// throws on Linux.
            public mutating func next() async throws -> Event? { await handle.loop.next() }
        }
    }
}
