// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What a heading on Linux knows beyond Apple's properties.
extension CLHeading {
    /// The path of the compass on the machine that runs gpsd; nil for the device's own magnetometer, and for headings
    /// that a program made or that came out of an archive.
    public var receiver: String? { compass }

    /// When the heading was measured, or arrived from a compass, in seconds since the device was booted, by the same
    /// clock as Core Motion's `timestamp`; nil for headings that a program made or that came out of an archive.
    public var uptime: TimeInterval? { time?.seconds }
}
