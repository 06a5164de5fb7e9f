// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Additions for Linux.
extension CLRegion {
    /// The time since which the state reported with this object has held: the time of the first position on this side
    /// of the border. nil if the region was created by an app, or while the state is unknown.
    public var stateDate: Date? { stateTimestamp.map { Date(timeIntervalSinceReferenceDate: $0) } }
}
