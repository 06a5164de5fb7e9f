// SPDX-License-Identifier: Apache-2.0

/// One position report as the receiver gave it (gpsd's TPV), in SI units and degrees, WGS 84.
///
/// A number that the receiver did not give is NaN; it is never 0 in its place. Error estimates are gpsd's, with a
/// nominal confidence of 95 per cent.
public struct PositionReport: Sendable {
    /// What it says, which copies share until one of them is changed: a report is copied from hand to hand a dozen times,
    /// and is some hundred bytes.
    @usableFromInline package var storage: Storage

    private static let empty = Storage(Values())

    /// The receiver's path on the machine that runs gpsd, for example "/dev/ttyACM0"; empty when the report names none.
    public var receiver: String {
        @inlinable get { storage.values.receiver }
        @inlinable set { ownStorage().values.receiver = newValue }
    }

    /// What kind of fix this is.
    public var mode: FixMode {
        @inlinable get { storage.values.mode }
        @inlinable set { ownStorage().values.mode = newValue }
    }

    /// gpsd's status: 2 DGPS, 3 RTK fixed, 4 RTK float, 5 dead reckoning, 6 GNSS with dead reckoning, 7 surveyed,
    /// 8 simulated, 9 P(Y); 0 and 1 and an absent value say nothing. It never tells whether there is a fix.
    public var status: UInt8 {
        @inlinable get { storage.values.status }
        @inlinable set { ownStorage().values.status = newValue }
    }

    /// The receiver's own time of the fix; nil when it gave none.
    public var time: WallTime? {
        @inlinable get { storage.values.time }
        @inlinable set { ownStorage().values.time = newValue }
    }

    /// When the report arrived here.
    public var arrival: BootTime {
        @inlinable get { storage.values.arrival }
        @inlinable set { ownStorage().values.arrival = newValue }
    }

    /// Estimated error of the time, seconds.
    public var timeError: Double {
        @inlinable get { storage.values.timeError }
        @inlinable set { ownStorage().values.timeError = newValue }
    }

    /// Degrees north.
    public var latitude: Double {
        @inlinable get { storage.values.latitude }
        @inlinable set { ownStorage().values.latitude = newValue }
    }

    /// Degrees east.
    public var longitude: Double {
        @inlinable get { storage.values.longitude }
        @inlinable set { ownStorage().values.longitude = newValue }
    }

    /// Metres above the WGS 84 ellipsoid (altHAE).
    public var altitudeHAE: Double {
        @inlinable get { storage.values.altitudeHAE }
        @inlinable set { ownStorage().values.altitudeHAE = newValue }
    }

    /// Metres above mean sea level (altMSL).
    public var altitudeMSL: Double {
        @inlinable get { storage.values.altitudeMSL }
        @inlinable set { ownStorage().values.altitudeMSL = newValue }
    }

    /// gpsd's deprecated "alt": of undefined reference, used for servers older than 3.20 only.
    public var altitudeUndefined: Double {
        @inlinable get { storage.values.altitudeUndefined }
        @inlinable set { ownStorage().values.altitudeUndefined = newValue }
    }

    /// Metres from the ellipsoid up to the geoid.
    public var geoidSeparation: Double {
        @inlinable get { storage.values.geoidSeparation }
        @inlinable set { ownStorage().values.geoidSeparation = newValue }
    }

    /// Metres, error east.
    public var longitudeError: Double {
        @inlinable get { storage.values.longitudeError }
        @inlinable set { ownStorage().values.longitudeError = newValue }
    }

    /// Metres, error north.
    public var latitudeError: Double {
        @inlinable get { storage.values.latitudeError }
        @inlinable set { ownStorage().values.latitudeError = newValue }
    }

    /// Metres, error of the altitude.
    public var verticalError: Double {
        @inlinable get { storage.values.verticalError }
        @inlinable set { ownStorage().values.verticalError = newValue }
    }

    /// Metres, error in the plane (eph).
    public var horizontalError: Double {
        @inlinable get { storage.values.horizontalError }
        @inlinable set { ownStorage().values.horizontalError = newValue }
    }

    /// Metres, spherical error (sep).
    public var sphericalError: Double {
        @inlinable get { storage.values.sphericalError }
        @inlinable set { ownStorage().values.sphericalError = newValue }
    }

    /// Degrees clockwise from true north.
    public var track: Double {
        @inlinable get { storage.values.track }
        @inlinable set { ownStorage().values.track = newValue }
    }

    /// Degrees clockwise from magnetic north.
    public var magneticTrack: Double {
        @inlinable get { storage.values.magneticTrack }
        @inlinable set { ownStorage().values.magneticTrack = newValue }
    }

    /// Degrees, magnetic declination, east positive.
    public var magneticVariation: Double {
        @inlinable get { storage.values.magneticVariation }
        @inlinable set { ownStorage().values.magneticVariation = newValue }
    }

    /// Metres per second over ground.
    public var speed: Double {
        @inlinable get { storage.values.speed }
        @inlinable set { ownStorage().values.speed = newValue }
    }

    /// Metres per second upwards.
    public var climb: Double {
        @inlinable get { storage.values.climb }
        @inlinable set { ownStorage().values.climb = newValue }
    }

    /// Degrees, error of the track.
    public var trackError: Double {
        @inlinable get { storage.values.trackError }
        @inlinable set { ownStorage().values.trackError = newValue }
    }

    /// Metres per second, error of the speed.
    public var speedError: Double {
        @inlinable get { storage.values.speedError }
        @inlinable set { ownStorage().values.speedError = newValue }
    }

    /// Metres per second, error of the climb.
    public var climbError: Double {
        @inlinable get { storage.values.climbError }
        @inlinable set { ownStorage().values.climbError = newValue }
    }

    /// Metres per second northwards.
    public var velocityNorth: Double {
        @inlinable get { storage.values.velocityNorth }
        @inlinable set { ownStorage().values.velocityNorth = newValue }
    }

    /// Metres per second eastwards.
    public var velocityEast: Double {
        @inlinable get { storage.values.velocityEast }
        @inlinable set { ownStorage().values.velocityEast = newValue }
    }

    /// Metres per second downwards.
    public var velocityDown: Double {
        @inlinable get { storage.values.velocityDown }
        @inlinable set { ownStorage().values.velocityDown = newValue }
    }

    /// Metres below the surface of the water.
    public var depth: Double {
        @inlinable get { storage.values.depth }
        @inlinable set { ownStorage().values.depth = newValue }
    }

    /// Seconds since the last differential correction.
    public var correctionAge: Double {
        @inlinable get { storage.values.correctionAge }
        @inlinable set { ownStorage().values.correctionAge = newValue }
    }

    /// The station of the differential correction; -1 when absent.
    public var correctionStation: Int32 {
        @inlinable get { storage.values.correctionStation }
        @inlinable set { ownStorage().values.correctionStation = newValue }
    }

    /// Leap seconds that the receiver knows of; -1 when absent.
    public var leapSeconds: Int32 {
        @inlinable get { storage.values.leapSeconds }
        @inlinable set { ownStorage().values.leapSeconds = newValue }
    }

    /// The report's own bytes, when the subscription asked for them.
    public var raw: [UInt8]? {
        @inlinable get { storage.values.raw }
        @inlinable set { ownStorage().values.raw = newValue }
    }

    /// A report that says nothing yet.
    public init() { storage = Self.empty }

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
