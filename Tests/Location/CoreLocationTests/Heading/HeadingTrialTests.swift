// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import SimulatedDevice
import TestSupport
import Testing
import TraceFormats

/// A recording with a true attitude that was measured by cameras.
private struct Trial {
    /// The time between rows in seconds, from the recordings' own notes.
    static let period = 0.0105
    static let names = [
        "broad_03_undisturbed_slow_rotation_C", "broad_08_undisturbed_fast_rotation_with_breaks_A",
        "broad_15_undisturbed_fast_translation_A", "broad_30_disturbed_stationary_magnet_C",
    ]

    let device: SimulatedDevice
    /// The true attitude of the rows in which the board moves: w, x, y, z, from board axes to magnetic east, north, up.
    private(set) var truth: [Int: SIMD4<Double>] = [:]

    init(_ name: String) throws {
        let file = Checkout.traces.appendingPathComponent("broad/\(name).csv")
        device = SimulatedDevice(try RecordingFile.open(file.path).trace)
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst()
        for (row, line) in lines.enumerated() {
            let fields = line.split(separator: ",")
            guard fields.count == 14, fields[13] == "1" else { continue }
            let q = fields[9..<13].compactMap { Double($0) }
            guard q.count == 4 else { continue }
            let v = SIMD4(q[0], q[1], q[2], q[3])
            truth[row] = v / (v * v).sum().squareRoot()
        }
    }

    /// Returns the true heading of the board in a row, from the y and z columns of the rotation matrix. nil if the edge
    /// is inclined by 45 to 65 degrees, where either axis may be used.
    func heading(_ row: Int) -> Double? {
        guard let q = truth[row] else { return nil }
        let (w, x, y, z) = (q.x, q.y, q.z, q.w)
        let edge = SIMD3(2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x))
        let face = SIMD3(2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y))
        if abs(edge.z) < 0.707 { return atan2(edge.x, edge.y) * 180 / .pi }
        if abs(edge.z) < 0.906 { return nil }
        let viewDirection = edge.z > 0 ? -face : face
        return atan2(viewDirection.x, viewDirection.y) * 180 / .pi
    }
}

@Suite("Headings compared with the true attitude")
struct HeadingTrialTests {
    private struct Result {
        /// The number of headings with a known true heading.
        var count = 0
        var squares = 0.0
        /// The number of headings with a positive accuracy.
        var trusted = 0
        var within = 0
        var accuracies = 0.0

        /// The root mean square of the errors, in degrees.
        var rms: Double { (squares / Double(max(1, count))).squareRoot() }
    }

    private func play(_ name: String) throws -> Result {
        let trial = try Trial(name)
        let compass = Compass()
        try trial.device.use {
            let manager = CLLocationManager()
            manager.delegate = compass
            manager.headingFilter = kCLHeadingFilterNone
            #expect(CLLocationManager.headingAvailable())
            manager.startUpdatingHeading()
            try trial.device.play()
        }
        var result = Result()
        for heading in compass.headings {
            let row = Int(((heading.uptime ?? -1) / Trial.period).rounded())
            guard let truth = trial.heading(row) else { continue }
            let difference = (heading.magneticHeading - truth + 540).truncatingRemainder(dividingBy: 360) - 180
            result.squares += difference * difference
            result.count += 1
            guard heading.headingAccuracy > 0 else { continue }
            result.trusted += 1
            result.accuracies += heading.headingAccuracy
            if abs(difference) <= heading.headingAccuracy { result.within += 1 }
        }
        return result
    }

    @Test(
        "The mean RMS error of four recordings is below 2.5 degrees; 95 % of headings are within their accuracy"
    )
    func trials() throws {
        var total = 0.0
        for name in Trial.names {
            let result = try play(name)
            let accuracy = result.accuracies / Double(max(1, result.trusted))
            print(
                "heading of \(name): \(result.rms) degrees in \(result.count) samples;",
                "\(result.trusted) trusted, \(result.within) of them within an accuracy of \(accuracy) on average")
            #expect(result.count > 1000)
            #expect(result.rms < 5, "\(name)")
            #expect(Double(result.within) >= 0.95 * Double(result.trusted), "\(name)")
            total += result.rms
        }
        let mean = total / Double(Trial.names.count)
        print("heading, mean of the trials: \(mean) degrees")
        #expect(mean < 2.5)
    }

    @Test("On a turning table, the heading follows, and the field is reported along the device's axes")
    func spin() throws {
        let file = Checkout.traces.appendingPathComponent("iio/spin-flat-90dps.csv")
        let device = SimulatedDevice(try RecordingFile.open(file.path).trace)
        let compass = Compass()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = compass
            manager.headingFilter = kCLHeadingFilterNone
            manager.startUpdatingHeading()
            try device.play()
        }
        #expect(compass.headings.count >= 790)
        for heading in compass.headings {
            // The top edge points north at first and turns counterclockwise.
            let expected = -90 * (heading.uptime ?? 0)
            let difference =
                (heading.magneticHeading - expected + 360 * 10 + 180).truncatingRemainder(dividingBy: 360) - 180
            #expect(abs(difference) < 2, "\(heading)")
            #expect(abs((heading.x * heading.x + heading.y * heading.y).squareRoot() - 20) < 1)
            #expect(abs(heading.z + 43) < 1)
        }
        #expect(compass.headings.first.map { $0.headingAccuracy < 0 } == true)
        #expect(compass.headings.last.map { $0.headingAccuracy > 0 } == true)
        #expect(compass.events.count { $0 == "question" } == 1)
    }
}
