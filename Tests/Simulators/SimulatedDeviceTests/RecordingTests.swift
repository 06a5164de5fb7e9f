// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SimulatedDevice
import TestSupport
import Testing
import Trace

@Suite("Recording during playback", .timeLimit(.minutes(30)))
struct RecordingTests {
    static let traces = Checkout.traces.path

    /// Returns the bytes that a recorder writes while the trace plays.
    private func recording(of trace: TraceFile, interval: Duration = .zero) throws -> [UInt8] {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("motion-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let device = SimulatedDevice(trace)
        let recorder = TraceRecorder(
            device: device.device, writer: try TraceWriter(path: path, clock: device.device.clock), recorder: "test",
            motionInterval: interval)
        try recorder.start()
        playSynchronously(device)
        try recorder.stop()
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private func events(_ bytes: [UInt8]) -> [Substring] {
        Array(String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst())
    }

    @Test("Recording a played trace reproduces its events byte for byte")
    func sameEvents() throws {
        let trace = try TraceFile(path: Self.traces + "/motion/six-poses.trace")
        let again = try recording(of: trace)
        let difference = zip(events(again), events(Array(trace.bytes))).first { $0 != $1 }
        #expect(difference == nil)
        #expect(events(again).count == events(Array(trace.bytes)).count)
        #expect(events(again).count > 1400)
        // A recording of the recording is identical.
        let third = try recording(of: try TraceFile(bytes: again, name: "again"))
        #expect(third.elementsEqual(again), "\(third.count) bytes")
    }

    @Test(
        "Recording a trace of readings and positions yields identical bytes each time",
        arguments: [Duration.zero, .seconds(0.03)])
    func isDeterministic(interval: Duration) throws {
        let motion = try TraceFile(path: Self.traces + "/motion/six-poses.trace")
        var lines = String(decoding: motion.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        for (index, report) in Drive.lines(10).enumerated() {
            let at = 1 + index * 150
            // A time before that of the preceding line is raised to it, so the report plays at its line.
            lines.insert("{\"t\":0,\"gpsd\":\(report)}", at: at)
        }
        lines.insert(#"{"t":0,"lost":{"code":"silent","message":"x"},"sensor":"gyroscope"}"#, at: 700)
        lines.insert(#"{"t":0,"regained":true,"sensor":"gyroscope"}"#, at: 800)
        let trace = try Drive.file(lines)
        let first = try recording(of: trace, interval: interval)
        let second = try recording(of: trace, interval: interval)
        #expect(second.elementsEqual(first), "\(second.count) bytes")
        let text = String(decoding: first, as: UTF8.self)
        #expect(text.components(separatedBy: #""gpsd":"#).count == 11)
        #expect(text.components(separatedBy: #""sensor":"gyroscope""#).count == 3)
        #expect(events(first).count > (interval == .zero ? 1400 : 700))
    }

    @Test("The six poses point each side up in turn, in the device's axes")
    func sixPoses() throws {
        let device = SimulatedDevice(try TraceFile(path: Self.traces + "/motion/six-poses.trace"))
        let log = ValueLog<MotionBatch>()
        let subscription = device.device.motionSource.subscribe(MotionRequest(kind: .accelerometer)) { event in
            if case .samples(let batch) = event { log.add(batch) }
        }
        playSynchronously(device)
        subscription.cancel()
        let readings = log.all.flatMap { zip($0.times, $0.values) }
        // Each side points up for 1.6 s, and the transition to the next takes 0.4 s. The first pose is face up, with z
        // up.
        let up: [SIMD3<Double>] = [[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, -1, 0], [-1, 0, 0], [0, 0, -1]]
        for (number, direction) in up.enumerated() {
            let from = 100 + Double(number) * 2
            let rest = readings.filter { $0.0.seconds > from + 0.01 && $0.0.seconds < from + 1.59 }.map(\.1)
            #expect(rest.count > 70)
            let mean = rest.reduce(.zero, +) / Double(max(rest.count, 1))
            let error = mean - direction * 9.80665
            // A single reading has a noise of 0.02 m/s², the mean of 75 readings a ninth of that.
            #expect((error * error).sum().squareRoot() < 0.02, "side \(number): \(mean)")
        }
    }
}
