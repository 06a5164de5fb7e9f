// SPDX-License-Identifier: Apache-2.0

import LiveDevice

/// A session that allows an app to receive its position in the background. Linux has no background state, so the
/// session is always active.
public final class CLBackgroundActivitySession: Sendable {
    /// The state of the session. Only the authorization properties can be true.
    public typealias Diagnostic = CLServiceSession.Diagnostic
    /// A sequence of diagnostics.
    public typealias Diagnostics = CLServiceSession.Diagnostics

    private let changes: AuthorizationChanges

    /// Creates a session.
    public init() { changes = AuthorizationChanges(LocationAuthorization.of(LiveDevice.resolved)) }

    deinit { changes.finish() }

    /// Ends the session. Deallocation also ends it.
    public func invalidate() { changes.finish() }

    /// The state of the authorization: first the current state, then one element for each change.
    public var diagnostics: Diagnostics {
        Diagnostics(changes: changes, requirement: .none, wantsFullAccuracy: false)
    }
}
