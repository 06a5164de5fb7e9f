// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

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
