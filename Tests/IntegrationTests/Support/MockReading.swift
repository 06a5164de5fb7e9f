// SPDX-License-Identifier: Apache-2.0

import Testing

/// Conversion of a mocked sensor's samples.
enum MockReading {
    /// The in_accel_scale of the descriptions.
    static let scale = 0.000598

    /// The mounting of a description's sensor and other differences between the descriptions.
    struct Mounting: Sendable, CustomTestStringConvertible {
        let description: String
        let origin: String
        /// The available rate that is nearest to 200 Hz.
        let rate: Double
        let turn: @Sendable (SIMD3<Double>) -> SIMD3<Double>
        /// The component that contains the sensor's x.
        let counter: Int

        var testDescription: String { origin }

        /// 0, 1, 0; 1, 0, 0; 0, 0, -1.
        static let ofType = Mounting(
            description: "mpu6050-accel", origin: "in_accel_mount_matrix", rate: 200, turn: { [$0.y, $0.x, -$0.z] },
            counter: 1)
        /// The identity.
        static let ofDevice = Mounting(
            description: "mpu6050-accel-in_mount_matrix", origin: "in_mount_matrix", rate: 20, turn: { $0 }, counter: 0)
        static let all = [ofType, ofDevice]
    }

    /// Returns the number of the sample that a reading belongs to, decoded from one component. nil if the other
    /// components do not match, as in the reading that is taken from the attributes.
    static func number(of value: [Double], _ mounting: Mounting) -> Int? {
        let number = Int((value[mounting.counter] / scale).rounded())
        guard number >= 0, number < 20_000 else { return nil }
        let raw = MockFeeder.numbered(number)
        let expected = mounting.turn([Double(raw.x), Double(raw.y), Double(raw.z)] * scale)
        return (0..<3).allSatisfy { abs(expected[$0] - value[$0]) < 1e-9 } ? number : nil
    }
}
