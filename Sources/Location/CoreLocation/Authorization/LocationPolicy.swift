// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Decides whether apps may use the device's position. Linux has no authorization prompt, so a policy answers requests
/// in place of the user. The policy comes from the app, from a test or from the configuration.
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
    /// Decides on a request by calling `answer`, immediately or later, from any thread. Only the first answer counts.
    /// If `answer` is released without being called, the request stays undecided.
    ///
    /// Requests are decided one at a time. The method is called without a lock held, usually on the thread that made
    /// the request. If the request had to wait for an earlier one, the method runs on the thread that answered the
    /// earlier one.
    func decide(_ request: LocationAccessRequest, answer: @escaping @Sendable (LocationAnswer) -> Void)
}

/// A policy's decision on a request.
public enum LocationAnswer: Sendable, Hashable {
    /// Grants the request.
    case grant
    /// Refuses the request.
    case deny
    /// Leaves the status unchanged, so that the app can ask again.
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
        /// The app called `requestWhenInUseAuthorization()` or created a service session that requires this
        /// authorization.
        case whenInUse
        /// The app called `requestAlwaysAuthorization()` or created a service session that requires this authorization.
        case always
        /// The app requested full accuracy for a limited time.
        case temporaryFullAccuracy(purposeKey: String)
    }

    /// The kind of the request.
    public let kind: Kind
    /// The manager's `purpose`, or the configured purpose if the manager has none. nil if neither is set.
    public let purpose: String?
}

/// One or more services that use the position, with the purpose and the start time of this use.
public struct LocationUse: Sendable {
    /// A set of services that use the position.
    public struct Services: OptionSet, Sendable, Hashable {
        /// A bit mask with one bit per service.
        public let rawValue: Int

        /// Creates a set from a bit mask.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The service started by `startUpdatingLocation()`.
        public static let standard = Services(rawValue: 1)
        /// The service started by `startMonitoringSignificantLocationChanges()`.
        public static let significantChanges = Services(rawValue: 2)
        /// The service started by `requestLocation()`.
        public static let singleRequest = Services(rawValue: 4)
        /// The service started by a loop over `CLLocationUpdate.liveUpdates()`.
        public static let liveUpdates = Services(rawValue: 8)
        /// The service started by `startRangingBeacons(satisfying:)`.
        public static let ranging = Services(rawValue: 16)
        /// Region monitoring with `CLLocationManager` or `CLMonitor`.
        public static let regions = Services(rawValue: 32)
        /// The service started by `startMonitoringVisits()`.
        public static let visits = Services(rawValue: 64)
    }

    /// The running services.
    public let services: Services
    /// The purpose for using the position, or nil if none is set.
    public let purpose: String?
    /// The time at which this use of the position began, on the device's clock.
    public let since: Date
}
