// SPDX-License-Identifier: Apache-2.0

/// A reading that takes part in a fit.
struct MagneticSample: Sendable, Equatable {
    var field: SIMD3<Double>
    /// From the device's axes to earth axes of arbitrary heading; identity when there is no gyroscope.
    var attitude: Quaternion
    /// Radians per second, device axes.
    var rate: SIMD3<Double>
    /// The integral of the direction up in device axes since the window began, seconds: with a bias of the gyroscope it makes
    /// the angle by which the attitude's heading has drifted.
    var drift = SIMD3<Double>.zero
    /// What of that the attitude was corrected by already, radians.
    var taken = 0.0
    /// Samples of one window share one heading error of the attitude.
    var window: Int
    /// Counts up: which of two samples is older.
    var age: Int64 = 0
    /// Where the device pointed, as an index.
    var cell: Int
}

/// The mean of readings and their root mean square distance from it: in these terms a fit's numbers are all about one,
/// whatever unit the magnetometer has and however strong its hard iron is.
struct FieldScale: Sendable, Equatable {
    private(set) var center = SIMD3<Double>.zero
    private(set) var unit = 1.0

    init() {}

    /// The scale of those samples; nil where they are all the same or not finite.
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

    /// The scaled field of a reading.
    func scaled(_ field: SIMD3<Double>) -> SIMD3<Double> { (field - center) / unit }

    /// The reading of a scaled field.
    func field(_ scaled: SIMD3<Double>) -> SIMD3<Double> { scaled * unit + center }
}
