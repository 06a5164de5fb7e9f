// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A fall of the user.
///
/// Falls are never detected on Linux, so the framework creates no events. The class exists because published packages
/// extend its `UserResolution` on every platform that has Core Motion.
open class CMFallDetectionEvent: NSObject {
    /// The user's response to the question about the fall.
    public enum UserResolution: Int, Sendable {
        /// The user confirmed the fall.
        case confirmed = 0
        /// The user dismissed the question.
        case dismissed = 1
        /// The user denied the fall.
        case rejected = 2
        /// The user did not respond.
        case unresponsive = 3
    }

    /// Creates an event at 1970-01-01T00:00:00Z with the resolution `unresponsive`.
    public override init() {}

    /// The time of the fall. Always 1970-01-01T00:00:00Z on Linux.
    open var date: Date { Date(timeIntervalSince1970: 0) }

    /// The user's response. Always `unresponsive` on Linux.
    open var resolution: UserResolution { .unresponsive }
}
