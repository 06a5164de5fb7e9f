// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What Apple's API has no words for.
extension CLRegion {
    /// Since when the state holds that a callback tells of with this object: the time of the first position on this side
    /// of the border. Nil for regions that a program made, and while the state is unknown.
    public var stateDate: Date? { stateTimestamp.map { Date(timeIntervalSinceReferenceDate: $0) } }
}
