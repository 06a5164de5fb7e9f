// SPDX-License-Identifier: Apache-2.0

import LiveDevice

/// States, as long as it lives, that the program wants to know where the device is.
///
/// Making one asks for the authorization when it is not decided yet, as `requestWhenInUseAuthorization()` does. Ending
/// it withdraws the request and leaves the authorization as it is.
public final class CLServiceSession: Sendable {
    /// What a session wants.
    public enum AuthorizationRequirement: Sendable, Hashable {
        /// Nothing: the program does its own asking.
        case none
        /// The position while the program is in use.
        case whenInUse
        /// The position at any time.
        case always
    }

    private let requirement: AuthorizationRequirement
    private let fullAccuracyPurposeKey: String?
    private let changes: AuthorizationChanges

    /// A session with that requirement.
    public convenience init(authorization: AuthorizationRequirement) {
        self.init(requirement: authorization, fullAccuracyPurposeKey: nil)
    }

    /// A session with that requirement, and with full accuracy for a purpose.
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

    deinit {
        changes.finish()
    }

    /// Withdraws the request; releasing the session does the same.
    public func invalidate() {
        changes.finish()
    }

    /// How the request stands: the present state first, then one element for each change, until the session ends.
    public var diagnostics: Diagnostics {
        Diagnostics(changes: changes, requirement: requirement, wantsFullAccuracy: fullAccuracyPurposeKey != nil)
    }
}

extension CLServiceSession {
    /// The state of a session's request.
    public struct Diagnostic: Sendable {
        /// True when the program may not use the position.
        public let authorizationDenied: Bool
        /// True when nobody may, because the services are switched off.
        public let authorizationDeniedGlobally: Bool
        /// True when the use of the position is restricted on this machine.
        public let authorizationRestricted: Bool
        /// True while a policy has not answered.
        public let authorizationRequestInProgress: Bool
        /// True when full accuracy is wanted and only a reduced one is allowed.
        public let fullAccuracyDenied: Bool
        /// True when "always" is wanted and only less is allowed.
        public let alwaysAuthorizationDenied: Bool
        /// False: a process on Linux is always in use.
        public var insufficientlyInUse: Bool { false }
        /// False: Linux needs no session.
        public var serviceSessionRequired: Bool { false }

        init(_ authorization: LocationAuthorization, requirement: AuthorizationRequirement, wantsFullAccuracy: Bool) {
            let status = authorization.status
            authorizationDenied = status == .denied
            authorizationDeniedGlobally = status == .denied && !authorization.servicesEnabled
            authorizationRestricted = status == .restricted
            authorizationRequestInProgress = authorization.isAsking
            fullAccuracyDenied = wantsFullAccuracy && authorization.accuracy == .reducedAccuracy
            alwaysAuthorizationDenied =
                requirement == .always && status != .authorizedAlways && status != .notDetermined
        }
    }

    /// The diagnostics of a session as a sequence.
    public final class Diagnostics: AsyncSequence, Sendable {
        /// What the sequence is made of.
        public typealias Element = Diagnostic
        /// What a loop over it uses.
        public typealias AsyncIterator = Iterator

        private let makeIterator: @Sendable () -> Iterator

        init(changes: AuthorizationChanges, requirement: AuthorizationRequirement, wantsFullAccuracy: Bool) {
            makeIterator = {
                Iterator(changes: changes.makeStream().makeAsyncIterator()) {
                    Diagnostic(changes.authorization, requirement: requirement, wantsFullAccuracy: wantsFullAccuracy)
                }
            }
        }

        /// A loop of its own.
        public func makeAsyncIterator() -> Iterator { makeIterator() }

        /// One loop over the diagnostics.
        public struct Iterator: AsyncIteratorProtocol {
            var changes: AsyncStream<Void>.AsyncIterator
            let present: @Sendable () -> Diagnostic

            /// The next diagnostic; nil when the session has ended or the task is cancelled. Never throws on Linux.
            public mutating func next() async throws -> Diagnostic? {
                guard await changes.next() != nil else { return nil }
                return present()
            }
        }
    }
}
