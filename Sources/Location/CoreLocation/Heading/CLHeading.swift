// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
public import Foundation

/// The direction in which the device points, with its accuracy and the time of the measurement.
///
/// A heading is the direction of one edge of the device, in degrees clockwise from north. This is the top edge, unless
/// `CLLocationManager.headingOrientation` selects a different one. A negative ``headingAccuracy`` marks the heading as
/// invalid.
///
/// Immutable and safe to use from any thread. Two headings are equal only if they are the same object. The class is
/// open so that tests can override its properties; archives and copies contain the values with which the object was
/// created.
///
/// ```swift
/// func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
///     guard newHeading.headingAccuracy > 0 else { return }
///     let heading = newHeading.trueHeading >= 0 ? newHeading.trueHeading : newHeading.magneticHeading
///     print("the needle turns to \(-heading) degrees")
/// }
/// ```
open class CLHeading: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    let values: Values
    /// The path of the compass that reported the heading; nil if the heading is not from a compass.
    private(set) var compass: String?
    /// The time of the measurement, or of the arrival of a compass report; nil if the heading is not from a device.
    private(set) var time: BootTime?

    /// Creates a heading from its values. All headings from a device are created here.
    init(_ values: Values, compass: String? = nil, time: BootTime? = nil) {
        self.values = values
        self.compass = compass
        self.time = time
    }

    /// Creates an invalid heading of 0° with the current time, for subclasses in tests.
    public override init() { values = Values(timestamp: Date().timeIntervalSinceReferenceDate) }

    /// Restores a heading from an archive. Returns nil if the archive contains only some of the values. If the archive
    /// contains no heading, the result is the same as that of `init()`.
    public required init?(coder: NSCoder) {
        if Values.isAbsent(from: coder) {
            values = Values(timestamp: Date().timeIntervalSinceReferenceDate)
            return
        }
        guard let values = Values(coder: coder) else { return nil }
        self.values = values
    }

    /// Degrees clockwise from magnetic north, 0 ..< 360.
    open var magneticHeading: CLLocationDirection { values.magneticHeading }

    /// Degrees clockwise from true north, 0 ..< 360; negative if unknown. The true heading is known while location
    /// updates of the same manager are running and have determined a position, except near the magnetic poles, where a
    /// compass is unusable. A gpsd compass may also report the true heading.
    open var trueHeading: CLLocationDirection { values.trueHeading }

    /// The maximum expected error of ``magneticHeading``, in degrees, 1 ... 180. Negative if the heading is invalid
    /// because the magnetometer is not calibrated, or because of magnetic interference.
    ///
    /// For the device's own magnetometer, the accuracy is √(u² + c² + t²), and at least 1:
    ///
    /// - u is the 95 % bound of the attitude filter. It depends on how long and how well the magnetic field and the
    ///   gyroscope have agreed.
    /// - c is the remaining error of the calibration: 2° if its quality is high, 5° if it is medium, 15° if it is low.
    ///   Without a calibration, c is the error that the unevenness of the field can cause, measured while the device
    ///   rotates (at least 3°). In this case the heading is invalid until most directions have been covered and the
    ///   unevenness was at most a quarter of the field.
    /// - t is 1°·tan(elevation) of the edge: the steeper the edge, the less its direction is defined.
    ///
    /// gpsd does not report the accuracy of a compass: its headings have an accuracy of 5°.
    open var headingAccuracy: CLLocationDirection { values.headingAccuracy }

    /// The geomagnetic field along the device's x axis in microtesla, without the field of the device itself. All three
    /// components are 0 for a gpsd compass, because their unit is unknown.
    open var x: CLHeadingComponentValue { values.x }

    /// The geomagnetic field along the device's y axis in microtesla, without the field of the device itself.
    open var y: CLHeadingComponentValue { values.y }

    /// The geomagnetic field along the device's z axis in microtesla, without the field of the device itself.
    open var z: CLHeadingComponentValue { values.z }

    /// The time of the measurement.
    open var timestamp: Date { Date(timeIntervalSinceReferenceDate: values.timestamp) }

    /// Returns the object itself, because headings are immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true: headings support secure coding.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the heading into a keyed archive. All numbers are stored bit for bit.
    open func encode(with coder: NSCoder) { values.encode(with: coder) }

    /// The headings, accuracy, field and time (UTC) on one line, independent of the locale.
    open override var description: String {
        let numbers = String(
            format: "magneticHeading %.2f trueHeading %.2f accuracy %.2f x %+.3f y %+.3f z %+.3f",
            magneticHeading, trueHeading, headingAccuracy, x, y, z)
        return "\(numbers) @ \(timestamp.utcDescription)"
    }
}

extension CLHeading {
    /// The values of a heading. Units and invalid values are those of the properties of ``CLHeading``.
    struct Values: Sendable {
        var magneticHeading: Double = 0
        var trueHeading: Double = -1
        var headingAccuracy: Double = -1
        var x: Double = 0
        var y: Double = 0
        var z: Double = 0
        /// Seconds since 2001-01-01T00:00:00Z, as `Date.timeIntervalSinceReferenceDate`.
        var timestamp: Double
    }
}

extension CLHeading.Values {
    private static let archiveKey = "CLHeading.values"

    static func isAbsent(from coder: NSCoder) -> Bool { coder.containsNone(of: [archiveKey]) }

    /// Decodes the values written by `encode(with:)`. Returns nil if any value is missing.
    init?(coder: NSCoder) {
        guard let words = coder.decodeWords(7, forKey: Self.archiveKey) else { return nil }
        let numbers = words.map(Double.init(bitPattern:))
        self.init(
            magneticHeading: numbers[0], trueHeading: numbers[1], headingAccuracy: numbers[2],
            x: numbers[3], y: numbers[4], z: numbers[5], timestamp: numbers[6])
    }

    /// Encodes all values into a keyed archive. New values have to be appended at the end.
    func encode(with coder: NSCoder) {
        guard coder.allowsKeyedCoding else { return }
        let numbers = [magneticHeading, trueHeading, headingAccuracy, x, y, z, timestamp]
        coder.encode(words: numbers.map(\.bitPattern), forKey: Self.archiveKey)
    }
}

/// The orientation of the device. The heading is the direction of the edge that points up. Headings ignore `unknown`,
/// `faceUp` and `faceDown`, because they do not select an edge. The raw values are those of `UIDeviceOrientation`.
public enum CLDeviceOrientation: Int32, Sendable {
    /// An unknown orientation.
    case unknown = 0

    /// Upright, with the top edge up.
    case portrait = 1

    /// Upside down, with the top edge down.
    case portraitUpsideDown = 2

    /// On its side, with the top edge to the left.
    case landscapeLeft = 3

    /// On its side, with the top edge to the right.
    case landscapeRight = 4

    /// Flat, with the screen up.
    case faceUp = 5

    /// Flat, with the screen down.
    case faceDown = 6
}
