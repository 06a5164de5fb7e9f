// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Numeric files of the tests. Their origin is described in Recordings/README.md and make_reference.py.
enum Recording {
    struct Sample {
        let time: Double
        /// In g with Apple's sign, including gravity.
        let acceleration: SIMD3<Double>
        /// The gravity reported by Core Motion, in g; zero if the recording has none.
        let gravity: SIMD3<Double>
    }

    struct Malformed: Error {
        let line: String
    }

    static func lines(_ path: String) throws -> [Substring] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
        return text.split(separator: "\n")
    }

    static func numbers(_ line: Substring, separator: Character, count: Int) throws -> [Double] {
        let values = line.split(separator: separator).compactMap { Double($0) }
        guard values.count == count else { throw Malformed(line: String(line)) }
        return values
    }

    /// Reads a recording in the kernel's units and sign: m/s², positive on the axis that points up.
    static func industrial(_ name: String) throws -> [Sample] {
        try lines("Recordings/\(name).csv").dropFirst().map { line in
            let v = try numbers(line, separator: ",", count: 4)
            return Sample(time: v[0], acceleration: SIMD3(v[1], v[2], v[3]) / -9.80665, gravity: .zero)
        }
    }

    /// Reads a recording of Core Motion's gravity and user acceleration at 50 Hz.
    static func coreMotion(_ name: String) throws -> [Sample] {
        try lines("Recordings/motionsense_\(name).csv").dropFirst().enumerated().map { row, line in
            let v = try numbers(line, separator: ",", count: 6)
            let gravity = SIMD3(v[0], v[1], v[2]) / 1e4
            let user = SIMD3(v[3], v[4], v[5]) / 1e4
            return Sample(time: Double(row) * 0.02, acceleration: gravity + user, gravity: gravity)
        }
    }
}
