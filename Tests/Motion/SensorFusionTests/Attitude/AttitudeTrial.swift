// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion
import TestSupport

/// A recording with an optical reference from Simulators/Traces/broad. Its README describes units, origin and licence.
struct AttitudeTrial: Sendable {
    struct Truth: Sendable {
        let row: Int
        let attitude: Quaternion
    }

    static let names = [
        "broad_03_undisturbed_slow_rotation_C", "broad_08_undisturbed_fast_rotation_with_breaks_A",
        "broad_15_undisturbed_fast_translation_A", "broad_30_disturbed_stationary_magnet_C",
    ]
    static let all = names.map(AttitudeTrial.init)
    static let interval = 0.0105

    let name: String
    private(set) var rates: [SIMD3<Double>] = []
    private(set) var accelerations: [SIMD3<Double>] = []
    private(set) var fields: [SIMD3<Double>] = []
    /// The reference attitudes of the motion phase.
    private(set) var truth: [Truth] = []

    /// Reads a recording. It has no rows if the file cannot be read; its score is then NaN, which fails every
    /// comparison.
    init(_ name: String) {
        self.name = name
        let path = Checkout.traces.appendingPathComponent("broad/\(name).csv")
        guard let bytes = try? Data(contentsOf: path) else { return }
        var numbers: [Double] = []
        var value = 0
        var isNegative = false
        var isFirstLine = true
        // The file contains many integers and nothing else. It is parsed by hand because tests are compiled without
        // optimization.
        for byte in [UInt8](bytes) {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value * 10 + Int(byte - UInt8(ascii: "0"))
            default:
                numbers.append(Double(isNegative ? -value : value))
                value = 0
                isNegative = false
                guard byte == UInt8(ascii: "\n") else { continue }
                if !isFirstLine { add(numbers) }
                isFirstLine = false
                numbers.removeAll(keepingCapacity: true)
            }
        }
    }

    private mutating func add(_ v: [Double]) {
        guard v.count >= 9 else { return }
        if v.count == 14, v[13] > 0 {
            truth.append(
                Truth(row: rates.count, attitude: Quaternion(x: v[10], y: v[11], z: v[12], w: v[9]).normalized))
        }
        rates.append(SIMD3(v[0], v[1], v[2]) * 1e-4)
        accelerations.append(SIMD3(v[3], v[4], v[5]) * 1e-3)
        fields.append(SIMD3(v[6], v[7], v[8]) * 0.1)
    }

    func time(_ row: Int) -> Double { Double(row) * Self.interval }
}
