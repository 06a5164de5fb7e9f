// SPDX-License-Identifier: Apache-2.0

/// A receiver's position report (gpsd's TPV). Values are in SI units or degrees, and coordinates refer to WGS 84.
/// Missing floating-point numbers are NaN, never 0. Error estimates are as reported by gpsd, nominally at the 95 %
/// confidence level.
public struct PositionReport: Sendable {
    /// Copies share this storage until one of them is modified. Copying must be fast, because a report is copied about
    /// a dozen times during delivery.
    @usableFromInline package var storage: Storage

    private static let empty = Storage(Values())

    /// The receiver's device path on the machine that runs gpsd, for example "/dev/ttyACM0". Empty if missing.
    public var receiver: String {
        @inlinable get { storage.values.receiver }
        @inlinable set { uniqueStorage().values.receiver = newValue }
    }

    /// The fix type.
    public var mode: FixMode {
        @inlinable get { storage.values.mode }
        @inlinable set { uniqueStorage().values.mode = newValue }
    }

    /// The status that gpsd reports: 2 DGPS, 3 RTK fixed, 4 RTK float, 5 dead reckoning, 6 GNSS with dead reckoning, 7
    /// surveyed, 8 simulated, 9 P(Y). The values 0 and 1 carry no information. The status does not indicate whether
    /// there is a fix.
    public var status: UInt8 {
        @inlinable get { storage.values.status }
        @inlinable set { uniqueStorage().values.status = newValue }
    }

    /// The time of the fix according to the receiver, or nil if missing.
    public var time: WallTime? {
        @inlinable get { storage.values.time }
        @inlinable set { uniqueStorage().values.time = newValue }
    }

    /// The arrival time, from the device's clock.
    public var arrival: BootTime {
        @inlinable get { storage.values.arrival }
        @inlinable set { uniqueStorage().values.arrival = newValue }
    }

    /// The estimated time error in seconds.
    public var timeError: Double {
        @inlinable get { storage.values.timeError }
        @inlinable set { uniqueStorage().values.timeError = newValue }
    }

    /// The latitude in degrees, positive north.
    public var latitude: Double {
        @inlinable get { storage.values.latitude }
        @inlinable set { uniqueStorage().values.latitude = newValue }
    }

    /// The longitude in degrees, positive east.
    public var longitude: Double {
        @inlinable get { storage.values.longitude }
        @inlinable set { uniqueStorage().values.longitude = newValue }
    }

    /// The altitude in metres above the WGS 84 ellipsoid (altHAE).
    public var altitudeHAE: Double {
        @inlinable get { storage.values.altitudeHAE }
        @inlinable set { uniqueStorage().values.altitudeHAE = newValue }
    }

    /// The altitude in metres above mean sea level (altMSL).
    public var altitudeMSL: Double {
        @inlinable get { storage.values.altitudeMSL }
        @inlinable set { uniqueStorage().values.altitudeMSL = newValue }
    }

    /// The altitude in metres from gpsd's "alt" field, whose reference is undefined. Used only with gpsd before 3.20.
    public var altitudeUndefined: Double {
        @inlinable get { storage.values.altitudeUndefined }
        @inlinable set { uniqueStorage().values.altitudeUndefined = newValue }
    }

    /// The height of the geoid above the ellipsoid, in metres.
    public var geoidSeparation: Double {
        @inlinable get { storage.values.geoidSeparation }
        @inlinable set { uniqueStorage().values.geoidSeparation = newValue }
    }

    /// The estimated east–west position error in metres.
    public var longitudeError: Double {
        @inlinable get { storage.values.longitudeError }
        @inlinable set { uniqueStorage().values.longitudeError = newValue }
    }

    /// The estimated north–south position error in metres.
    public var latitudeError: Double {
        @inlinable get { storage.values.latitudeError }
        @inlinable set { uniqueStorage().values.latitudeError = newValue }
    }

    /// The estimated altitude error in metres.
    public var verticalError: Double {
        @inlinable get { storage.values.verticalError }
        @inlinable set { uniqueStorage().values.verticalError = newValue }
    }

    /// The estimated horizontal error in metres (eph).
    public var horizontalError: Double {
        @inlinable get { storage.values.horizontalError }
        @inlinable set { uniqueStorage().values.horizontalError = newValue }
    }

    /// The estimated spherical error in metres (sep).
    public var sphericalError: Double {
        @inlinable get { storage.values.sphericalError }
        @inlinable set { uniqueStorage().values.sphericalError = newValue }
    }

    /// The course over ground in degrees clockwise from true north.
    public var track: Double {
        @inlinable get { storage.values.track }
        @inlinable set { uniqueStorage().values.track = newValue }
    }

