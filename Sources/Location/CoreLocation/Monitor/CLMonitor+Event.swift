// SPDX-License-Identifier: Apache-2.0

public import Foundation

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
        /// The time since which the state holds: that of the first position on this side of the border, or of the first
        /// sighting of the beacon.
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
        /// True if only reduced accuracy is authorized, which does not allow the monitoring of borders.
        public let accuracyLimited: Bool
        /// True if the condition cannot be monitored: a circle with an invalid centre or radius, a beacon on a machine
        /// that cannot receive beacons, or a condition type that is not supported.
        public let conditionUnsupported: Bool
        /// True if the monitor already has 20 conditions, so that this one was not added.
        public let conditionLimitExceeded: Bool
        /// True if conditions cannot be stored because the file could not be written. Always false while a trace is
        /// played, because nothing is stored then.
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
