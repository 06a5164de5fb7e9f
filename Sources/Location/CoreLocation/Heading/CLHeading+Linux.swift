// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Additions for Linux.
extension CLHeading {
    /// The path of the compass on the machine that runs gpsd. nil for headings from the device's own magnetometer, and
    /// for headings created by an app or restored from an archive.
    public var receiver: String? { compass }

    /// The time of the measurement, or of the arrival from a compass, in seconds since the device was booted. It uses
    /// the same clock as Core Motion's `timestamp`. nil for headings created by an app or restored from an archive.
    package var uptime: TimeInterval? { time?.seconds }
}
