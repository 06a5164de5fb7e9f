// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension CLMonitor {
    /// A change of a condition's state.
    public struct Event: Sendable {
        /// Whether a condition is satisfied.
        public enum State: UInt, Sendable {
            /// Not seen yet.
            case unknown = 0
            /// It is: the device is in the circle, or hears the beacon.
            case satisfied = 1
            /// It is not.
            case unsatisfied = 2
            /// Nobody looks; the event's properties say why.
            case unmonitored = 3
        }

        /// The condition's identifier.
        public let identifier: String
        /// The new state.
        public let state: State
        /// Since when: the time of the first position on this side of the border, or of the beacon's first sighting.
        public let date: Date
        /// The beacon that was heard, when the condition leaves open which one; nil otherwise.
        public let refinement: (any CLCondition)?
        /// True when the program may not use the position.
        public let authorizationDenied: Bool
        /// True when nobody may, because the services are switched off.
        public let authorizationDeniedGlobally: Bool
        /// True when the use of the position is restricted on this machine.
        public let authorizationRestricted: Bool
        /// True while a policy has not answered the request to use the position.
        public let authorizationRequestInProgress: Bool
        /// True when only a reduced accuracy is allowed, which tells nothing of borders.
        public let accuracyLimited: Bool
        /// True when such a condition cannot be watched here: a circle without a place or with a radius out of range, a
        /// beacon on a machine that hears none, a condition of the program's own.
        public let conditionUnsupported: Bool
        /// True when the monitor has 20 conditions already; this one was not added.
        public let conditionLimitExceeded: Bool
        /// True when conditions cannot be kept: there is no place for the file, or it cannot be written. False while a
        /// trace is played, where nothing shall be kept.
        public let persistenceUnavailable: Bool
        /// False: a process on Linux is always in use.
        public var insufficientlyInUse: Bool { false }
        /// False: Linux needs no session.
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
            authorizationRequestInProgress = authorization.isAsking
            accuracyLimited = authorization.accuracy == .reducedAccuracy
            conditionUnsupported = isUnsupported
            conditionLimitExceeded = exceedsLimit
            persistenceUnavailable = isNotKept
        }
    }
}
