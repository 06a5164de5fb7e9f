// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A policy that decides whether apps may use the position. Linux has no prompt for this, so an app, a test or the
/// configuration decides.
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
    /// Decides a request, immediately or later, on any thread. Only the first answer counts; if the closure is released
    /// without an answer, the request stays undecided. Called without a lock held, on the thread of the app's request
    /// or of the previous answer. Requests are submitted one at a time.
    func decide(_ request: LocationAccessRequest, answer: @escaping @Sendable (LocationAnswer) -> Void)
}

/// The decision of a policy.
public enum LocationAnswer: Sendable, Hashable {
    /// The request is granted.
    case grant
    /// The request is refused.
    case deny
    /// The request is not decided: the status does not change, and the app may ask again.
    case leaveUndecided
}

/// The policy defined by the configuration; see `location.authorization`.
struct ConfiguredLocationPolicy: LocationPolicy {
    /// Whether starting a service grants the authorization.
    let grantsOnStart: Bool

    func decide(_ request: LocationAccessRequest, answer: @escaping @Sendable (LocationAnswer) -> Void) {
        answer(request.kind == .start && !grantsOnStart ? .leaveUndecided : .grant)
    }
}

/// An app's request to use the position.
public struct LocationAccessRequest: Sendable {
    /// The kinds of requests.
    public enum Kind: Sendable, Hashable {
        /// A service was started before any authorization was requested.
        case start
        /// `requestWhenInUseAuthorization()`, or a session with the same requirement.
        case whenInUse
        /// `requestAlwaysAuthorization()`, or a session with the same requirement.
        case always
        /// `requestTemporaryFullAccuracyAuthorization(withPurposeKey:)`.
        case temporaryFullAccuracy(purposeKey: String)
    }

    /// The kind of the request.
    public let kind: Kind
    /// The purpose of the request: the manager's `purpose`, otherwise the configured text; nil if neither is set.
    public let purpose: String?
}

/// A current use of the position.
public struct LocationUse: Sendable {
    /// The services that use the position.
    public struct Services: OptionSet, Sendable, Hashable {
        /// One bit for each service.
        public let rawValue: Int

        /// Creates a set from its bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// `startUpdatingLocation()`.
        public static let standard = Services(rawValue: 1)
        /// `startMonitoringSignificantLocationChanges()`.
        public static let significantChanges = Services(rawValue: 2)
        /// `requestLocation()`.
        public static let singleRequest = Services(rawValue: 4)
        /// `CLLocationUpdate.liveUpdates()`.
        public static let liveUpdates = Services(rawValue: 8)
        /// `startRangingBeacons(satisfying:)`.
        public static let ranging = Services(rawValue: 16)
        /// Monitoring of managers' regions and of monitors' conditions.
        public static let regions = Services(rawValue: 32)
        /// `startMonitoringVisits()`.
        public static let visits = Services(rawValue: 64)
    }

    /// The services that are running.
    public let services: Services
    /// The purpose of the use; nil if none was stated.
    public let purpose: String?
    /// The start of the use, on the device's clock.
    public let since: Date
}
