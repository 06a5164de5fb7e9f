// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a stored calibration does to readings in the device's axes: corrected = matrix · (measured - offset).
struct LinearCorrection: Sendable, Hashable {
    /// The rows of the matrix.
    var rows: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>) {
        get { (row0, row1, row2) }
        set { (row0, row1, row2) = newValue }
    }
    private var row0 = SIMD3<Double>(1, 0, 0)
    private var row1 = SIMD3<Double>(0, 1, 0)
    private var row2 = SIMD3<Double>(0, 0, 1)
    var offset = SIMD3<Double>.zero

    func apply(to measured: SIMD3<Double>) -> SIMD3<Double> {
        let v = measured - offset
        return SIMD3((row0 * v).sum(), (row1 * v).sum(), (row2 * v).sum())
    }
}
