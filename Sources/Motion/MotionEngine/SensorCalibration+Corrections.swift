// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import SensorFusion

extension SensorCalibration {
    /// A magnetometer's calibration as it is stored, in the axes that it was made in.
    package init(_ magnetic: MagneticCalibration, date: WallTime) {
        self.init()
        offset = magnetic.hardIron
        let rows = magnetic.softIron
        if rows.count == 3 { matrix = (rows[0], rows[1], rows[2]) }
        quality = magnetic.quality.rawValue
        residual = magnetic.residual
        coverage = magnetic.coverage
        fieldStrength = magnetic.fieldStrength
        dip = magnetic.dip
        self.date = date
    }
}

extension MagneticCalibration {
    /// What is stored of a magnetometer, in the same axes.
    package init(_ stored: SensorCalibration) {
        self.init()
        hardIron = stored.offset
        softIron = [stored.matrix.0, stored.matrix.1, stored.matrix.2]
        quality = MagneticQuality(rawValue: stored.quality) ?? .uncalibrated
        residual = stored.residual
        coverage = stored.coverage
        fieldStrength = stored.fieldStrength
        dip = stored.dip
    }
}

/// What a stored calibration does to readings in the device's axes: corrected = matrix · (measured - offset).
struct LinearCorrection: Sendable, Hashable {
    private let row0: SIMD3<Double>
    private let row1: SIMD3<Double>
    private let row2: SIMD3<Double>
    private let offset: SIMD3<Double>

    /// The correction of a calibration in the device's axes; nil when it changes nothing.
    init?(_ calibration: SensorCalibration) {
        (row0, row1, row2) = calibration.matrix
        offset = calibration.offset
        if offset == .zero, row0 == [1, 0, 0], row1 == [0, 1, 0], row2 == [0, 0, 1] { return nil }
    }

    func apply(to measured: SIMD3<Double>) -> SIMD3<Double> {
        let v = measured - offset
        return SIMD3((row0 * v).sum(), (row1 * v).sum(), (row2 * v).sum())
    }
}
