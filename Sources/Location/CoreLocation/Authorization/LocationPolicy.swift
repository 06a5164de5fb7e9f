// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Decides who may know where the device is. Linux has no prompt for it, so a program, a test or the configuration does.
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
    /// Answers a request, at once or later, from any thread. Only the first answer counts; a closure that is dropped
    /// leaves the request undecided. Called without a lock held, on the thread of the program's call or of the previous
    /// answer: requests come one at a time.
    func decide(_ request: LocationAccessRequest, answer: @escaping @Sendable (LocationAnswer) -> Void)
}

/// A policy's answer.
public enum LocationAnswer: Sendable, Hashable {
    /// The request is granted.
    case grant
    /// The request is refused.
    case deny
    /// Nothing is decided: the status stays as it is, and the program may ask again.
    case leaveUndecided
}

/// The policy of the configuration: see `location.authorization` there.
struct ConfiguredLocationPolicy: LocationPolicy {
    /// True when starting a service counts as a wish.
    let grantsOnStart: Bool

    func decide(_ request: LocationAccessRequest, answer: @escaping @Sendable (LocationAnswer) -> Void) {
        answer(request.kind == .start && !grantsOnStart ? .leaveUndecided : .grant)
    }
}

/// A program's request to know where the device is, as a policy sees it.
public struct LocationAccessRequest: Sendable {
    /// What is requested.
    public enum Kind: Sendable, Hashable {
        /// A service was started before anything was requested.
        case start
        /// `requestWhenInUseAuthorization()`, or a session that wants as much.
        case whenInUse
        /// `requestAlwaysAuthorization()`, or a session that wants as much.
        case always
        /// `requestTemporaryFullAccuracyAuthorization(withPurposeKey:)`.
        case temporaryFullAccuracy(purposeKey: String)
    }

    /// What is requested.
    public let kind: Kind
    /// What the program says it is for: the manager's `purpose`, else the configured text; nil when nothing was said.
    public let purpose: String?
}

/// Somebody who uses the position right now.
public struct LocationUse: Sendable {
    /// The ways to use it.
    public struct Services: OptionSet, Sendable, Hashable {
        /// One bit for each service.
        public let rawValue: Int

        /// The services of those bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

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
        /// Regions of managers and conditions of monitors.
        public static let regions = Services(rawValue: 32)
        /// `startMonitoringVisits()`.
        public static let visits = Services(rawValue: 64)
    }

    /// The services that are running.
    public let services: Services
    /// What it is for, when that was said.
    public let purpose: String?
    /// Since when, in the time of the device.
    public let since: Date
}
