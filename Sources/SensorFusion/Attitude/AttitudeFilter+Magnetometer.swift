// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension AttitudeFilter {
    /// Forgets what the magnetometer has said, as when its calibration has become another one: north is found anew, and so
    /// is the field to expect. Inclination and bias stay.
    public mutating func restartMagnetometer() {
        field = MagneticReference(settings: settings)
        rejection.restart()
        headingGain.restart()
        headingTrust.restart()
        estimator.restartHeading()
        fieldSum = .zero
        fieldCount = 0
        fieldTime = 0
    }
}
