// SPDX-License-Identifier: Apache-2.0

/// Determines whether gravity and the magnetic field rotate in device axes as the gyroscope measures, or are constant
/// because the gyroscope is biased.
struct RestCrossCheck: Sendable {
    private(set) var hasField = false

    /// The rotation measured since the beginning of the window, as a rotation vector.
    private var rotation = SIMD4<Double>.zero
    private var firstGravity = SIMD4<Double>.zero
    private var firstField = SIMD4<Double>.zero
    private var field = SIMD4<Double>.zero
    private var isFieldNew = true
    private var gain = OnePoleGain(timeConstant: 0.3)

    /// Begins a window.
    mutating func begin(gravity: SIMD4<Double>) {
        rotation = .zero
        firstGravity = Self.unit(gravity)
        firstField = field
        isFieldNew = true
    }

    mutating func turn(by vector: SIMD4<Double>, gravity: SIMD4<Double>) {
        rotation += vector
        // The comparison is valid for small rotations only.
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

    /// Returns true if the gyroscope has measured a rotation of at least three degrees that gravity and the magnetic
    /// field do not confirm.
    func contradictsGyroscope(gravity: SIMD4<Double>, hasRested: Bool) -> Bool {
        // Without a magnetometer, a rotation about the vertical cannot be detected. In that case only the first bias is
        // accepted.
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
