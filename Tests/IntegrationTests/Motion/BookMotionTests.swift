// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import IIODSimulator
import SimulatedDevice
import Synchronization
import TestProgramApps
import TestSupport
import Testing
import Trace

extension IntegrationTests {
    @Suite("The book's motion program")
    struct BookMotionTests {
        /// Returns the numbers of a line such as "x 0.0 y 0.0 z 0.0 pitch 90.0 yaw 0.0 roll 0.0".
        private static func numbers(_ line: String) -> [String: Double] {
            let words = line.split(separator: " ").map(String.init)
            var numbers: [String: Double] = [:]
            for index in stride(from: 0, to: words.count - 1, by: 2) {
                numbers[words[index]] = Double(words[index + 1])
            }
            return numbers
        }

        @Test("The program shows the attitude of a played device ten times per second until it is hidden")
        func plays() throws {
            let path = Tools.motionTraces.deletingLastPathComponent().appendingPathComponent("motion/six-poses.trace")
            let device = SimulatedDevice(try TraceFile(path: path.path))
            let shown = Mutex<[String]>([])
            try device.use {
                let controller = DeviceMotionViewController()
                controller.show = { text in shown.withLock { $0.append(text) } }
                controller.viewDidAppear(false)
                // Flat, then the top edge up, the right edge and the bottom edge, each in the middle of its two
                // seconds.
                let sides: [(pitch: Double, roll: Double?)] = [(0, 0), (90, nil), (0, -90), (-90, nil)]
                for (side, (pitch, roll)) in sides.enumerated() {
                    device.advance(by: side == 0 ? 1 : 2)
                    let lines = shown.withLock { $0 }
                    let last = Self.numbers(lines.last ?? "")
                    #expect(last.count == 6)
                    #expect(abs((last["pitch"] ?? 999) - pitch) < 3, "\(lines.last ?? "")")
                    if let roll { #expect(abs((last["roll"] ?? 999) - roll) < 3, "\(lines.last ?? "")") }
                    for axis in ["x", "y", "z"] { #expect(abs(last[axis] ?? 999) < 0.1) }
                    #expect(abs(lines.count - (side * 20 + 10)) <= 2)
                }
                controller.viewDidDisappear(false)
                let count = shown.withLock { $0.count }
                try device.play()
                #expect(shown.withLock { $0.count } == count)
                // Output continues when the view appears again.
                controller.viewDidAppear(false)
            }
        }

        @Test("The program reports missing device motion on a board without a gyroscope")
        func missing() throws {
            let trace =
                #"{"format":"device-services-trace","version":1,"sensors":[{"id":"accelerometer","kind":"accelerometer"}]}"#
                + "\n" + #"{"t":0,"accelerometer":[0,0,9.8]}"# + "\n"
            let device = SimulatedDevice(try TraceFile(bytes: Array(trace.utf8), name: "poor"))
            let shown = Mutex<[String]>([])
            try device.use {
                let controller = DeviceMotionViewController()
                controller.show = { text in shown.withLock { $0.append(text) } }
                controller.viewDidAppear(false)
                try device.play()
            }
            #expect(shown.withLock { $0 } == ["no device motion"])
        }

        @Test(
            "The program shows the attitude of a simulated board in a separate process",
            .enabled(if: Tools.hasLibIIO, Tools.libIIOMissing),
            arguments: [
                ("pitch", 30.0, SIMD3<Double>(0, 0.5 * 9.80665, 0.75.squareRoot() * 9.80665)),
                // The right edge is lowered, so the left edge points up.
                ("roll", 30.0, SIMD3<Double>(-0.5 * 9.80665, 0, 0.75.squareRoot() * 9.80665)),
            ])
        func runs(angle: String, degrees: Double, measured: SIMD3<Double>) async throws {
            let samples = IIORestSource([
                .accelerometer: measured, .gyroscope: .zero, .magnetometer: [0, 0.2, -0.43],
            ])
            let server = IIODServer(context: SimulatedBoard.nineAxes(), samples: samples)
            let process = try ChildProcess(
                .apps, ["book-motion"], environment: ["DEVICE_SERVICES_IIO": "ip:127.0.0.1:\(try server.start())"])
            try #require(await process.lines.wait { $0.count >= 5 })
            for line in process.lines.elements {
                let numbers = Self.numbers(line)
                for name in ["pitch", "roll"] {
                    #expect(abs((numbers[name] ?? 999) - (name == angle ? degrees : 0)) < 0.3, "\(line)")
                }
                for axis in ["x", "y", "z"] { #expect(abs(numbers[axis] ?? 999) < 0.05, "\(line)") }
            }
            await process.kill()
            server.stop()
        }
    }
}
