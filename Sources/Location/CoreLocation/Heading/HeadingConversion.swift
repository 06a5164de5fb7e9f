// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SensorFusion

/// From fused states and compass reports to Core Location's values: the one place where that happens.
enum HeadingConversion {
    /// What a gauss is in microtesla.
    static let microteslaPerGauss = 100.0
    /// The accuracy of a compass of gpsd, of which nothing is told: degrees.
    static let compassAccuracy = 5.0
    /// The smallest accuracy: degrees. No compass is better, and programs take 0 for invalid.
    static let leastAccuracy = 1.0
    /// What an attitude may be tilted by mistake: degrees.
    static let inclinationError = 1.0
    /// The least that is said of a magnetometer that is not calibrated and has proved to be even: degrees.
    static let leastEvennessError = 3.0

    /// The true heading: negative where the declination is not known.
    static func trueHeading(magnetic: Double, declination: Double?) -> Double {
        declination.map { HeadingAxis.degrees(magnetic + $0) } ?? -1
    }

    /// Degrees that the calibration leaves over; nil when the field cannot be trusted at all.
    static func calibrationError(_ quality: MagneticQuality, deviation: Double?) -> Double? {
        switch quality {
        case .high: 2
        case .medium: 5
        case .low: 15
        case .uncalibrated: deviation.map { max(leastEvennessError, $0) }
        }
    }

    /// The accuracy in degrees, or -1: see ``CLHeading/headingAccuracy``.
    /// - Parameters:
    ///   - uncertainty: The filter's 95 % bound in radians.
    ///   - calibrationError: Degrees; nil when the field cannot be trusted.
    ///   - flatness: How much of the axis lies in the plane, 0 ... 1: the cosine of its elevation.
    static func accuracy(uncertainty: Double?, calibrationError: Double?, flatness: Double, isDisturbed: Bool) -> Double
    {
        guard !isDisturbed, let uncertainty, uncertainty >= 0, let calibrationError else { return -1 }
        let turn = uncertainty * 180 / .pi
        let tangent = max(0, 1 - flatness * flatness).squareRoot() / max(flatness, 0.01)
        let tilt = inclinationError * tangent
        let sum = (turn * turn + calibrationError * calibrationError + tilt * tilt).squareRoot()
        return min(180, max(leastAccuracy, sum))
    }

    /// The values of a compass report; nil when it has no heading that is one (0 ..< 360).
    ///
    /// The compass is taken to look where the top edge of a device does that lies flat. When it tells one of the two
    /// headings, the declination gives the other: the magnetic one from the true one always, the true one only where the
    /// program may have it.
    /// - Parameters:
    ///   - declination: Degrees, where this manager's location updates run.
    ///   - deviceDeclination: Degrees, where the device was last seen, for the magnetic heading alone.
    static func values(
        of report: AttitudeReport, orientation: CLDeviceOrientation, declination: Double?, deviceDeclination: Double?,
        fallbackTime: WallTime
    ) -> CLHeading.Values? {
        let turn = orientation.turn
        func direction(_ angle: Double) -> Double? {
            angle >= 0 && angle < 360 ? HeadingAxis.degrees(angle + turn) : nil
        }
        let toldTrue = direction(report.heading)
        let magnetic: Double
        if let told = direction(report.magneticHeading) {
            magnetic = told
        } else if let toldTrue {
            magnetic = HeadingAxis.degrees(toldTrue - (declination ?? deviceDeclination ?? 0))
        } else {
            return nil
        }
        return CLHeading.Values(
            magneticHeading: magnetic,
            trueHeading: toldTrue ?? trueHeading(magnetic: magnetic, declination: declination),
            headingAccuracy: compassAccuracy,
            timestamp: (report.time ?? fallbackTime).sinceReferenceDate)
    }
}

extension CLDeviceOrientation {
    /// The edge that is at the top, in the device's axes: -y upside down, +x in `landscapeLeft` (the top edge points left,
    /// so the right one is up), -x in `landscapeRight`.
    var topEdge: SIMD3<Double> {
        switch self {
        case .portraitUpsideDown: SIMD3(0, -1, 0)
        case .landscapeLeft: SIMD3(1, 0, 0)
        case .landscapeRight: SIMD3(-1, 0, 0)
        // The last three are never taken for a heading.
        case .portrait, .unknown, .faceUp, .faceDown: SIMD3(0, 1, 0)
        }
    }

    /// Degrees clockwise from portrait's top edge to the one that is at the top, seen from above on a device that lies flat.
    var turn: Double { HeadingAxis.degrees(atan2(topEdge.x, topEdge.y) * 180 / .pi) }
}
