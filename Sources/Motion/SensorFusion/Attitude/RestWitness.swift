// SPDX-License-Identifier: Apache-2.0

/// Whether gravity and magnetic field turn as a gyroscope says, or stand still in device axes because it is biased.
struct RestWitness: Sendable {
    private(set) var hasField = false

    /// Since the window began, as a rotation vector.
    private var turned = SIMD4<Double>.zero
    private var firstGravity = SIMD4<Double>.zero
    private var firstField = SIMD4<Double>.zero
    private var field = SIMD4<Double>.zero
    private var isFieldNew = true
    private var gain = OnePoleGain(timeConstant: 0.3)

    /// Begins to look, from here on.
    mutating func begin(gravity: SIMD4<Double>) {
        turned = .zero
        firstGravity = Self.unit(gravity)
        firstField = field
        isFieldNew = true
    }

    mutating func turn(by vector: SIMD4<Double>, gravity: SIMD4<Double>) {
        turned += vector
        // What follows is right for small turns.
        guard turned.dot(turned) > 1 else { return }
        turned = .zero
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

    /// True when the gyroscope says that the device has turned by three degrees and more, and nothing else says so.
    func testifies(gravity: SIMD4<Double>, hasRested: Bool) -> Bool {
        // A turn about the vertical cannot be seen without a magnetometer. Then a first bias is believed and no other.
        if !hasField, hasRested { return false }
        var predicted = turned.cross(firstGravity)
        var expected = predicted.dot(predicted)
        var change = Self.unit(gravity) - firstGravity
        var measured = change.dot(change)
        if hasField {
            guard !isFieldNew else { return false }
            predicted = turned.cross(firstField)
            expected += predicted.dot(predicted)
            change = field - firstField
            measured += change.dot(change)
        } else {
            expected = max(expected, turned.dot(turned))
        }
        return expected > 0.05 * 0.05 && measured < 0.3 * 0.3 * expected
    }

    private static func unit(_ v: SIMD4<Double>) -> SIMD4<Double> {
        let squared = v.dot(v)
        return squared > 0 ? v * (1 / squared.squareRoot()) : v
    }
}
