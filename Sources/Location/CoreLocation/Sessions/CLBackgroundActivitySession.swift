// SPDX-License-Identifier: Apache-2.0

import LiveDevice

/// Keeps a program informed of its position in the background. Linux knows no background, so it is always satisfied.
public final class CLBackgroundActivitySession: Sendable {
    /// The state of the session. Only the members about the authorization can be true.
    public typealias Diagnostic = CLServiceSession.Diagnostic
    /// The diagnostics as a sequence.
    public typealias Diagnostics = CLServiceSession.Diagnostics

    private let changes: AuthorizationChanges

    /// A session.
    public init() {
        changes = AuthorizationChanges(LocationAuthorization.of(LiveDevice.resolved))
    }

    deinit {
        changes.finish()
    }

    /// Ends the session; releasing it does the same.
    public func invalidate() {
        changes.finish()
    }

    /// How the authorization stands: the present state first, then one element for each change.
    public var diagnostics: Diagnostics {
        Diagnostics(changes: changes, requirement: .none, wantsFullAccuracy: false)
    }
}
