// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Additions for Linux.
extension CLRegion {
    /// The time since which the state reported with this object holds: the time of the first position on this side of
    /// the border. nil for regions created by an app, and while the state is unknown.
    public var stateDate: Date? { stateTimestamp.map { Date(timeIntervalSinceReferenceDate: $0) } }
}
