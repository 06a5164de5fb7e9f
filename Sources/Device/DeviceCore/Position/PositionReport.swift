// SPDX-License-Identifier: Apache-2.0

/// One position report as the receiver gave it (gpsd's TPV), in SI units and degrees, WGS 84.
///
/// A number that the receiver did not give is NaN; it is never 0 in its place. Error estimates are gpsd's, with a
/// nominal confidence of 95 per cent.
public struct PositionReport: Sendable {
    /// The receiver's path on the machine that runs gpsd, for example "/dev/ttyACM0"; empty when the report names none.
    public var receiver = ""
    /// What kind of fix this is.
    public var mode = FixMode.unknown
    /// gpsd's status: 2 DGPS, 3 RTK fixed, 4 RTK float, 5 dead reckoning, 6 GNSS with dead reckoning, 7 surveyed,
    /// 8 simulated, 9 P(Y); 0 and 1 and an absent value say nothing. It never tells whether there is a fix.
    public var status: UInt8 = 0
    /// The receiver's own time of the fix; nil when it gave none.
    public var time: WallTime?
    /// When the report arrived here.
    public var arrival = BootTime.zero
    /// Estimated error of the time, seconds.
    public var timeError = Double.nan
    /// Degrees north.
    public var latitude = Double.nan
    /// Degrees east.
    public var longitude = Double.nan
    /// Metres above the WGS 84 ellipsoid (altHAE).
    public var altitudeHAE = Double.nan
    /// Metres above mean sea level (altMSL).
    public var altitudeMSL = Double.nan
    /// gpsd's deprecated "alt": of undefined reference, used for servers older than 3.20 only.
    public var altitudeUndefined = Double.nan
    /// Metres from the ellipsoid up to the geoid.
    public var geoidSeparation = Double.nan
    /// Metres, error east.
    public var longitudeError = Double.nan
    /// Metres, error north.
    public var latitudeError = Double.nan
    /// Metres, error of the altitude.
    public var verticalError = Double.nan
    /// Metres, error in the plane (eph).
    public var horizontalError = Double.nan
    /// Metres, spherical error (sep).
    public var sphericalError = Double.nan
    /// Degrees clockwise from true north.
    public var track = Double.nan
    /// Degrees clockwise from magnetic north.
    public var magneticTrack = Double.nan
    /// Degrees, magnetic declination, east positive.
    public var magneticVariation = Double.nan
    /// Metres per second over ground.
    public var speed = Double.nan
    /// Metres per second upwards.
    public var climb = Double.nan
    /// Degrees, error of the track.
    public var trackError = Double.nan
    /// Metres per second, error of the speed.
    public var speedError = Double.nan
    /// Metres per second, error of the climb.
    public var climbError = Double.nan
    /// Metres per second northwards.
    public var velocityNorth = Double.nan
    /// Metres per second eastwards.
    public var velocityEast = Double.nan
    /// Metres per second downwards.
    public var velocityDown = Double.nan
    /// Metres below the surface of the water.
    public var depth = Double.nan
    /// Seconds since the last differential correction.
    public var correctionAge = Double.nan
    /// The station of the differential correction; -1 when absent.
    public var correctionStation: Int32 = -1
    /// Leap seconds that the receiver knows of; -1 when absent.
    public var leapSeconds: Int32 = -1
    /// The report's own bytes, when the subscription asked for them.
    public var raw: [UInt8]?

    /// A report that says nothing yet.
    public init() {}

    /// True when there is a position: mode 2D or 3D and coordinates that are numbers in range. Nothing else counts.
    public var hasFix: Bool {
        // A comparison with NaN is false, so this also refuses what is not a number.
        mode.rawValue >= FixMode.twoDimensional.rawValue && abs(latitude) <= 90 && abs(longitude) <= 180
    }

    /// Metres above mean sea level: as given, else from the height above the ellipsoid, else what gpsd before 3.20 calls
    /// "alt". NaN when it is not known. In a 2D fix it is the last one known or a guess.
    package var altitude: Double {
        if !altitudeMSL.isNaN { return altitudeMSL }
        return altitudeHAE.isNaN ? altitudeUndefined : altitudeHAE - geoidSeparation
    }
}

/// What a receiver says of its fix.
public enum FixMode: UInt8, Sendable {
    /// The receiver has not said anything yet.
    case unknown = 0
    /// No fix.
    case none = 1
    /// Latitude and longitude.
    case twoDimensional = 2
    /// Latitude, longitude and altitude.
    case threeDimensional = 3
}

/// What a position can be told from as a receiver's report has it: Core Location's `CLLocation` is such a thing.
///
/// So `MQTTPublisher` publishes a location, and neither module needs the other.
public protocol PositionReporting {
    /// The report of it; one without a fix when there is no position in it.
    var positionReport: PositionReport { get }
}
