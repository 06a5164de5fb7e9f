// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The news that the person who wears the device has fallen.
///
/// Only Apple's watches tell it. The name is here because published packages extend its enumeration wherever there is a
/// Core Motion.
open class CMFallDetectionEvent: NSObject {
    /// What the person answered when asked about the fall.
    public enum UserResolution: Int, Sendable {
        /// It was a fall.
        case confirmed = 0
        /// The question was put aside.
        case dismissed = 1
        /// It was none.
        case rejected = 2
        /// There was no answer.
        case unresponsive = 3
    }

    /// An event at 1970-01-01T00:00:00Z that nobody answered.
    public override init() {}

    /// When it happened.
    open var date: Date { Date(timeIntervalSince1970: 0) }

    /// What the person answered.
    open var resolution: UserResolution { .unresponsive }
}
