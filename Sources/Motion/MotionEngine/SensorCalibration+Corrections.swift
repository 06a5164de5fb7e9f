// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import SensorFusion

extension SensorCalibration {
    /// Creates the stored form of a magnetometer's calibration, in the same axes.
    package init(_ magnetic: MagneticCalibration, date: WallTime) {
        self.init()
        offset = magnetic.hardIron
        let rows = magnetic.softIron
        if rows.count == 3 { matrix = (rows[0], rows[1], rows[2]) }
        quality = magnetic.quality.rawValue
        residual = magnetic.residual
        coverage = magnetic.coverage
        upDirections = magnetic.sidesUp.map(\.axis)
        fieldStrength = magnetic.fieldStrength
        dip = magnetic.dip
        self.date = date
    }
}

extension MagneticCalibration {
    /// Creates a magnetometer's calibration from its stored form, in the same axes.
    package init(_ stored: SensorCalibration) {
        self.init()
        hardIron = stored.offset
        softIron = [stored.matrix.0, stored.matrix.1, stored.matrix.2]
        quality = MagneticQuality(rawValue: stored.quality) ?? .uncalibrated
        residual = stored.residual
        coverage = stored.coverage
        sidesUp = MagneticSurvey.sides(near: stored.upDirections)
        fieldStrength = stored.fieldStrength
        dip = stored.dip
    }
}
