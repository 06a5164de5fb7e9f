// SPDX-License-Identifier: Apache-2.0

/// A compass or inertial report of a receiver (ATT of gpsd). Angles are in degrees, in the receiver's own frame.
/// Missing values are NaN.
public struct AttitudeReport: Sendable {
    /// The device path of the receiver; empty if the report contains none.
    public var receiver = ""
    /// The receiver's time; nil if missing.
    public var time: WallTime?
    /// The time of arrival, from the device's clock.
    public var arrival = BootTime.zero
    /// The heading in degrees clockwise from true north, as sent. A value outside 0 ..< 360 is invalid.
    public var heading = Double.nan
    /// The heading in degrees clockwise from magnetic north. Sent by gpsd 3.24 and later.
    public var magneticHeading = Double.nan
    /// The pitch in degrees.
    public var pitch = Double.nan
    /// The roll in degrees.
    public var roll = Double.nan
    /// The yaw in degrees.
    public var yaw = Double.nan
    /// The magnetic inclination in degrees.
    public var dip = Double.nan
    /// The rate of turn in degrees per minute.
    public var rateOfTurn = Double.nan
    /// The magnetic field, in a unit that depends on the receiver.
    public var magneticField = SIMD3<Double>(repeating: .nan)
    /// The acceleration in metres per second squared.
    public var acceleration = SIMD3<Double>(repeating: .nan)
    /// The rotation rate in degrees per second, or in degrees per second squared, depending on the receiver.
    public var rotationRate = SIMD3<Double>(repeating: .nan)

    /// Creates an empty report.
    public init() {}
}
