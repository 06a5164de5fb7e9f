// SPDX-License-Identifier: Apache-2.0

/// A report on the satellites visible to a receiver (gpsd's SKY). Missing numbers are NaN.
public struct SkyReport: Sendable {
    /// The receiver's device path. Empty if missing.
    public var receiver = ""
    /// The time according to the receiver, or nil if missing.
    public var time: WallTime?
    /// The arrival time, from the device's clock.
    public var arrival = BootTime.zero
    /// The horizontal dilution of precision.
    public var hdop = Double.nan
    /// The vertical dilution of precision.
    public var vdop = Double.nan
    /// The position (3D) dilution of precision.
    public var pdop = Double.nan
    /// The time dilution of precision.
    public var tdop = Double.nan
    /// The geometric (hyperspherical) dilution of precision.
    public var gdop = Double.nan
    /// The east (longitude) dilution of precision.
    public var xdop = Double.nan
    /// The north (latitude) dilution of precision.
    public var ydop = Double.nan
    /// The number of satellites in view, as counted by the receiver (nSat), or -1 if missing.
    public var visibleCount: Int32 = -1
    /// The number of satellites in use, as counted by the receiver (uSat), or -1 if missing.
    public var usedCount: Int32 = -1
    /// The satellites, or nil if the report contains only dilutions of precision.
    public var satellites: [Satellite]?

    /// Creates an empty report.
    public init() {}

    /// True if the position report is from the same receiver and arrived at most 30 s after this report.
    package func belongs(to report: PositionReport) -> Bool {
        receiver == report.receiver && report.arrival.seconds(since: arrival) <= 30
    }
}

/// A satellite in a sky report.
public struct Satellite: Sendable, Hashable {
    /// The satellite systems, numbered as in gpsd and u-blox receivers.
    public enum System: UInt8, Sendable {
        /// GPS (United States).
        case gps = 0
        /// Satellite-based augmentation systems: WAAS, EGNOS, MSAS, GAGAN.
        case sbas = 1
        /// Galileo (European Union).
        case galileo = 2
        /// BeiDou (China).
        case beiDou = 3
        /// Indoor messaging system.
        case imes = 4
        /// QZSS (Japan).
        case qzss = 5
        /// GLONASS (Russia).
        case glonass = 6
        /// NavIC (India).
        case navIC = 7
    }

    /// The satellite number that gpsd assigns (PRN), or 0 if missing.
    public var number: Int32 = 0
    /// The elevation in degrees above the horizon, or NaN if unknown.
    public var elevation = Double.nan
    /// The azimuth in degrees clockwise from true north, or NaN if unknown.
    public var azimuth = Double.nan
    /// The signal strength in dB-Hz, or NaN if unknown.
    public var signal = Double.nan
    /// True if the receiver uses the satellite for the fix.
    public var isUsed = false
    /// The satellite system (gnssid), or nil if missing.
    public var system: System?
    /// The satellite's number within its system (svid), or -1 if missing.
    public var systemNumber: Int32 = -1
    /// The signal identifier within the satellite system (sigid), or -1 if missing.
    public var signalIdentifier: Int32 = -1
    /// The GLONASS frequency slot (freqid), or -1 if missing.
    public var frequency: Int32 = -1
    /// The satellite's health: 0 unknown, 1 healthy, 2 unhealthy, or -1 if missing.
    public var health: Int32 = -1

    /// Creates a satellite whose values are all missing.
    public init() {}
}

/// A receiver's compass or inertial report (gpsd's ATT), in the receiver's own frame. Missing values are NaN.
public struct AttitudeReport: Sendable {
    /// The receiver's device path. Empty if missing.
    public var receiver = ""
    /// The time according to the receiver, or nil if missing.
    public var time: WallTime?
    /// The arrival time, from the device's clock.
    public var arrival = BootTime.zero
    /// The heading in degrees clockwise from true north, as sent by the receiver. Values outside 0 ..< 360 are invalid.
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
