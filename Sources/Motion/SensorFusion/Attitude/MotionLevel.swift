// SPDX-License-Identifier: Apache-2.0

/// The recent acceleration and rotation of the device, which determine the accuracy of an attitude from before a gap.
struct MotionLevel: Sendable {
    /// The mean square of the acceleration without gravity, in (m/s²)².
    private var squaredAcceleration = 0.0
    /// The mean square of the angular rate, in (rad/s)².
    private var squaredRate = 0.0
    private var gain = OnePoleGain(timeConstant: 1)

    /// The time in seconds for which the rates before and after a long gap are assumed to continue into the gap.
    static let rateContinuationTime = 0.05
    /// The factor in ``equivalentAveragingTime(after:squaredRate:)``: the duration in seconds if the acceleration without gravity equals
    /// gravity and the squared rates multiplied by the gap are 1. Chosen on one board; a third of it or three times as
    /// much increases the error by a quarter.
    private static let averagingFactor = 1.5
    private static let squaredGravity = 9.8 * 9.8

    @inline(__always)
    mutating func update(acceleration: SIMD4<Double>, rate: SIMD4<Double>, interval: Double) {
        let follow = gain.value(for: interval)
        squaredAcceleration += follow * (acceleration.dot(acceleration) - squaredAcceleration)
        squaredRate += follow * (rate.dot(rate) - squaredRate)
    }

    /// Returns the duration of averaging, in seconds, after which the mean acceleration is as accurate as the direction
    /// up from before a gap.
    ///
    /// - Parameters:
    ///   - silence: The duration of the gap in seconds.
    ///   - rate: The larger square of the rates before and after the gap.
    func equivalentAveragingTime(after silence: Double, squaredRate rate: Double) -> Double {
        let turn = (squaredRate + rate) * silence
        let movement = squaredAcceleration / Self.squaredGravity
        return turn > 0 ? Self.averagingFactor * movement / turn : 0
    }
}
