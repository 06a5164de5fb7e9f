// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

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
