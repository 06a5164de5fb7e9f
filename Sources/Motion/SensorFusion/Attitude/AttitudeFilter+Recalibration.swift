// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension AttitudeFilter {
    /// Says that the magnetometer is corrected in another way from now on: what was learned with the earlier readings
    /// is not worth waiting for.
    ///
    /// The heading is found anew from the next samples, at once and not over half a minute. Attitude and bias stay.
    ///
    /// - Parameters:
    ///   - strength: Of the field after the correction, in the unit of the readings; nil or NaN when not known.
    ///   - dip: Radians below the horizon; nil or NaN when not known.
    public mutating func restartMagnetometer(strength: Double? = nil, dip: Double? = nil) {
        restartHeading()
        field.forget()
        if let strength, let dip, dip.isFinite { expectField(strength: strength, dip: dip) }
    }

    /// The heading is to be found anew from the next samples of the magnetometer.
    mutating func restartHeading() {
        field.restart()
        rejection.restart()
        headingGain.restart()
        headingTrust.restart()
        estimator.restartHeading()
        fieldSum = .zero
        fieldCount = 0
        fieldTime = 0
    }
}
