// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A recording of the BROAD data set with optical ground truth, and the benchmark's error metric.
struct BroadTrial {
    /// The time between two rows, in seconds.
    static let interval = 0.0105

    struct Row {
        /// The angular velocity in rad/s, the acceleration in m/s² and the magnetic field in µT.
        var values: [Double]
        /// The rotation from the board's axes to east, north, up as w, x, y, z. nil while the cameras do not track the
        /// board.
        var truth: SIMD4<Double>?
        var isMotion = false
    }

    let path: String
    let rows: [Row]

    init(path: String, rows: [Row]) {
        self.path = path
        self.rows = rows
    }

    init(_ name: String) throws {
        path = "\(Tool.traces)/broad/\(name).csv"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        rows = try text.split(separator: "\n").dropFirst().map { line in
            let numbers = try line.split(separator: ",").map { try #require(Double($0)) }
            try #require(numbers.count == 9 || numbers.count == 14)
            let scales = [1e-4, 1e-4, 1e-4, 1e-3, 1e-3, 1e-3, 0.1, 0.1, 0.1]
            var row = Row(values: zip(numbers, scales).map { $0 * $1 })
            if numbers.count == 14 {
                let truth = SIMD4(numbers[9], numbers[10], numbers[11], numbers[12])
                row.truth = truth / (truth * truth).sum().squareRoot()
                row.isMotion = numbers[13] > 0
            }
            return row
        }
    }

    /// Root mean square errors during motion in degrees, of the whole rotation and of its inclination.
    struct Score {
        var total: Double
        var inclination: Double
    }

    /// Scores attitudes in a frame of x north, y west, z up (Core Motion's `xMagneticNorthZVertical`).
    func score(_ motions: [MotionLine]) throws -> Score {
        let estimates = try motions.map { motion -> (time: Double, attitude: SIMD4<Double>) in
            let q = try #require(motion.object["quaternion"] as? [Double])
            try #require(q.count == 4)
            // Rotates by 90° counterclockwise about z, to x east, y north.
            return (
                motion.timestamp,
                Self.multiply(SIMD4(0.5.squareRoot(), 0, 0, 0.5.squareRoot()), [q[3], q[0], q[1], q[2]])
            )
        }
        var squares = (total: 0.0, inclination: 0.0)
        var count = 0
        var next = 0
        for (index, row) in rows.enumerated() {
            guard row.isMotion, let truth = row.truth else { continue }
            let time = Double(index) * Self.interval
            while next + 1 < estimates.count, abs(estimates[next + 1].time - time) <= abs(estimates[next].time - time) {
                next += 1
            }
            try #require(abs(estimates[next].time - time) < Self.interval / 2)
            let error = Self.multiply(estimates[next].attitude, truth * [1, -1, -1, -1])
            let total = 2 * acos(min(abs(error[0]), 1))
            let inclination = 2 * acos(min((error[0] * error[0] + error[3] * error[3]).squareRoot(), 1))
            squares.total += total * total
            squares.inclination += inclination * inclination
            count += 1
        }
        try #require(count > 1000)
        let degrees = 180 / Double.pi
        return Score(
            total: (squares.total / Double(count)).squareRoot() * degrees,
            inclination: (squares.inclination / Double(count)).squareRoot() * degrees)
    }

    /// The Hamilton product of quaternions with the scalar first.
    private static func multiply(_ a: SIMD4<Double>, _ b: SIMD4<Double>) -> SIMD4<Double> {
        let (w, x, y, z) = (a[0], a[1], a[2], a[3])
        return SIMD4(
            w * b[0] - x * b[1] - y * b[2] - z * b[3], w * b[1] + x * b[0] + y * b[3] - z * b[2],
            w * b[2] - x * b[3] + y * b[0] + z * b[1], w * b[3] + x * b[2] - y * b[1] + z * b[0])
    }

    /// The recording as a CSV table in SI units, without the ground truth.
    func table(of range: Range<Int>, from start: Double = 0) -> String {
        var text = "t,gx,gy,gz,ax,ay,az,mx,my,mz\n"
        for index in range where rows.indices.contains(index) {
            let time = start + Double(index - range.lowerBound) * Self.interval
            let values = rows[index].values.map { String(format: "%.5f", $0) }
            text += String(format: "%.6f,", time) + values.joined(separator: ",") + "\n"
        }
        return text
    }
}
