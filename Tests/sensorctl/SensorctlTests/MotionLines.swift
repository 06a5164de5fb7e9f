// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A line that sensorctl printed for a reading of a motion sensor.
struct MotionLine {
    var callback: String
    var timestamp: Double
    var vector: SIMD3<Double>
    var object: [String: Any]

    /// Parses the readings among JSON lines, in order. Every line must be an object.
    static func all(_ lines: [String]) throws -> [MotionLine] {
        try lines.compactMap { line in
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            guard let callback = object["callback"] as? String, let timestamp = object["timestamp"] as? Double else {
                return nil
            }
            let parts = ["x", "y", "z"].map { object[$0] as? Double ?? 0 }
            return MotionLine(
                callback: callback, timestamp: timestamp, vector: SIMD3(parts[0], parts[1], parts[2]), object: object)
        }
    }
}

extension [MotionLine] { var mean: SIMD3<Double> { reduce(.zero) { $0 + $1.vector } / Double(Swift.max(count, 1)) } }

extension Tool {
    static let sixPoses = traces + "/motion/six-poses.trace"

    static func csv(_ name: String) -> String { "\(traces)/iio/\(name).csv" }

    /// Returns the readings that a replay prints.
    static func readings(_ path: String, _ stream: String, _ more: [String] = []) throws -> [MotionLine] {
        let result = try run(["replay", path, stream, "--json"] + more)
        try #require(result.status == 0)
        return try MotionLine.all(result.lines)
    }

    /// True if sensorctl was built with libiio.
    static let readsSensors: Bool = {
        guard isBuilt,
            let result = try? run(["list", "--json"], environment: ["DEVICE_SERVICES_IIO": "ip:127.0.0.1:1"])
        else { return false }
        return result.output.contains("\"LibIIO\"")
    }()

    /// Parses each line of the output as a JSON object.
    static func objects(_ result: Result) throws -> [[String: Any]] {
        try result.lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }
}

func distance(_ left: SIMD3<Double>, _ right: SIMD3<Double>) -> Double {
    let difference = left - right
    return (difference * difference).sum().squareRoot()
}
