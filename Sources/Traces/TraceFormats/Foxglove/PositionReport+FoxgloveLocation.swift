// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import NMEAFormat
import SystemCalls

extension PositionReport {
    /// What a LocationFix says; nil when it says no place.
    ///
    /// Its altitude is taken for one above the ellipsoid, as ROS has it; Foxglove does not say. Standard deviations are the
    /// roots of the covariance's diagonal; those of 0, and beyond 100 km, are not known, and with the latter an altitude
    /// of 0 is none. Speed, course and climb are those of the velocity; without one the heading is taken for the course.
    ///
    /// - Parameter confidence: what the errors become.
    init?(_ location: FoxgloveLocation, _ confidence: PositionDeviations.Confidence = .ninetyFive) {
        self.init()
        time = location.time
        receiver = location.frame
        (latitude, longitude, altitudeHAE) = (location.latitude, location.longitude, location.altitude)
        track = location.heading * 180 / .pi
        let variances = location.covariance
        if variances.count == 9 {
            if location.isCovarianceKnown {
                var deviations = PositionDeviations()
                deviations.east = Self.deviation(variances[0])
                deviations.north = Self.deviation(variances[4])
                deviations.up = Self.deviation(variances[8])
                deviations.write(to: &self, confidence)
            }
            if variances[8] >= FoxgloveMessage.leastUnknownVariance, altitudeHAE == 0 { altitudeHAE = .nan }
        }
        let velocity = location.velocity
        let way = (velocity.x * velocity.x + velocity.y * velocity.y).squareRoot()
        if way.isFinite {
            speed = way
            if speed > 0 { track = atan2(velocity.x, velocity.y) * 180 / .pi }
            climb = velocity.z
        }
        track = track.truncatingRemainder(dividingBy: 360)
        if track < 0 { track += 360 }
        mode = altitudeHAE.isFinite ? .threeDimensional : .twoDimensional
        guard hasFix else { return nil }
    }

    /// The root of a variance that says something; NaN of others.
    private static func deviation(_ variance: Double) -> Double {
        variance > 0 && variance < FoxgloveMessage.leastUnknownVariance ? variance.squareRoot() : .nan
    }
}
