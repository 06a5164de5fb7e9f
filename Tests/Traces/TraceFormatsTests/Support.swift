// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import TestSupport
import Testing

@testable import TraceFormats

/// Files for tests.
enum Files {
    static let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    static let traces = Checkout.traces

    static func trace(_ name: String) -> String { traces.appendingPathComponent(name).path }

    static func fixture(_ name: String) -> String { here.appendingPathComponent("Fixtures/\(name)").path }

    static func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

    /// Calls the closure with the path of a new directory, which is removed afterwards.
    static func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("formats-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: url) }
        return try body(url.path)
    }

    static func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    static func write(_ bytes: [UInt8], _ path: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }
}

extension Recording {
    /// Creates a recording from CSV text.
    init(text: String, options: MotionCSVOptions = .init()) throws(DeviceError) {
        try self.init(csv: [UInt8](text.utf8), name: "t.csv", options: options)
    }
}

/// Returns the error message for CSV text; nil if it can be read.
func csvError(_ text: String, options: MotionCSVOptions = .init()) -> String? {
    do throws(DeviceError) {
        _ = try Recording(text: text, options: options)
        return nil
    } catch {
        return error.message
    }
}

extension MotionTrack {
    var mean: SIMD3<Double> { values.reduce(.zero, +) / Double(max(count, 1)) }
}

func isClose(_ left: SIMD3<Double>, _ right: SIMD3<Double>, _ tolerance: Double = 1e-12) -> Bool {
    let difference = left - right
    return (difference * difference).sum().squareRoot() <= tolerance
}
