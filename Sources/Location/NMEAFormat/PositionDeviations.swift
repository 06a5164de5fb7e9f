// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// The standard deviations of a position, in metres, as in GST sentences and covariance matrices. In contrast, position
/// reports contain errors at a given confidence level. Unknown values are NaN.
package struct PositionDeviations: Sendable, Hashable {
    /// A confidence level for normally distributed errors. Each property is the ratio of the error at this level to the
    /// standard deviation.
    package struct Confidence: Sendable, Hashable {
        package let alongAxis: Double
        /// The ratio for the radial error in a plane, if both axes have equal standard deviations. At confidence level
        /// p, it is the square root of -2 ln(1 - p).
        package let inPlane: Double
        /// The ratio for the radial error in space: the square root of the quantile of the chi-squared distribution
        /// with 3 degrees of freedom.
        package let inSpace: Double

        /// The confidence level of gpsd's errors: 95 %.
        package static let ninetyFive = Confidence(alongAxis: 1.959964, inPlane: 2.447747, inSpace: 2.795483)
        /// The confidence level of the accuracies that phones report: 68 %.
        package static let sixtyEight = Confidence(alongAxis: 0.994458, inPlane: 1.509592, inSpace: 1.872400)
    }

    package var north = Double.nan
    package var east = Double.nan
    package var up = Double.nan
    /// True if `north` and `east` are derived from a single horizontal error.
    package private(set) var isIsotropic = false

    package init() {}

    /// Creates the deviations from a report's errors. If the latitude and longitude errors are unknown, the deviations
    /// are derived from the horizontal error.
    package init(_ report: PositionReport, _ confidence: Confidence = .ninetyFive) {
        north = Self.nonnegative(report.latitudeError / confidence.alongAxis)
        east = Self.nonnegative(report.longitudeError / confidence.alongAxis)
        up = Self.nonnegative(report.verticalError / confidence.alongAxis)
        guard north.isNaN, east.isNaN else { return }
        north = Self.nonnegative(report.horizontalError / confidence.inPlane)
        east = north
        isIsotropic = true
    }

    package func write(to report: inout PositionReport, _ confidence: Confidence = .ninetyFive) {
        report.latitudeError = north * confidence.alongAxis
        report.longitudeError = east * confidence.alongAxis
        report.verticalError = up * confidence.alongAxis
        report.horizontalError = ((north * north + east * east) / 2).squareRoot() * confidence.inPlane
    }

    private static func nonnegative(_ value: Double) -> Double { value >= 0 ? value : .nan }
}

extension PositionReport {
    /// Returns the report with its errors converted to a different confidence level. If the horizontal error is
    /// unknown, it is derived from the latitude and longitude errors.
    package func convertingErrors(
        to confidence: PositionDeviations.Confidence, from former: PositionDeviations.Confidence
    ) -> PositionReport {
        var report = self
        let axis = confidence.alongAxis / former.alongAxis
        PositionDeviations(self, former).write(to: &report, confidence)
        // `write` derives unknown latitude and longitude errors from the horizontal error. Both are overwritten here,
        // because unknown errors must stay unknown.
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
