// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SensorFusion

/// Converts fused states and compass reports to ``CLHeading`` values.
enum HeadingConversion {
    static let microteslaPerGauss = 100.0
    /// The accuracy assumed for a gpsd compass, in degrees. gpsd does not report it.
    static let compassAccuracy = 5.0
    /// The minimum accuracy value to report, in degrees. No compass is more accurate, and apps would interpret 0 as
    /// invalid.
    static let minimumAccuracy = 1.0
    /// The assumed tilt error of the attitude, in degrees.
    static let inclinationError = 1.0
    /// The minimum calibration error of an uncalibrated magnetometer, in degrees. It applies even if the field strength
    /// is the same at every heading.
    static let minimumUniformityError = 3.0

    static func trueHeading(magnetic: Double, declination: Double?) -> Double {
        declination.map { HeadingAxis.degrees(magnetic + $0) } ?? -1
    }

    /// Returns the error that remains after calibration, in degrees, or nil if the magnetic field is unusable.
    static func calibrationError(_ quality: MagneticQuality, deviation: Double?) -> Double? {
        switch quality {
        case .high: 2
        case .medium: 5
        case .low: 15
        case .uncalibrated: deviation.map { max(minimumUniformityError, $0) }
        }
    }

    /// Returns the accuracy in degrees, or -1 if the heading is invalid. See ``CLHeading/headingAccuracy``.
    /// - Parameters:
    ///   - uncertainty: Half the width of the 95 % confidence interval of the heading, in radians.
    ///   - calibrationError: The remaining calibration error in degrees, or nil if the magnetic field is unusable.
    ///   - flatness: The cosine of the elevation angle of the edge that points up, 0 ... 1.
    static func accuracy(uncertainty: Double?, calibrationError: Double?, flatness: Double, isDisturbed: Bool) -> Double
    {
        guard !isDisturbed, let uncertainty, uncertainty >= 0, let calibrationError else { return -1 }
        let degrees = uncertainty * 180 / .pi
        let tangent = max(0, 1 - flatness * flatness).squareRoot() / max(flatness, 0.01)
        let tilt = inclinationError * tangent
        let sum = (degrees * degrees + calibrationError * calibrationError + tilt * tilt).squareRoot()
        return min(180, max(minimumAccuracy, sum))
    }

    /// Returns the heading values from a compass report, or nil if the report has no valid heading (0 ..< 360).
    ///
    /// The device is assumed to lie flat, and the compass to point along its top edge. If the report lacks the magnetic
    /// or the true heading, it is computed from the other one.
    /// - Parameters:
    ///   - declination: The declination, in degrees, at the position provided by the manager's location updates. nil if
    ///     it is unknown.
    ///   - deviceDeclination: The declination, in degrees, at the device's last known position. Used only if
    ///     `declination` is nil, and only to compute the magnetic heading.
    static func values(
        of report: AttitudeReport, orientation: CLDeviceOrientation, declination: Double?, deviceDeclination: Double?,
        fallbackTime: WallTime
    ) -> CLHeading.Values? {
        let rotation = orientation.rotation
        func direction(_ angle: Double) -> Double? {
            angle >= 0 && angle < 360 ? HeadingAxis.degrees(angle + rotation) : nil
        }
        let reportedTrue = direction(report.heading)
        let computed = reportedTrue.map { HeadingAxis.degrees($0 - (declination ?? deviceDeclination ?? 0)) }
        guard let magnetic = direction(report.magneticHeading) ?? computed else { return nil }
        return CLHeading.Values(
            magneticHeading: magnetic,
            trueHeading: reportedTrue ?? trueHeading(magnetic: magnetic, declination: declination),
            headingAccuracy: compassAccuracy,
            timestamp: (report.time ?? fallbackTime).sinceReferenceDate)
    }
}

extension CLDeviceOrientation {
    /// The edge that points up in this orientation, as a unit vector in device axes. For example, the right edge (+x)
    /// points up in `landscapeLeft`.
    var topEdge: SIMD3<Double> {
        switch self {
        case .portraitUpsideDown: SIMD3(0, -1, 0)
        case .landscapeLeft: SIMD3(1, 0, 0)
        case .landscapeRight: SIMD3(-1, 0, 0)
        // The manager ignores `unknown`, `faceUp` and `faceDown`, so these orientations do not occur here.
        case .portrait, .unknown, .faceUp, .faceDown: SIMD3(0, 1, 0)
        }
    }

    /// The clockwise angle from the top edge to the edge that points up, in degrees.
    var rotation: Double { HeadingAxis.degrees(atan2(topEdge.x, topEdge.y) * 180 / .pi) }
}
