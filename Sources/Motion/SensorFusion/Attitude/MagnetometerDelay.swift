// SPDX-License-Identifier: Apache-2.0

/// Estimates the delay of magnetometer samples relative to gyroscope samples. The delay is observable only during
/// rotations.
///
/// With the correct delay, the field is constant in earth axes. Without compensation, the field seems to move in earth
/// axes. This motion is proportional to the field's motion in device axes, and the ratio of the two is the delay. Slow
/// components are removed from both motions before the ratio is computed.
struct MagnetometerDelay: Sendable {
    private(set) var delay: Double

    private let prior: Double
    private let isEstimated: Bool
    private var direction = SIMD4<Double>.zero
    private var motion = SIMD4<Double>.zero
    private var time = 0.0
    private var crossSum = 0.0
    private var squareSum = 0.0
    private var highPass = OnePoleGain(timeConstant: 1)
    private var forgetting = OnePoleGain(timeConstant: 300)
    /// The weight of the initial delay, in the same unit as `squareSum`.
    private static var priorWeight: Double { 40 }

    init(settings: AttitudeSettings) {
        delay = settings.magnetometerDelay
        prior = settings.magnetometerDelay
        isEstimated = settings.estimatesMagnetometerDelay
    }

    @inline(never) mutating func update(
        _ field: SIMD4<Double>, attitude: Quaternion, rate: SIMD4<Double>, isUsable: Bool, interval: Double
    ) {
        guard isEstimated else { return }
        let unit = field * (1 / field.dot(field).squareRoot())
        let x = attitude.rotate(unit)
        let y = attitude.rotate(rate.cross(unit))
        let isFirst = time == 0
        time += interval
        let weight = isFirst ? 1 : highPass.value(for: interval)
        direction += weight * (x - direction)
        motion += weight * (y - motion)
        guard time > 2, isUsable else { return }
        let fastX = x - direction
        let fastY = y - motion
        let retention = 1 - forgetting.value(for: interval)
        crossSum = retention * crossSum + interval * fastX.dot(fastY)
        squareSum = retention * squareSum + interval * fastY.dot(fastY)
        delay = min(max((crossSum + prior * Self.priorWeight) / (squareSum + Self.priorWeight), -0.01), 0.04)
    }

    /// Restarts after a gap, but keeps the estimated delay.
    mutating func restart() { time = 0 }
}
