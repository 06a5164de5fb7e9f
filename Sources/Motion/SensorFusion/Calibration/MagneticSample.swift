// SPDX-License-Identifier: Apache-2.0

/// A magnetometer sample used in a fit.
struct MagneticSample: Sendable, Equatable {
    var field: SIMD3<Double>
    /// The rotation from the axes of the device to earth axes with an arbitrary heading; identity without a gyroscope.
    var attitude: Quaternion
    /// The angular rate in rad/s, in the axes of the device.
    var rate: SIMD3<Double>
    /// The integral of the direction up in the axes of the device since the window began, in seconds. Its product with
    /// the gyroscope bias is the angle by which the heading of the attitude has drifted.
    var drift = SIMD3<Double>.zero
    /// The part of the drift angle that is already corrected in the attitude, in radians.
    var correctedDrift = 0.0
    /// The index of the window. Samples of one window have the same heading error of the attitude.
    var window: Int
    /// The insertion index, which orders samples by age.
    var age: Int64 = 0
    /// The index of the cell of the direction or attitude.
    var cell: Int
}

/// The mean of the readings and their root mean square distance from it. Scaled by them, the parameters of a fit are of
/// order one, for any unit of the magnetometer and any hard iron.
struct FieldScale: Sendable, Equatable {
    private(set) var center = SIMD3<Double>.zero
    private(set) var unit = 1.0

    init() {}

    /// Creates the scale of some samples; nil if they are all equal, infinite or NaN.
    init?(_ samples: ArraySlice<MagneticSample>) {
        guard !samples.isEmpty else { return nil }
        let count = Double(samples.count)
        var sum = SIMD3<Double>.zero
        for sample in samples { sum += sample.field }
        center = sum / count
        var squares = 0.0
        for sample in samples { squares += (sample.field - center).squaredLength }
        unit = (squares / count).squareRoot()
        guard unit.isFinite, unit > 0, center.isFinite else { return nil }
    }

    /// Returns a reading as a scaled field.
    func scaled(_ field: SIMD3<Double>) -> SIMD3<Double> { (field - center) / unit }

    /// Returns a scaled field as a reading.
    func field(_ scaled: SIMD3<Double>) -> SIMD3<Double> { scaled * unit + center }
}
