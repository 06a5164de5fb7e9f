// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Decides whether apps may use the position. Linux has no authorization prompt, so an app, a test or the configuration
/// decides.
///
/// ```swift
/// struct AskOnTerminal: LocationPolicy {
///     func decide(_ request: LocationAccessRequest, answer: @escaping @Sendable (LocationAnswer) -> Void) {
///         print("May this program use the position? \(request.purpose ?? "")")
///         answer(readLine() == "yes" ? .grant : .deny)
///     }
/// }
/// LocationAuthorization.current.policy = AskOnTerminal()
/// ```
public protocol LocationPolicy: Sendable {
    /// Decides a request, either immediately or later, on any thread. Only the first answer counts. If `answer` is
    /// released without being called, the request stays undecided. The authorization submits one request at a time,
    /// without a lock held, on the thread of the app's request or of the previous answer.
    func decide(_ request: LocationAccessRequest, answer: @escaping @Sendable (LocationAnswer) -> Void)
}

/// A policy's decision on a request.
public enum LocationAnswer: Sendable, Hashable {
    /// Grants the request.
    case grant
    /// Refuses the request.
    case deny
    /// Leaves the status unchanged, so that the app may ask again.
    case leaveUndecided
}

/// The policy that the configuration key `location.authorization` defines.
struct ConfiguredLocationPolicy: LocationPolicy {
    let grantsOnStart: Bool

    func decide(_ request: LocationAccessRequest, answer: @escaping @Sendable (LocationAnswer) -> Void) {
        answer(request.kind == .start && !grantsOnStart ? .leaveUndecided : .grant)
    }
}

/// An app's request to use the position.
public struct LocationAccessRequest: Sendable {
    /// The kind of a request.
    public enum Kind: Sendable, Hashable {
        /// The app started a service without requesting authorization.
        case start
        /// The app called `requestWhenInUseAuthorization()` or created a session with the same requirement.
        case whenInUse
        /// The app called `requestAlwaysAuthorization()` or created a session with the same requirement.
        case always
        /// The app requested full accuracy for a limited time.
        case temporaryFullAccuracy(purposeKey: String)
    }

    /// The kind of the request.
    public let kind: Kind
    /// The manager's `purpose`, or the configured purpose if the manager has none. nil if neither is set.
    public let purpose: String?
}

/// A current use of the position.
public struct LocationUse: Sendable {
    /// The services that use the position.
    public struct Services: OptionSet, Sendable, Hashable {
        /// One bit per service.
        public let rawValue: Int

        /// Creates a set from its bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Started by `startUpdatingLocation()`.
        public static let standard = Services(rawValue: 1)
        /// Started by `startMonitoringSignificantLocationChanges()`.
        public static let significantChanges = Services(rawValue: 2)
        /// Started by `requestLocation()`.
        public static let singleRequest = Services(rawValue: 4)
        /// Started by a loop over `CLLocationUpdate.liveUpdates()`.
        public static let liveUpdates = Services(rawValue: 8)
        /// Started by `startRangingBeacons(satisfying:)`.
        public static let ranging = Services(rawValue: 16)
        /// Region monitoring with `CLLocationManager` or `CLMonitor`.
        public static let regions = Services(rawValue: 32)
        /// Started by `startMonitoringVisits()`.
        public static let visits = Services(rawValue: 64)
    }

    /// The running services.
    public let services: Services
    /// The purpose of the use, or nil if the app states none.
    public let purpose: String?
    /// The time at which the use began, on the device's clock.
    public let since: Date
}
