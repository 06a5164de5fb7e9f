// SPDX-License-Identifier: Apache-2.0

/// A compass or inertial report from a receiver (gpsd's ATT): degrees, in the receiver's own frame. NaN when not given.
public struct AttitudeReport: Sendable {
    /// The receiver's path; empty when the report names none.
    public var receiver = ""
    /// The receiver's own time; nil when it gave none.
    public var time: WallTime?
    /// When the report arrived here.
    public var arrival = BootTime.zero
    /// Degrees clockwise from true north, as sent: a value outside 0 ..< 360 is not a heading.
    public var heading = Double.nan
    /// Degrees clockwise from magnetic north (servers from 3.24).
    public var magneticHeading = Double.nan
    /// Degrees.
    public var pitch = Double.nan
    /// Degrees.
    public var roll = Double.nan
    /// Degrees.
    public var yaw = Double.nan
    /// Degrees, magnetic inclination.
    public var dip = Double.nan
    /// Degrees a minute, rate of turn.
    public var rateOfTurn = Double.nan
    /// Magnetic field, in the receiver's own unit.
    public var magneticField = SIMD3<Double>(repeating: .nan)
    /// Acceleration, metres per second squared.
    public var acceleration = SIMD3<Double>(repeating: .nan)
    /// Rotation rate, degrees per second squared or per second as the receiver has it.
    public var rotationRate = SIMD3<Double>(repeating: .nan)

    /// A report that says nothing yet.
    public init() {}
}
