// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A place and its accuracy, the movement there, and the time of measurement.
///
/// Angles are degrees on WGS 84, lengths metres, speeds metres per second. A negative accuracy says that the value it
/// belongs to is invalid; ``course`` and ``speed`` are themselves -1 when unknown. Values are kept as they are given:
/// nothing is checked, clamped or cleared, so check the accuracy before using a value.
///
/// Immutable; usable from any thread. Two locations are equal only when they are the same object, as with any
/// `NSObject`: compare ``coordinate`` or ``distance(from:)`` instead. The class is open so that tests can override its
/// properties; an archive and a copy hold the values that the object was made with.
///
/// ```swift
/// let tower = CLLocation(latitude: 48.85837, longitude: 2.294481)
/// if fix.horizontalAccuracy >= 0 {
///     print("\(fix.distance(from: tower)) m to the tower")
/// }
/// ```
open class CLLocation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// Everything this location knows.
    let values: Values
    /// What a location from a device knows beyond that.
    private(set) var details: LocationDetails?

    /// Creates a location from all of its values; positions from a device are made here.
    init(_ values: Values, details: LocationDetails? = nil) {
        self.values = values
        self.details = details
    }

    /// Creates a location at 0° N, 0° E that marks its coordinate and altitude as invalid.
    public override init() {
        values = Values(CLLocationCoordinate2D(), horizontalAccuracy: -1, timestamp: Date())
    }

    /// Creates a location from a coordinate, in degrees, at the present time.
    ///
    /// The altitude is 0 with an accuracy of -1 (invalid), the horizontal accuracy 0, course and speed are -1.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        let coordinate = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
        values = Values(coordinate, horizontalAccuracy: 0, timestamp: Date())
    }

    /// Creates a location without a movement: course, speed and their accuracies are -1.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, timestamp: Date
    ) {
        values = Values(
            coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy,
            timestamp: timestamp)
    }

    /// Creates a location with a movement of unknown accuracy: the accuracies of course and speed are -1.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection, speed: CLLocationSpeed, timestamp: Date
    ) {
        values = Values(
            coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy,
            course: course, speed: speed, timestamp: timestamp)
    }

    /// Creates a location with a movement and its accuracies.
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

    /// Creates a location with a movement, its accuracies and the source of it all.
    ///
    /// The two properties of `sourceInfo` are kept, not the object.
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

    /// Restores a location from an archive; nil when the archive holds only a part of one.
    ///
    /// An archive that holds nothing of a location, as that of a subclass that overrides `encode(with:)` without calling
    /// super, gives one as `init()` makes it: coordinate and altitude are marked as invalid.
    public required init?(coder: NSCoder) {
        if Values.isAbsent(from: coder) {
            values = Values(CLLocationCoordinate2D(), horizontalAccuracy: -1, timestamp: Date())
            return
        }
        guard let values = Values(coder: coder) else { return nil }
        self.values = values
    }

    /// The place in degrees on WGS 84; invalid when ``horizontalAccuracy`` is negative.
    open var coordinate: CLLocationCoordinate2D {
        CLLocationCoordinate2D(latitude: values.latitude, longitude: values.longitude)
    }

    /// The height above mean sea level in metres; invalid when ``verticalAccuracy`` is negative.
    open var altitude: CLLocationDistance { values.altitude }

    /// The height above the WGS 84 ellipsoid in metres; invalid when ``verticalAccuracy`` is negative.
    ///
    /// It is 0 for locations that a program made.
    open var ellipsoidalAltitude: CLLocationDistance { values.ellipsoidalAltitude }

    /// The radius in metres of the circle around ``coordinate`` that holds the true place; negative when invalid.
    open var horizontalAccuracy: CLLocationAccuracy { values.horizontalAccuracy }

    /// The uncertainty in metres of both altitudes; negative when they are invalid.
    open var verticalAccuracy: CLLocationAccuracy { values.verticalAccuracy }

    /// The direction of movement in degrees clockwise from true north, 0 ..< 360; negative when unknown.
    open var course: CLLocationDirection { values.course }

    /// The uncertainty of ``course`` in degrees; negative when the course is invalid.
    open var courseAccuracy: CLLocationDirectionAccuracy { values.courseAccuracy }

    /// The speed over ground in metres per second; negative when unknown.
    open var speed: CLLocationSpeed { values.speed }

    /// The uncertainty of ``speed`` in metres per second; negative when the speed is invalid.
    open var speedAccuracy: CLLocationSpeedAccuracy { values.speedAccuracy }

    /// When the place was measured.
    open var timestamp: Date { Date(timeIntervalSinceReferenceDate: values.timestamp) }

    /// The storey of the building, or nil where it is not known: no position source for Linux tells it.
    open var floor: CLFloor? { values.floorLevel.map(CLFloor.init(storey:)) }

    /// Whether software or an accessory produced the location.
    ///
    /// Never nil, also for locations that a program made; a new object at each call.
    open var sourceInformation: CLLocationSourceInformation? {
        CLLocationSourceInformation(
            softwareSimulationState: values.isSimulatedBySoftware,
            andExternalAccessoryState: values.isProducedByAccessory)
    }

    /// The length in metres of the shortest way over the WGS 84 ellipsoid to another location.
    ///
    /// Altitudes do not count. The distance is the same in both directions.
    open func distance(from location: CLLocation) -> CLLocationDistance {
        geodesicDistance(coordinate, location.coordinate)
    }

    /// The former name of ``distance(from:)``.
    @available(*, deprecated, renamed: "distance(from:)")
    open func getDistanceFrom(_ location: CLLocation) -> CLLocationDistance {
        distance(from: location)
    }

    /// Returns the location itself, which cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True: locations can be archived securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the location into a keyed archive, every number bit for bit.
    open func encode(with coder: NSCoder) {
        values.encode(with: coder)
    }

    /// Place, accuracy, movement and time (UTC) on one line; the same in every locale.
    open override var description: String {
        let numbers = String(
            format: "<%+.8f,%+.8f> +/- %.2fm (speed %.2f mps / course %.2f)",
            coordinate.latitude, coordinate.longitude, horizontalAccuracy, speed, course)
        return "\(numbers) @ \(timestamp.shown)"
    }
}

extension Date {
    /// The time in UTC, in the same words in every locale. Foundation's own description traps for NaN.
    var shown: String { timeIntervalSinceReferenceDate.isNaN ? "unknown time" : description }
}
