// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A position with its accuracy, the movement at this position, and the time of the measurement.
///
/// Angles are in degrees on WGS 84, lengths in metres and speeds in metres per second. A negative accuracy marks the
/// corresponding value as invalid; ``course`` and ``speed`` are -1 if they are unknown. Values are stored without
/// validation, so check the accuracy before using a value.
///
/// Immutable and safe to use from any thread. Two locations are equal only if they are the same object, as for any
/// `NSObject`: compare ``coordinate`` or ``distance(from:)`` instead. The class is open so that tests can override its
/// properties; archives and copies contain the values with which the object was created.
///
/// ```swift
/// let tower = CLLocation(latitude: 48.85837, longitude: 2.294481)
/// if fix.horizontalAccuracy >= 0 {
///     print("\(fix.distance(from: tower)) m to the tower")
/// }
/// ```
open class CLLocation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    let values: Values
    /// The details of a location from a device; nil if the location is not from a device.
    private(set) var details: LocationDetails?

    /// Creates a location from its values. All locations from a device are created here.
    init(_ values: Values, details: LocationDetails? = nil) {
        self.values = values
        self.details = details
    }

    /// Creates a location at 0° N, 0° E whose coordinate and altitude are invalid.
    public override init() {
        values = Values(CLLocationCoordinate2D(), horizontalAccuracy: -1, timestamp: Date())
    }

    /// Creates a location from a coordinate, in degrees, with the current time. The altitude is 0 with an accuracy of
    /// -1 (invalid), the horizontal accuracy is 0, and course and speed are -1.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        let coordinate = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
        values = Values(coordinate, horizontalAccuracy: 0, timestamp: Date())
    }

    /// Creates a location without course and speed: both values and their accuracies are -1.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, timestamp: Date
    ) {
        values = Values(
            coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy,
            timestamp: timestamp)
    }

    /// Creates a location with a course and speed of unknown accuracy: both accuracies are -1.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection, speed: CLLocationSpeed, timestamp: Date
    ) {
        values = Values(
            coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy,
            course: course, speed: speed, timestamp: timestamp)
    }

    /// Creates a location with a course and speed and their accuracies.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection, courseAccuracy: CLLocationDirectionAccuracy,
        speed: CLLocationSpeed, speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date
    ) {
        values = Values(
            coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy,
            course: course, courseAccuracy: courseAccuracy, speed: speed, speedAccuracy: speedAccuracy,
            timestamp: timestamp)
    }

    /// Creates a location with a course and speed, their accuracies, and source information. The location stores the
    /// two properties of `sourceInfo`, not the object.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection, courseAccuracy: CLLocationDirectionAccuracy,
        speed: CLLocationSpeed, speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date,
        sourceInfo: CLLocationSourceInformation
    ) {
        var values = Values(
            coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy,
            course: course, courseAccuracy: courseAccuracy, speed: speed, speedAccuracy: speedAccuracy,
            timestamp: timestamp)
        values.isSimulatedBySoftware = sourceInfo.isSimulatedBySoftware
        values.isProducedByAccessory = sourceInfo.isProducedByAccessory
        self.values = values
    }

    /// Restores a location from an archive. Returns nil if the archive contains only some of the values. If the archive
    /// contains no location, the result is the same as that of `init()`.
    public required init?(coder: NSCoder) {
        if Values.isAbsent(from: coder) {
            values = Values(CLLocationCoordinate2D(), horizontalAccuracy: -1, timestamp: Date())
            return
        }
        guard let values = Values(coder: coder) else { return nil }
        self.values = values
    }

    /// The coordinate in degrees on WGS 84; invalid if ``horizontalAccuracy`` is negative.
    open var coordinate: CLLocationCoordinate2D {
        CLLocationCoordinate2D(latitude: values.latitude, longitude: values.longitude)
    }

    /// The altitude above mean sea level in metres; invalid if ``verticalAccuracy`` is negative.
    open var altitude: CLLocationDistance { values.altitude }

    /// The altitude above the WGS 84 ellipsoid in metres; invalid if ``verticalAccuracy`` is negative. The value is 0
    /// for locations created by an app.
    open var ellipsoidalAltitude: CLLocationDistance { values.ellipsoidalAltitude }

    /// The radius of uncertainty around ``coordinate``, in metres; negative if the coordinate is invalid.
    open var horizontalAccuracy: CLLocationAccuracy { values.horizontalAccuracy }

    /// The uncertainty of both altitudes in metres; negative if they are invalid.
    open var verticalAccuracy: CLLocationAccuracy { values.verticalAccuracy }

    /// The direction of movement in degrees clockwise from true north, 0 ..< 360; negative if it is unknown.
    open var course: CLLocationDirection { values.course }

    /// The uncertainty of ``course`` in degrees; negative if the course is invalid.
    open var courseAccuracy: CLLocationDirectionAccuracy { values.courseAccuracy }

    /// The speed over ground in metres per second; negative if it is unknown.
    open var speed: CLLocationSpeed { values.speed }

    /// The uncertainty of ``speed`` in metres per second; negative if the speed is invalid.
    open var speedAccuracy: CLLocationSpeedAccuracy { values.speedAccuracy }

    /// The time of the measurement.
    open var timestamp: Date { Date(timeIntervalSinceReferenceDate: values.timestamp) }

    /// The floor of the building; nil if unknown. No position source on Linux reports floors.
    open var floor: CLFloor? { values.floorLevel.map(CLFloor.init(storey:)) }

    /// Whether the location was produced by software or by an accessory. Never nil, even for locations created by an
    /// app. Each call returns a new object.
    open var sourceInformation: CLLocationSourceInformation? {
        CLLocationSourceInformation(
            softwareSimulationState: values.isSimulatedBySoftware,
            andExternalAccessoryState: values.isProducedByAccessory)
    }

    /// Returns the distance to a different location: the length of the shortest path over the WGS 84 ellipsoid, in
    /// metres. Altitudes are ignored. The distance is the same in both directions.
    open func distance(from location: CLLocation) -> CLLocationDistance {
        geodesicDistance(coordinate, location.coordinate)
    }

    /// The former name of ``distance(from:)``.
    @available(*, deprecated, renamed: "distance(from:)")
    open func getDistanceFrom(_ location: CLLocation) -> CLLocationDistance { distance(from: location) }

    /// Returns the object itself, because locations are immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true: locations support secure coding.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the location into a keyed archive. All numbers are stored bit for bit.
    open func encode(with coder: NSCoder) { values.encode(with: coder) }

    /// The coordinate, accuracy, movement and time (UTC) on one line, independent of the locale.
    open override var description: String {
        let numbers = String(
            format: "<%+.8f,%+.8f> +/- %.2fm (speed %.2f mps / course %.2f)",
            coordinate.latitude, coordinate.longitude, horizontalAccuracy, speed, course)
        return "\(numbers) @ \(timestamp.utcDescription)"
    }
}

extension Date {
    /// The time in UTC, independent of the locale. Foundation's own description traps for NaN.
    var utcDescription: String { timeIntervalSinceReferenceDate.isNaN ? "unknown time" : description }
}
