// SPDX-License-Identifier: Apache-2.0

/// How much the device has been moved and turned of late: what an attitude from before a gap is worth depends on it.
struct MotionLevel: Sendable {
    /// Of acceleration besides gravity, (m/s²)².
    private var squaredAcceleration = 0.0
    /// Of the angular rate, (rad/s)².
    private var squaredRate = 0.0
    private var gain = OnePoleGain(timeConstant: 1)

    /// Seconds after which a rate or an acceleration is another one.
    static let memory = 0.05
    /// How many seconds of acceleration, all of it not gravity's, tell the direction up as well as one from before a gap in
    /// which the device has turned by a radian.
    /// Chosen on one board; a third and three times as much cost a quarter of the error more.
    private static let exchange = 1.5
    private static let squaredGravity = 9.8 * 9.8

    @inline(__always)
    mutating func update(acceleration: SIMD4<Double>, rate: SIMD4<Double>, interval: Double) {
        let follow = gain.value(for: interval)
        squaredAcceleration += follow * (acceleration.dot(acceleration) - squaredAcceleration)
        squaredRate += follow * (rate.dot(rate) - squaredRate)
    }

    /// Seconds of acceleration whose mean is as uncertain as the direction up that was known before a gap.
    ///
    /// - Parameter rate: The square of the rate next to the gap.
    func worth(after silence: Double, squaredRate rate: Double) -> Double {
        let turn = (squaredRate + rate) * silence
        let movement = squaredAcceleration / Self.squaredGravity
        return turn > 0 ? Self.exchange * movement / turn : 0
    }
}
