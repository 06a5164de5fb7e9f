// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// The standard deviations of a position, in metres: what GST and covariances hold, where reports have errors of a
/// confidence. NaN stands for what is not known.
package struct PositionDeviations: Sendable, Hashable {
    /// How many standard deviations of a normal distribution an error is.
    package struct Confidence: Sendable, Hashable {
        /// Along one axis: the quantile of the normal distribution.
        package let alongAxis: Double
        /// The radius in the plane, of two equal deviations: the square root of -2 ln(1 - p).
        package let inPlane: Double
        /// The radius in space, of three equal deviations: the square root of the quantile of chi squared of three.
        package let inSpace: Double

        /// 95 per cent: gpsd's errors.
        package static let ninetyFive = Confidence(alongAxis: 1.959964, inPlane: 2.447747, inSpace: 2.795483)
        /// 68 per cent: phones' accuracies.
        package static let sixtyEight = Confidence(alongAxis: 0.994458, inPlane: 1.509592, inSpace: 1.872400)
    }

    package var north = Double.nan
    package var east = Double.nan
    package var up = Double.nan
    /// True when north and east are those of a circle.
    package private(set) var isCircle = false

    /// Deviations of which nothing is known.
    package init() {}

    /// Those of a report.
    package init(_ report: PositionReport, _ confidence: Confidence = .ninetyFive) {
        north = Self.known(report.latitudeError / confidence.alongAxis)
        east = Self.known(report.longitudeError / confidence.alongAxis)
        up = Self.known(report.verticalError / confidence.alongAxis)
        guard north.isNaN, east.isNaN else { return }
        north = Self.known(report.horizontalError / confidence.inPlane)
        east = north
        isCircle = true
    }

    /// Writes the errors of a report.
    package func write(to report: inout PositionReport, _ confidence: Confidence = .ninetyFive) {
        report.latitudeError = north * confidence.alongAxis
        report.longitudeError = east * confidence.alongAxis
        report.verticalError = up * confidence.alongAxis
        report.horizontalError = ((north * north + east * east) / 2).squareRoot() * confidence.inPlane
    }

    private static func known(_ value: Double) -> Double { value >= 0 ? value : .nan }
}

extension PositionReport {
    /// The same position with errors of another confidence. The horizontal one comes from those of latitude and longitude
    /// where it is not told.
    package func with(
        errors confidence: PositionDeviations.Confidence, insteadOf former: PositionDeviations.Confidence
    ) -> PositionReport {
        var report = self
        let axis = confidence.alongAxis / former.alongAxis
        PositionDeviations(self, former).write(to: &report, confidence)
        report.latitudeError = latitudeError * axis
        report.longitudeError = longitudeError * axis
        if !horizontalError.isNaN { report.horizontalError = horizontalError * (confidence.inPlane / former.inPlane) }
        report.sphericalError = sphericalError * (confidence.inSpace / former.inSpace)
        report.trackError = trackError * axis
        report.speedError = speedError * axis
        report.climbError = climbError * axis
        return report
    }
}
