// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
public import Foundation

/// The direction in which the device points, with its accuracy and measurement time.
///
/// A heading is the direction of one edge of the device, in degrees clockwise from north. The top edge is used unless
/// `CLLocationManager.headingOrientation` selects a different edge. A negative ``headingAccuracy`` marks the heading as
/// invalid.
///
/// Immutable and safe to use from any thread. Two headings are equal only if they are the same object. The class is
/// open so that tests can override its properties, which is why its `Sendable` conformance is unchecked. Archives
/// contain the original values, not the overridden ones.
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
    /// The ``receiver`` and the ``uptime``. Archives omit both, because they are meaningless on another machine or
    /// after a restart.
    let compass: String?
    let time: BootTime?

    init(_ values: Values, compass: String? = nil, time: BootTime? = nil) {
        (self.values, self.compass, self.time) = (values, compass, time)
    }

    /// Creates an invalid heading of 0° with the current time, for subclasses in tests.
    public override init() { (values, compass, time) = (.absent, nil, nil) }

    /// Restores a heading from an archive. Returns nil if the archived values are incomplete. If the archive contains
    /// no heading, behaves like `init()`.
    public required init?(coder: NSCoder) {
        guard let values = Values.isAbsent(from: coder) ? .absent : Values(coder: coder) else { return nil }
        (self.values, compass, time) = (values, nil, nil)
    }

    /// The heading in degrees clockwise from magnetic north, 0 ..< 360.
    open var magneticHeading: CLLocationDirection { values.magneticHeading }

    /// The heading in degrees clockwise from true north, 0 ..< 360. Negative if the true heading is unknown.
    ///
    /// The manager computes the true heading only while its location updates are running and have provided a position.
    /// Near the magnetic poles, the true heading is unknown. A gpsd compass may report the true heading directly.
    open var trueHeading: CLLocationDirection { values.trueHeading }

    /// The maximum expected error of ``magneticHeading`` in degrees, 1 ... 180. Negative if the heading is invalid
    /// because the magnetometer is uncalibrated or disturbed.
    ///
    /// For the device's own magnetometer, the accuracy is √(u² + c² + t²), but at least 1°:
    /// - u is half the width of the 95 % confidence interval of the heading, as estimated by the attitude filter. The
    ///   width depends on how long and how closely the magnetic field and the gyroscope have agreed.
    /// - c is the remaining calibration error: 2°, 5° or 15° for a high, medium or low calibration quality. For an
    ///   uncalibrated magnetometer, c depends on how much the field strength varies as the device turns, and is at
    ///   least 3°. The heading of an uncalibrated magnetometer is invalid until the device has faced most directions,
    ///   and while the variation exceeds a quarter of the field strength.
    /// - t is 1°·tan(e), where e is the elevation angle of the edge. The steeper the edge, the less well defined its
    ///   direction.
    ///
    /// For a gpsd compass, the accuracy is assumed to be 5°, because gpsd does not report it.
    open var headingAccuracy: CLLocationDirection { values.headingAccuracy }

    /// The geomagnetic field along the device's x axis in microtesla, excluding the device's own field. For a gpsd
    /// compass, `x`, `y` and `z` are 0, because gpsd does not report their unit.
    open var x: CLHeadingComponentValue { values.x }
    /// The geomagnetic field along the device's y axis in microtesla. See ``x``.
    open var y: CLHeadingComponentValue { values.y }
    /// The geomagnetic field along the device's z axis in microtesla. See ``x``.
    open var z: CLHeadingComponentValue { values.z }
    /// The time of the measurement.
    open var timestamp: Date { Date(timeIntervalSinceReferenceDate: values.timestamp) }

    /// Returns the object itself, because headings are immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the heading into a keyed archive without loss of precision.
    open func encode(with coder: NSCoder) { values.encode(with: coder) }

    /// A one-line, locale-independent description with the headings, accuracy, field and UTC time.
    open override var description: String {
        let numbers = String(
            format: "magneticHeading %.2f trueHeading %.2f accuracy %.2f x %+.3f y %+.3f z %+.3f",
            magneticHeading, trueHeading, headingAccuracy, x, y, z)
        return "\(numbers) @ \(timestamp.utcDescription)"
    }

    /// The values of a heading, with the same units and invalid values as the ``CLHeading`` properties.
    struct Values: Sendable {
        var magneticHeading: Double = 0
        var trueHeading: Double = -1
        var headingAccuracy: Double = -1
        var x: Double = 0
        var y: Double = 0
        var z: Double = 0
        /// Seconds since 2001-01-01T00:00:00Z.
        var timestamp: TimeInterval

        /// The values of a heading created with `init()`.
        static var absent: Self { Self(timestamp: Date().timeIntervalSinceReferenceDate) }
    }
}

extension CLHeading.Values {
    private static let archiveKey = "CLHeading.values"

    static func isAbsent(from coder: NSCoder) -> Bool { coder.containsNone(of: [archiveKey]) }

    init?(coder: NSCoder) {
        guard let words = coder.decodeWords(7, forKey: Self.archiveKey) else { return nil }
        let numbers = words.map(Double.init(bitPattern:))
        self.init(
            magneticHeading: numbers[0], trueHeading: numbers[1], headingAccuracy: numbers[2],
            x: numbers[3], y: numbers[4], z: numbers[5], timestamp: numbers[6])
    }

    /// Archives identify values by position, and existing archives contain only these seven values. A new value must
    /// therefore be appended, and `init(coder:)` must accept archives without it.
    func encode(with coder: NSCoder) {
        guard coder.allowsKeyedCoding else { return }
        let numbers = [magneticHeading, trueHeading, headingAccuracy, x, y, z, timestamp]
        coder.encode(words: numbers.map(\.bitPattern), forKey: Self.archiveKey)
    }
}

/// The orientation of the device. The heading is the direction of the edge that points up. The values `unknown`,
/// `faceUp` and `faceDown` do not select an edge, and have no effect on headings. The raw values are the same as those
/// of `UIDeviceOrientation`.
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
