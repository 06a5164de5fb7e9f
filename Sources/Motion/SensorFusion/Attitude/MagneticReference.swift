// SPDX-License-Identifier: Apache-2.0

/// Tracks the expected strength and dip of the magnetic field and determines whether the measured field agrees with
/// them.
@usableFromInline struct MagneticReference: Sendable {
    @usableFromInline private(set) var isDisturbed = true
    /// The expected strength and dip. The strength is in the unit of the samples, and the dip in radians below the
    /// horizon. The value is nil until a field is set or accepted.
    @usableFromInline private(set) var expected: SIMD2<Double>?
    /// The smoothed strength and dip of the measured field.
    private(set) var current = SIMD2<Double>.zero

    /// The field that may become the expected one. A strength of -1 agrees with no sample, so the next sample replaces
    /// it.
    private var candidate = SIMD2<Double>(-1, 0)
    private var candidateTime = 0.0
    private var undisturbedTime = 0.0
    private var coefficients: LowPassCoefficients
    private var lanes = LowPassLanes<SIMD2<Double>>()
    private var gain: OnePoleGain

    private let strengthThreshold: Double
    private let dipThreshold: Double
    private let acceptanceTime: Double
    private let firstAcceptanceTime: Double
    private let recoveryTime: Double
    private let squaredAcceptanceRate: Double

    init(settings: AttitudeSettings) {
        coefficients = LowPassCoefficients(timeConstant: settings.magneticTimeConstant)
        gain = OnePoleGain(timeConstant: settings.magneticReferenceTimeConstant)
        strengthThreshold = settings.magneticStrengthThreshold
        dipThreshold = settings.magneticDipThreshold
        acceptanceTime = settings.magneticAcceptanceTime
        firstAcceptanceTime = settings.firstMagneticAcceptanceTime
        recoveryTime = settings.magneticRecoveryTime
        squaredAcceptanceRate = settings.magneticAcceptanceRate * settings.magneticAcceptanceRate
    }

    mutating func setExpected(strength: Double, dip: Double) { expected = SIMD2(strength, dip) }

    /// - Parameter squaredRate: The square of the mean angular rate. A new field is accepted only after the device has
    ///   rotated, because a field measured in a single attitude is unreliable.
    @inline(__always) mutating func update(strength: Double, dip: Double, squaredRate: Double, interval: Double) {
        coefficients.advance(by: interval)
        current = lanes.update(SIMD2(strength, dip), coefficients)
        let weight = gain.value(for: interval)
        if let reference = expected, agrees(reference) {
            undisturbedTime += interval
            if undisturbedTime >= recoveryTime {
                isDisturbed = false
                expected = reference + weight * (current - reference)
            }
        } else {
            undisturbedTime = 0
            isDisturbed = true
        }
        guard agrees(candidate) else {
            candidateTime = 0
            candidate = current
            return
        }
        if squaredRate >= squaredAcceptanceRate { candidateTime += interval }
        candidate += weight * (current - candidate)
        if isDisturbed, candidateTime >= (expected == nil ? min(firstAcceptanceTime, acceptanceTime) : acceptanceTime) {
            expected = candidate
            isDisturbed = false
            undisturbedTime = recoveryTime
        }
    }

    /// Restarts after a gap, but keeps the expected field, because the location is most likely unchanged.
    mutating func restart() {
        coefficients.restart()
        candidateTime = 0
        candidate = SIMD2(-1, 0)
        undisturbedTime = 0
    }

    mutating func discardExpected() {
        restart()
        expected = nil
        isDisturbed = true
    }

    @inline(__always) private func agrees(_ field: SIMD2<Double>) -> Bool {
        let difference = current - field
        return abs(difference.x) < strengthThreshold * field.x && abs(difference.y) < dipThreshold
    }
}
