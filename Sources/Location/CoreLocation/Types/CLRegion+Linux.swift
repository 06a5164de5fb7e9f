// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A property that exists only on Linux.
extension CLRegion {
    /// The time at which the region's reported state began. For a circular region, this is the time of the first
    /// position in that state. nil while the state is unknown, and for regions created by an app.
    public var stateDate: Date? { stateTimestamp.map { Date(timeIntervalSinceReferenceDate: $0) } }
}
