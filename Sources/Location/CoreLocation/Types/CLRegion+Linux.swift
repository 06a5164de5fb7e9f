// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A property that exists only on Linux.
extension CLRegion {
    /// The time of the first position that had the reported state. The value is nil while the state is unknown, and for
    /// regions created by an app.
    public var stateDate: Date? { stateTimestamp.map { Date(timeIntervalSinceReferenceDate: $0) } }
}
