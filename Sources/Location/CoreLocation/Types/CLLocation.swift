// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A position with its accuracy, movement and measurement time.
///
/// Angles are in degrees on WGS 84, lengths in metres and speeds in metres per second. A negative accuracy marks the
/// corresponding value as invalid. Values are not validated, so check the accuracy first.
///
/// Locations are immutable and safe to use from any thread. As with any `NSObject`, two locations are equal only if
/// they are the same object, so compare ``coordinate`` or ``distance(from:)`` instead. The class is open so that tests
/// can override its properties. Archives and copies contain the object's original values.
open class CLLocation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    let values: Values
    /// The receiver's report and related details, or nil if there is no report. Never changes after `init`.
    private(set) var details: LocationDetails?

    /// Creates a location from values that a device provides.
    init(_ values: Values, details: LocationDetails? = nil) {
        self.values = values
        self.details = details
    }

    /// Creates a location at 0° N, 0° E whose coordinate and altitude are invalid.
    public override init() {
        values = Values(CLLocationCoordinate2D(), horizontalAccuracy: -1, timestamp: Date())
    }

    /// Creates a location from a coordinate, in degrees, with the current time. The horizontal accuracy is 0, course
    /// and speed are -1, and the altitude is invalid.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        let coordinate = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
        values = Values(coordinate, horizontalAccuracy: 0, timestamp: Date())
    }

    /// Creates a location without a course or speed. Both values and their accuracies are -1.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, timestamp: Date
    ) {
        values = Values(
            coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy,
            timestamp: timestamp)
    }

    /// Creates a location with a course and speed of unknown accuracy. Both accuracies are -1.
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

    /// Creates a location with a course and speed, their accuracies, and source information. The two properties of
    /// `sourceInfo` are copied; the object itself is not stored.
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

    /// Restores a location from an archive. Returns nil if a value is missing. If the archive contains no location,
    /// behaves like `init()`.
    public required init?(coder: NSCoder) {
        if Values.isAbsent(from: coder) {
            values = Values(CLLocationCoordinate2D(), horizontalAccuracy: -1, timestamp: Date())
            return
        }
        guard let values = Values(coder: coder) else { return nil }
        self.values = values
    }

    /// The coordinate in degrees on WGS 84. It is invalid if ``horizontalAccuracy`` is negative.
    open var coordinate: CLLocationCoordinate2D {
        CLLocationCoordinate2D(latitude: values.latitude, longitude: values.longitude)
    }

    /// The altitude above mean sea level in metres. It is invalid if ``verticalAccuracy`` is negative.
    open var altitude: CLLocationDistance { values.altitude }

    /// The altitude above the WGS 84 ellipsoid in metres. 0 if the altitude is unknown, as it is for locations created
    /// by an app.
    open var ellipsoidalAltitude: CLLocationDistance { values.ellipsoidalAltitude }

    /// The radius of uncertainty around ``coordinate``, in metres. Negative if the coordinate is invalid.
    open var horizontalAccuracy: CLLocationAccuracy { values.horizontalAccuracy }

    /// The uncertainty of both altitudes in metres. Negative if the altitudes are invalid.
    open var verticalAccuracy: CLLocationAccuracy { values.verticalAccuracy }

    /// The direction of movement in degrees clockwise from true north, 0 ..< 360. Negative if the course is unknown.
    open var course: CLLocationDirection { values.course }

    /// The uncertainty of ``course`` in degrees. Negative if the course is invalid.
    open var courseAccuracy: CLLocationDirectionAccuracy { values.courseAccuracy }

    /// The speed over ground in metres per second. Negative if the speed is unknown.
    open var speed: CLLocationSpeed { values.speed }

    /// The uncertainty of ``speed`` in metres per second. Negative if the speed is invalid.
    open var speedAccuracy: CLLocationSpeedAccuracy { values.speedAccuracy }

    /// The time of the measurement.
    open var timestamp: Date { Date(timeIntervalSinceReferenceDate: values.timestamp) }

    /// The floor of the building, or nil if unknown. No position source on Linux reports floors.
    open var floor: CLFloor? { values.floorLevel.map(CLFloor.init(level:)) }

    /// Indicates whether the location was produced by software or by an accessory. The value is never nil, even for
    /// locations created by an app. Each access returns a new object.
    open var sourceInformation: CLLocationSourceInformation? {
        CLLocationSourceInformation(
            softwareSimulationState: values.isSimulatedBySoftware,
            andExternalAccessoryState: values.isProducedByAccessory)
    }

    /// Returns the distance to another location, in metres, along the shortest path on the WGS 84 ellipsoid.
    open func distance(from location: CLLocation) -> CLLocationDistance {
        geodesicDistance(coordinate, location.coordinate)
    }

    /// The former name of ``distance(from:)``.
    @available(*, deprecated, renamed: "distance(from:)")
    open func getDistanceFrom(_ location: CLLocation) -> CLLocationDistance { distance(from: location) }

    /// Returns the object itself, because locations are immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the location into a keyed archive without rounding its values.
    open func encode(with coder: NSCoder) { values.encode(with: coder) }

    /// A one-line, locale-independent description with the coordinate, accuracy, movement and UTC time.
    open override var description: String {
        let numbers = String(
            format: "<%+.8f,%+.8f> +/- %.2fm (speed %.2f mps / course %.2f)",
            coordinate.latitude, coordinate.longitude, horizontalAccuracy, speed, course)
        return "\(numbers) @ \(timestamp.utcDescription)"
    }
}

extension Date {
    /// The time in UTC, independent of the locale. Unlike `description`, this property does not trap if the time is
    /// NaN.
    var utcDescription: String { timeIntervalSinceReferenceDate.isNaN ? "unknown time" : description }
}
