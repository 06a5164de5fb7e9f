// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A sum of six sines of even multiples of an angle, `c1 sin 2σ + c2 sin 4σ + ... + c6 sin 12σ`.
///
/// Six stored properties instead of an array: no allocation, no bounds checks.
struct SineSeries {
    var c1: Double
    var c2: Double
    var c3: Double
    var c4: Double
    var c5: Double
    var c6: Double

    /// The value of the sum at an angle, by Clenshaw's recurrence.
    func callAsFunction(_ angle: SineCosine) -> Double {
        let twiceCosine = 2 * (angle.cosine - angle.sine) * (angle.cosine + angle.sine)
        let b5 = c5 + twiceCosine * c6
        let b4 = c4 + twiceCosine * b5 - c6
        let b3 = c3 + twiceCosine * b4 - b5
        let b2 = c2 + twiceCosine * b3 - b4
        let b1 = c1 + twiceCosine * b2 - b3
        return 2 * angle.sine * angle.cosine * b1
    }
}
