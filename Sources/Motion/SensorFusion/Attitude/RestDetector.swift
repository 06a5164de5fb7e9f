// SPDX-License-Identifier: Apache-2.0

/// Detects whether the device is at rest, that is, whether the angular rate and the acceleration have stayed close to
/// their means for some time.
@usableFromInline struct RestDetector: Sendable {
    @usableFromInline private(set) var isResting = false
    /// The mean angular rate, including the bias.
    private(set) var meanRate = SIMD4<Double>.zero
    /// The duration of the current period without motion, in seconds.
    private(set) var stillTime = 0.0

    /// True if the mean rate differs from the known bias by more than `window` while the device is not at rest. In that
    /// case, rest requires stricter thresholds and the cross-check.
    private var isFarFromBias = false
    private var hasRested = false
    private var crossCheck = RestCrossCheck()
    private var meanAcceleration = SIMD4<Double>.zero
    private var rateCoefficients: LowPassCoefficients
    private var accelerationCoefficients: LowPassCoefficients
    private var rateLanes = LowPassLanes<SIMD4<Double>>()
    private var accelerationLanes = LowPassLanes<SIMD4<Double>>()

    private let minimumTime: Double
    private let squaredRateThreshold: Double
    private let squaredAccelerationThreshold: Double
    private let squaredFarRateThreshold: Double
    private let squaredFarAccelerationThreshold: Double
    private let limit: Double
    private let window: Double

    init(settings: AttitudeSettings) {
        minimumTime = settings.restMinimumTime
        squaredRateThreshold = settings.restRotationThreshold * settings.restRotationThreshold
        squaredAccelerationThreshold = settings.restAccelerationThreshold * settings.restAccelerationThreshold
        squaredFarRateThreshold = 0.25 * squaredRateThreshold
        squaredFarAccelerationThreshold = 0.36 * squaredAccelerationThreshold
        limit = settings.biasLimit
        window = settings.restBiasWindow
        rateCoefficients = LowPassCoefficients(timeConstant: settings.restTimeConstant)
        accelerationCoefficients = LowPassCoefficients(timeConstant: settings.restTimeConstant)
    }

    @inline(__always) mutating func update(rate: SIMD4<Double>, bias: SIMD4<Double>, interval: Double) {
        rateCoefficients.advance(by: interval)
        meanRate = rateLanes.update(rate, rateCoefficients)
        let deviation = rate - meanRate
        var threshold = squaredRateThreshold
        // If `restBiasWindow` is infinite, the mean rate is compared with zero instead of with the known bias.
        let biasDeviation = window.isFinite ? meanRate - bias : meanRate
        let isBeyond = Self.exceeds(biasDeviation, window)
        if isBeyond || isFarFromBias {
            updateCrossCheck(biasDeviation, isFar: isBeyond && !isResting, interval: interval)
            if isFarFromBias { threshold = squaredFarRateThreshold }
        }
        if deviation.dot(deviation) >= threshold || Self.exceeds(biasDeviation, limit) { end() }
    }

    @inline(__always) mutating func update(acceleration: SIMD4<Double>, interval: Double) {
        accelerationCoefficients.advance(by: interval)
        meanAcceleration = accelerationLanes.update(acceleration, accelerationCoefficients)
        let deviation = acceleration - meanAcceleration
        let threshold = isFarFromBias ? squaredFarAccelerationThreshold : squaredAccelerationThreshold
        guard deviation.dot(deviation) < threshold else { return end() }
        stillTime += interval
        guard stillTime >= minimumTime, !isResting else { return }
        isResting = !isFarFromBias || crossCheck.contradictsGyroscope(gravity: meanAcceleration, hasRested: hasRested)
        if isResting { hasRested = true }
    }

    @inline(__always) mutating func update(field: SIMD4<Double>, interval: Double) {
        if isFarFromBias || !crossCheck.hasField { crossCheck.update(field: field, interval: interval) }
    }

    mutating func restart() {
        end()
        rateCoefficients.restart()
        accelerationCoefficients.restart()
    }

    @inline(never)
    private mutating func updateCrossCheck(_ biasDeviation: SIMD4<Double>, isFar isFarNow: Bool, interval: Double) {
        if isFarNow, !isFarFromBias || stillTime == 0 { crossCheck.begin(gravity: meanAcceleration) }
        isFarFromBias = isFarNow
        if isFarFromBias { crossCheck.rotate(by: interval * biasDeviation, gravity: meanAcceleration) }
    }

    @inline(__always) private mutating func end() { (stillTime, isResting) = (0, false) }

    @inline(__always) private static func exceeds(_ v: SIMD4<Double>, _ limit: Double) -> Bool {
        abs(v.x) > limit || abs(v.y) > limit || abs(v.z) > limit
    }
}

/// Checks whether gravity and the magnetic field confirm the rotation measured by the gyroscope. If they do not, the
/// gyroscope is biased.
struct RestCrossCheck: Sendable {
    private(set) var hasField = false
    /// The rotation measured since `begin(gravity:)`, as a rotation vector.
    private var rotation = SIMD4<Double>.zero
    private var firstGravity = SIMD4<Double>.zero
    private var firstField = SIMD4<Double>.zero
    private var field = SIMD4<Double>.zero
    /// True if no field has been measured since `begin(gravity:)`.
    private var isFieldNew = true
    private var gain = OnePoleGain(timeConstant: 0.3)

    mutating func begin(gravity: SIMD4<Double>) {
        rotation = .zero
        firstGravity = Self.unit(gravity)
        firstField = field
        isFieldNew = true
    }

    mutating func rotate(by vector: SIMD4<Double>, gravity: SIMD4<Double>) {
        rotation += vector
        // The comparison is valid only for small rotations, so it restarts after a large one.
        guard rotation.dot(rotation) > 1 else { return }
        rotation = .zero
        firstGravity = Self.unit(gravity)
        firstField = field
    }

    mutating func update(field measured: SIMD4<Double>, interval: Double) {
        hasField = true
        let unit = Self.unit(measured)
        if isFieldNew {
            field = unit
            firstField = unit
            isFieldNew = false
        } else {
            field += gain.value(for: interval) * (unit - field)
        }
    }

    /// Returns true if the gyroscope has measured a rotation of at least three degrees, of which gravity and the
    /// magnetic field confirm less than 30 %.
    func contradictsGyroscope(gravity: SIMD4<Double>, hasRested: Bool) -> Bool {
        // Without a magnetometer, a rotation about the vertical cannot be distinguished from a bias. In that case, the
        // check is no longer used once the device has been at rest.
        if !hasField, hasRested { return false }
        var predicted = rotation.cross(firstGravity)
        var expected = predicted.dot(predicted)
        var change = Self.unit(gravity) - firstGravity
        var measured = change.dot(change)
        if hasField {
            guard !isFieldNew else { return false }
            predicted = rotation.cross(firstField)
            expected += predicted.dot(predicted)
            change = field - firstField
            measured += change.dot(change)
        } else {
            expected = max(expected, rotation.dot(rotation))
        }
        return expected > 0.05 * 0.05 && measured < 0.3 * 0.3 * expected
    }

    private static func unit(_ v: SIMD4<Double>) -> SIMD4<Double> {
        let squared = v.dot(v)
        return squared > 0 ? v * (1 / squared.squareRoot()) : v
    }
}
