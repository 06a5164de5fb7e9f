// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Additions for Linux.
extension CLHeading {
    /// The path of the compass on the machine that runs gpsd. nil for all other headings, including headings restored
    /// from an archive.
    public var receiver: String? { compass }

    /// The time of the measurement, or of the arrival of a compass report, in seconds since boot. The clock is the same
    /// as for Core Motion's `timestamp`. nil if the heading was created by an app or restored from an archive.
    package var uptime: TimeInterval? { time?.seconds }
}
