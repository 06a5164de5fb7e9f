// SPDX-License-Identifier: Apache-2.0

import LiveDevice

/// A session that an app uses to declare that it needs the position. Creating a session requests the required
/// authorization. Ending the session does not change the authorization.
public final class CLServiceSession: Sendable {
    /// The authorization that a session requires.
    public enum AuthorizationRequirement: Sendable, Hashable {
        /// No authorization. The app requests authorization itself.
        case none
        /// Authorization to use the position while the app is in use.
        case whenInUse
        /// Authorization to use the position at any time.
        case always
    }

    private let requirement: AuthorizationRequirement
    private let fullAccuracyPurposeKey: String?
    private let changes: AuthorizationChanges

    /// Creates a session that requires the given authorization.
    public convenience init(authorization: AuthorizationRequirement) {
        self.init(requirement: authorization, fullAccuracyPurposeKey: nil)
    }

    /// Creates a session that requires the given authorization, and requests full accuracy for the given purpose.
    public convenience init(authorization: AuthorizationRequirement, fullAccuracyPurposeKey: String) {
        self.init(requirement: authorization, fullAccuracyPurposeKey: fullAccuracyPurposeKey)
    }

    private init(requirement: AuthorizationRequirement, fullAccuracyPurposeKey: String?) {
        self.requirement = requirement
        self.fullAccuracyPurposeKey = fullAccuracyPurposeKey
        let authorization = LocationAuthorization.of(LiveDevice.resolved)
        changes = AuthorizationChanges(authorization)
        switch requirement {
        case .none: break
        case .whenInUse: authorization.request(.whenInUse, purpose: nil)
        case .always: authorization.request(.always, purpose: nil)
        }
        if let fullAccuracyPurposeKey {
            authorization.request(.temporaryFullAccuracy(purposeKey: fullAccuracyPurposeKey), purpose: nil)
        }
    }

    deinit { changes.finish() }

    /// Ends the session. Deallocating the session has the same effect.
    public func invalidate() { changes.finish() }

    /// A sequence of request states, starting with the current one. Each change adds an element.
    public var diagnostics: Diagnostics {
        Diagnostics(changes: changes, requirement: requirement, wantsFullAccuracy: fullAccuracyPurposeKey != nil)
    }
}

extension CLServiceSession {
    /// The state of a session's authorization request.
    public struct Diagnostic: Sendable {
        /// True if the app is denied access to the position.
        public let authorizationDenied: Bool
        /// True if location services are disabled, which denies all apps access to the position.
        public let authorizationDeniedGlobally: Bool
        /// True if access to the position is restricted on this machine.
        public let authorizationRestricted: Bool
        /// True while a policy is deciding on a request.
        public let authorizationRequestInProgress: Bool
        /// True if full accuracy is required but only reduced accuracy is authorized.
        public let fullAccuracyDenied: Bool
        /// True if `always` authorization is required but has not been granted. The value is false while the status is
        /// not determined.
        public let alwaysAuthorizationDenied: Bool
        /// Always false, because an app on Linux always counts as being in use.
        public var insufficientlyInUse: Bool { false }
        /// Always false, because Linux does not require a session.
        public var serviceSessionRequired: Bool { false }

        init(_ authorization: LocationAuthorization, requirement: AuthorizationRequirement, wantsFullAccuracy: Bool) {
            let status = authorization.status
            authorizationDenied = status == .denied
            authorizationDeniedGlobally = status == .denied && !authorization.servicesEnabled
            authorizationRestricted = status == .restricted
            authorizationRequestInProgress = authorization.isRequestInProgress
            fullAccuracyDenied = wantsFullAccuracy && authorization.accuracy == .reducedAccuracy
            alwaysAuthorizationDenied =
                requirement == .always && status != .authorizedAlways && status != .notDetermined
        }
    }

    /// A sequence of a session's diagnostics.
    public final class Diagnostics: AsyncSequence, Sendable {
        /// The element type of the sequence.
        public typealias Element = Diagnostic
        /// The iterator type of the sequence.
        public typealias AsyncIterator = Iterator

        private let makeIterator: @Sendable () -> Iterator

        init(changes: AuthorizationChanges, requirement: AuthorizationRequirement, wantsFullAccuracy: Bool) {
            makeIterator = {
                Iterator(changes: changes.makeStream().makeAsyncIterator()) {
                    Diagnostic(changes.authorization, requirement: requirement, wantsFullAccuracy: wantsFullAccuracy)
                }
            }
        }

        /// Returns an independent iterator.
        public func makeAsyncIterator() -> Iterator { makeIterator() }

        /// An iterator over the diagnostics.
        public struct Iterator: AsyncIteratorProtocol {
            var changes: AsyncStream<Void>.AsyncIterator
            let currentDiagnostic: @Sendable () -> Diagnostic

            /// Returns the next diagnostic, or nil if the session has ended or the task is cancelled. The method never
            /// throws on Linux.
            public mutating func next() async throws -> Diagnostic? {
                guard await changes.next() != nil else { return nil }
                return currentDiagnostic()
            }
        }
    }
}

/// A session for using the position in the background. It has no effect on Linux, which has no background state.
public final class CLBackgroundActivitySession: Sendable {
    /// The state of the session. Only the authorization properties can be true.
    public typealias Diagnostic = CLServiceSession.Diagnostic
    /// A sequence of diagnostics.
    public typealias Diagnostics = CLServiceSession.Diagnostics

    private let changes: AuthorizationChanges

    /// Creates a session.
    public init() { changes = AuthorizationChanges(LocationAuthorization.of(LiveDevice.resolved)) }

    deinit { changes.finish() }

    /// Ends the session. Deallocating the session has the same effect.
    public func invalidate() { changes.finish() }

    /// A sequence of authorization states, starting with the current one. Each change adds an element.
    public var diagnostics: Diagnostics {
        Diagnostics(changes: changes, requirement: .none, wantsFullAccuracy: false)
    }
}
