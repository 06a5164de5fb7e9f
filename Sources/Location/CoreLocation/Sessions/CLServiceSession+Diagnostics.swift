// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension CLServiceSession {
    /// How things stand with the wish of a session.
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

        private let changes: AuthorizationChanges
        private let requirement: AuthorizationRequirement
        private let wantsFullAccuracy: Bool

        init(changes: AuthorizationChanges, requirement: AuthorizationRequirement, wantsFullAccuracy: Bool) {
            self.changes = changes
            self.requirement = requirement
            self.wantsFullAccuracy = wantsFullAccuracy
        }

        /// A loop of its own.
        public func makeAsyncIterator() -> Iterator {
            let (changes, requirement, wantsFullAccuracy) = (changes, requirement, wantsFullAccuracy)
            return Iterator(changes: changes.makeStream().makeAsyncIterator()) {
                Diagnostic(changes.authorization, requirement: requirement, wantsFullAccuracy: wantsFullAccuracy)
            }
        }

        /// One loop over the diagnostics.
        public struct Iterator: AsyncIteratorProtocol {
            var changes: AsyncStream<Void>.AsyncIterator
            let present: @Sendable () -> Diagnostic

            init(changes: AsyncStream<Void>.AsyncIterator, present: @escaping @Sendable () -> Diagnostic) {
                self.changes = changes
                self.present = present
            }

            /// The next diagnostic; nil when the session has ended or the task is cancelled. Never throws on Linux.
            public mutating func next() async throws -> Diagnostic? {
                guard await changes.next() != nil else { return nil }
                return present()
            }
        }
    }
}
