// SPDX-License-Identifier: Apache-2.0

/// One view of the sky as a receiver gave it (gpsd's SKY). NaN stands for a number that was not given.
public struct SkyReport: Sendable {
    /// The receiver's path; empty when the report names none.
    public var receiver = ""
    /// The receiver's own time; nil when it gave none.
    public var time: WallTime?
    /// When the report arrived here.
    public var arrival = BootTime.zero
    /// Horizontal dilution of precision.
    public var hdop = Double.nan
    /// Vertical dilution of precision.
    public var vdop = Double.nan
    /// Position (3D) dilution of precision.
    public var pdop = Double.nan
    /// Time dilution of precision.
    public var tdop = Double.nan
    /// Geometric (hyperspherical) dilution of precision.
    public var gdop = Double.nan
    /// East (longitude) dilution of precision.
    public var xdop = Double.nan
    /// North (latitude) dilution of precision.
    public var ydop = Double.nan
    /// Satellites in view as the receiver counts them (nSat); -1 when absent.
    public var visibleCount: Int32 = -1
    /// Satellites used as the receiver counts them (uSat); -1 when absent.
    public var usedCount: Int32 = -1
    /// The satellites; nil when the report carries none (a report of dilutions only).
    public var satellites: [Satellite]?

    /// A view of which nothing is known yet.
    public init() {}

    /// True when it is what the receiver of a report saw, and not long ago.
    package func belongs(to report: PositionReport) -> Bool {
        receiver == report.receiver && report.arrival.seconds(since: arrival) <= 30
    }
}

/// One satellite in a sky view.
public struct Satellite: Sendable, Hashable {
    /// The satellite systems, with gpsd's and u-blox's numbers.
    public enum System: UInt8, Sendable {
        /// United States.
        case gps = 0
        /// Satellite based augmentation: WAAS, EGNOS, MSAS, GAGAN.
        case sbas = 1
        /// European Union.
        case galileo = 2
        /// China.
        case beiDou = 3
        /// Indoor messaging system.
        case imes = 4
        /// Japan.
        case qzss = 5
        /// Russia.
        case glonass = 6
        /// India.
        case navIC = 7
    }

    /// gpsd's number of the satellite (PRN); 0 when absent.
    public var number: Int32 = 0
    /// Degrees above the horizon; NaN when unknown.
    public var elevation = Double.nan
    /// Degrees clockwise from true north; NaN when unknown.
    public var azimuth = Double.nan
    /// Signal strength in dB-Hz; NaN when unknown.
    public var signal = Double.nan
    /// True when the fix uses it.
    public var isUsed = false
    /// The system it belongs to (gnssid); nil when the receiver did not say.
    public var system: System?
    /// Its number within the system (svid); -1 when absent.
    public var systemNumber: Int32 = -1
    /// The signal of the system (sigid); -1 when absent.
    public var signalIdentifier: Int32 = -1
    /// GLONASS frequency slot (freqid); -1 when absent.
    public var frequency: Int32 = -1
    /// 1 healthy, 2 unhealthy, 0 unknown, -1 absent.
    public var health: Int32 = -1

    /// A satellite of which nothing is known yet.
    public init() {}
}