    /// The course over ground in degrees clockwise from magnetic north.
    public var magneticTrack: Double {
        @inlinable get { storage.values.magneticTrack }
        @inlinable set { uniqueStorage().values.magneticTrack = newValue }
    }

    /// The magnetic declination in degrees, positive east.
    public var magneticVariation: Double {
        @inlinable get { storage.values.magneticVariation }
        @inlinable set { uniqueStorage().values.magneticVariation = newValue }
    }

    /// The speed over ground in metres per second.
    public var speed: Double {
        @inlinable get { storage.values.speed }
        @inlinable set { uniqueStorage().values.speed = newValue }
    }

    /// The vertical speed in metres per second, positive up.
    public var climb: Double {
        @inlinable get { storage.values.climb }
        @inlinable set { uniqueStorage().values.climb = newValue }
    }

    /// The estimated track error in degrees.
    public var trackError: Double {
        @inlinable get { storage.values.trackError }
        @inlinable set { uniqueStorage().values.trackError = newValue }
    }

    /// The estimated speed error in metres per second.
    public var speedError: Double {
        @inlinable get { storage.values.speedError }
        @inlinable set { uniqueStorage().values.speedError = newValue }
    }

    /// The estimated climb error in metres per second.
    public var climbError: Double {
        @inlinable get { storage.values.climbError }
        @inlinable set { uniqueStorage().values.climbError = newValue }
    }

    /// The northward velocity in metres per second.
    public var velocityNorth: Double {
        @inlinable get { storage.values.velocityNorth }
        @inlinable set { uniqueStorage().values.velocityNorth = newValue }
    }

    /// The eastward velocity in metres per second.
    public var velocityEast: Double {
        @inlinable get { storage.values.velocityEast }
        @inlinable set { uniqueStorage().values.velocityEast = newValue }
    }

    /// The downward velocity in metres per second.
    public var velocityDown: Double {
        @inlinable get { storage.values.velocityDown }
        @inlinable set { uniqueStorage().values.velocityDown = newValue }
    }

    /// The depth below the water surface in metres.
    public var depth: Double {
        @inlinable get { storage.values.depth }
        @inlinable set { uniqueStorage().values.depth = newValue }
    }

    /// The time since the last differential correction, in seconds.
    public var correctionAge: Double {
        @inlinable get { storage.values.correctionAge }
        @inlinable set { uniqueStorage().values.correctionAge = newValue }
    }

    /// The ID of the station that provides differential corrections, or -1 if missing.
    public var correctionStation: Int32 {
        @inlinable get { storage.values.correctionStation }
        @inlinable set { uniqueStorage().values.correctionStation = newValue }
    }

    /// The number of leap seconds known to the receiver, or -1 if missing.
    public var leapSeconds: Int32 {
        @inlinable get { storage.values.leapSeconds }
        @inlinable set { uniqueStorage().values.leapSeconds = newValue }
    }

    /// The report's original bytes, or nil if the subscription did not request them.
    public var raw: [UInt8]? {
        @inlinable get { storage.values.raw }
        @inlinable set { uniqueStorage().values.raw = newValue }
    }

    /// Creates an empty report.
    public init() { storage = Self.empty }

    /// True if the mode is 2D or 3D and the coordinates are in range. Other values are not checked.
    public var hasFix: Bool {
        // Comparisons with NaN are false, so missing coordinates are rejected.
        mode.rawValue >= FixMode.twoDimensional.rawValue && abs(latitude) <= 90 && abs(longitude) <= 180
    }

    /// The altitude in metres above mean sea level, or NaN if unknown. If the receiver does not report it, the altitude
    /// is derived from the height above the ellipsoid. If that height is also missing, the "alt" field is used. In a 2D
    /// fix, this is the last known altitude or an estimate.
    package var altitude: Double {
        if !altitudeMSL.isNaN { return altitudeMSL }
        return altitudeHAE.isNaN ? altitudeUndefined : altitudeHAE - geoidSeparation
    }
}

/// The fix type that a receiver reports.
public enum FixMode: UInt8, Sendable {
    /// The receiver has not reported a mode yet.
    case unknown = 0
    /// The receiver has no fix.
    case none = 1
    /// The fix has a latitude and a longitude.
    case twoDimensional = 2
    /// The fix has a latitude, a longitude and an altitude.
    case threeDimensional = 3
}

/// A type that can represent its position as a report, for example Core Location's `CLLocation`. `MQTTPublisher`
/// accepts any such type, so it can publish a `CLLocation` without depending on Core Location.
public protocol PositionReporting {
    /// The position as a report. Without a position, the report has no fix.
    var positionReport: PositionReport { get }
}
