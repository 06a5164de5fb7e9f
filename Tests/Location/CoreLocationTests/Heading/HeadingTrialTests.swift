// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import SimulatedDevice
import TestSupport
import Testing
import TraceFormats

/// A recording whose true attitude cameras have measured.
private struct Trial {
    /// Seconds from row to row, as the recordings' own notes say.
    static let period = 0.0105
    static let names = [
        "broad_03_undisturbed_slow_rotation_C", "broad_08_undisturbed_fast_rotation_with_breaks_A",
        "broad_15_undisturbed_fast_translation_A", "broad_30_disturbed_stationary_magnet_C",
    ]

    let device: SimulatedDevice
    /// The true attitude of rows in which the board moves: w, x, y, z, from its axes to magnetic east, north, up.
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

    /// The heading that the board truly has in a row, and how steep its edge stands; by the elements of the rotation
    /// matrix, from which the images of the y and z axes can be read. Between 45 and 65 degrees either axis may be used.
    func heading(_ row: Int) -> Double? {
        guard let q = truth[row] else { return nil }
        let (w, x, y, z) = (q.x, q.y, q.z, q.w)
        let edge = SIMD3(2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x))
        let face = SIMD3(2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y))
        if abs(edge.z) < 0.707 { return atan2(edge.x, edge.y) * 180 / .pi }
        if abs(edge.z) < 0.906 { return nil }
        let looks = edge.z > 0 ? -face : face
        return atan2(looks.x, looks.y) * 180 / .pi
    }
}

@Suite("Headings against the truth")
struct HeadingTrialTests {
    /// What came of a trial.
    private struct Result {
        /// Of all headings that have a truth.
        var count = 0
        var squares = 0.0
        /// Of those with a positive accuracy.
        var trusted = 0
        var within = 0
        var accuracies = 0.0

        /// Root mean square of the errors, degrees.
        var rms: Double { (squares / Double(max(1, count))).squareRoot() }
    }

    private func play(_ name: String) throws -> Result {
        let trial = try Trial(name)
        let compass = Compass()
        trial.device.use {
            let manager = CLLocationManager()
            manager.delegate = compass
            manager.headingFilter = kCLHeadingFilterNone
            #expect(CLLocationManager.headingAvailable())
            manager.startUpdatingHeading()
            trial.device.play()
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
        "Headings of four recordings are within 2.5 degrees of the cameras' on average, and nearly all within their accuracy"
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

    @Test("On a table that turns, the heading follows, and the field is shown along the device's axes")
    func spin() throws {
        let file = Checkout.traces.appendingPathComponent("iio/spin-flat-90dps.csv")
        let device = SimulatedDevice(try RecordingFile.open(file.path).trace)
        let compass = Compass()
        device.use {
            let manager = CLLocationManager()
            manager.delegate = compass
            manager.headingFilter = kCLHeadingFilterNone
            manager.startUpdatingHeading()
            device.play()
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
