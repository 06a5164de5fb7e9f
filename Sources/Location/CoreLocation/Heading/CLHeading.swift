// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
public import Foundation

/// Which way the device points, how surely that is known, and when it was measured.
///
/// A heading is the direction of one edge of the device, in degrees clockwise from north: the top edge, unless
/// `CLLocationManager.headingOrientation` names another. A negative ``headingAccuracy`` marks it as invalid.
///
/// Immutable; usable from any thread. Two headings are equal only when they are the same object. The class is open so
/// that tests can override its properties; an archive and a copy hold the values that the object was made with.
///
/// ```swift
/// func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
///     guard newHeading.headingAccuracy > 0 else { return }
///     let heading = newHeading.trueHeading >= 0 ? newHeading.trueHeading : newHeading.magneticHeading
///     print("the needle turns to \(-heading) degrees")
/// }
/// ```
open class CLHeading: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// Everything this heading knows.
    let values: Values
    /// The path of the compass that told it; nil for the device's own magnetometer.
    private(set) var compass: String?
    /// When it was measured, or arrived from a compass; nil for headings that no device has told.
    private(set) var time: BootTime?

    /// Creates a heading from all of its values; headings from a device are made here.
    init(_ values: Values, compass: String? = nil, time: BootTime? = nil) {
        self.values = values
        self.compass = compass
        self.time = time
    }

    /// Creates a heading of 0° at the present time that is marked as invalid, for subclasses in tests.
    public override init() {
        values = Values(timestamp: Date().timeIntervalSinceReferenceDate)
    }

    /// Restores a heading from an archive; nil when the archive holds only a part of one.
    ///
    /// An archive that holds nothing of a heading, as that of a subclass that overrides `encode(with:)` without calling
    /// super, gives one as `init()` makes it: marked as invalid.
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

    /// Degrees clockwise from true north, 0 ..< 360; negative when it is not known.
    ///
    /// It is known while the same manager's location updates run and have found a position, except near the magnetic
    /// poles, where a compass is of no use. A compass of gpsd may know it by itself.
    open var trueHeading: CLLocationDirection { values.trueHeading }

    /// The largest expected error of ``magneticHeading``, in degrees, 1 ... 180; negative when the heading is invalid:
    /// the magnetometer is not calibrated, or something magnetic disturbs it.
    ///
    /// With the device's own magnetometer it is √(u² + c² + t²), and at least 1:
    ///
    /// - u is the attitude filter's 95 % bound: how long and how well the field and the gyroscope have agreed.
    /// - c is the error that the calibration leaves: 2° when its quality is high, 5° medium, 15° low. Without a
    ///   calibration it is what the unevenness of the field may cause, measured as the device turns (at least 3°). The
    ///   heading then stays invalid until most directions have been seen and the field was even to a quarter.
    /// - t is 1°·tan(elevation) of the edge: the steeper it stands, the less of it points anywhere.
    ///
    /// gpsd does not tell how good a compass is: its headings get 5°.
    open var headingAccuracy: CLLocationDirection { values.headingAccuracy }

    /// The earth's magnetic field along the device's x axis in microtesla, without the device's own field.
    ///
    /// All three components are 0 for a compass of gpsd, as its unit is not known.
    open var x: CLHeadingComponentValue { values.x }

    /// The earth's magnetic field along the device's y axis in microtesla, without the device's own field.
    open var y: CLHeadingComponentValue { values.y }

    /// The earth's magnetic field along the device's z axis in microtesla, without the device's own field.
    open var z: CLHeadingComponentValue { values.z }

    /// When the heading was measured.
    open var timestamp: Date { Date(timeIntervalSinceReferenceDate: values.timestamp) }

    /// Returns the heading itself, which cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True: headings can be archived securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the heading into a keyed archive, every number bit for bit.
    open func encode(with coder: NSCoder) {
        values.encode(with: coder)
    }

    /// Headings, accuracy, field and time (UTC) on one line; the same in every locale.
    open override var description: String {
        let numbers = String(
            format: "magneticHeading %.2f trueHeading %.2f accuracy %.2f x %+.3f y %+.3f z %+.3f",
            magneticHeading, trueHeading, headingAccuracy, x, y, z)
        return "\(numbers) @ \(timestamp.shown)"
    }
}

extension CLHeading {
    /// All that a heading knows: plain numbers. Units and invalid values are those of the properties of ``CLHeading``.
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

    /// True for an archive that holds nothing of a heading.
    static func isAbsent(from coder: NSCoder) -> Bool { coder.holdsNone(of: [archiveKey]) }

    /// Reads what `encode(with:)` wrote; nil when there is less.
    init?(coder: NSCoder) {
        guard let words = coder.decodeWords(7, forKey: Self.archiveKey) else { return nil }
        let numbers = words.map(Double.init(bitPattern:))
        self.init(
            magneticHeading: numbers[0], trueHeading: numbers[1], headingAccuracy: numbers[2],
            x: numbers[3], y: numbers[4], z: numbers[5], timestamp: numbers[6])
    }

    /// Writes all of them into a keyed archive. New ones go to the end.
    func encode(with coder: NSCoder) {
        guard coder.allowsKeyedCoding else { return }
        let numbers = [magneticHeading, trueHeading, headingAccuracy, x, y, z, timestamp]
        coder.encode(words: numbers.map(\.bitPattern), forKey: Self.archiveKey)
    }
}

/// How the device is held, for headings: the heading is the direction of the edge that is up.
///
/// Headings ignore `unknown`, `faceUp` and `faceDown`, which name no edge.
///
/// The numbering is that of `UIDeviceOrientation`.
public enum CLDeviceOrientation: Int32, Sendable {
    /// Not known.
    case unknown = 0

    /// Upright, the top edge up.
    case portrait = 1

    /// Upside down, the top edge down.
    case portraitUpsideDown = 2

    /// On its side, the top edge to the left.
    case landscapeLeft = 3

    /// On its side, the top edge to the right.
    case landscapeRight = 4

    /// Lying flat, the screen up.
    case faceUp = 5

    /// Lying flat, the screen down.
    case faceDown = 6
}
