// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Properties that exist only on Linux.
extension CLHeading {
    /// The compass's device path on the machine that runs gpsd. nil if the heading does not come from a gpsd compass or
    /// was restored from an archive.
    public var receiver: String? { compass }

    /// The time of the measurement in seconds since boot, on the same clock as Core Motion's `timestamp`. For a gpsd
    /// compass, this is the report's arrival time. nil if the heading was created by an app or restored from an
    /// archive.
    package var uptime: TimeInterval? { time?.seconds }
}
