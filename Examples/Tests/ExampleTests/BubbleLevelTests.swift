// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import Foundation
import SimulatedDevice
import Testing

@testable import BubbleLevel

@Suite("The bubble level") struct BubbleLevelTests {
    /// The tilt of the recorded board as seen by cameras: the elevations of its x and y axes at a time, in degrees.
    private static func truth(_ name: String, at time: Double) throws -> SIMD2<Double> {
        let rows = try Recordings.text(name).split(separator: "\n").dropFirst().map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        // A row is 0.0105 s. Every fourth row has the reference as the quaternion w, x, y, z in units of 1e-5.
        let row = try #require(rows.dropFirst(Int(time / 0.0105)).first { $0.count > 12 && !$0[9].isEmpty })
        let parts = try row[9...12].map { try #require(Double($0)) / 1e5 }
        let (w, x, y, z) = (parts[0], parts[1], parts[2], parts[3])
        return SIMD2(asin(2 * (x * z - w * y)), asin(2 * (y * z + w * x))) * 180 / .pi
    }

    @Test("With a real board the tilt matches the camera reference, relative to the calibrated surface")
    func cameras() throws {
        let name = "broad/broad_30_disturbed_stationary_magnet_C.csv"
        try withFolder { folder in
            let device = SimulatedDevice(try Recordings.open(name))
            device.use {
                var tilts: [SIMD2<Double>] = []
                var isCalibrated = false
                let level = BubbleLevel(file: folder.appendingPathComponent("zero.json"))
                level.show = { state in
                    guard case .lying(let tilt, .up, let now) = state else { return }
                    tilts.append([tilt.right, tilt.top])
                    isCalibrated = now
                }
                /// Returns the mean of the tilts shown in the next second.
                func mean() -> SIMD2<Double> {
                    tilts = []
                    device.advance(by: .seconds(1))
                    return tilts.reduce(.zero, +) / Double(max(tilts.count, 1))
                }
                #expect(level.start())
                device.advance(by: .seconds(5))
                let raw = mean()
                #expect(!isCalibrated)
                level.calibrate()
                device.advance(by: .seconds(3))
                let zero = mean()
                #expect(isCalibrated)
                // The board is moved and comes to rest a little steeper.
                device.advance(by: .seconds(150))
                let after = mean()

                guard let before = try? Self.truth(name, at: 5), let end = try? Self.truth(name, at: 160) else {
                    Issue.record("the recording is not as it was")
                    return
                }
                func isNear(_ a: SIMD2<Double>, _ b: SIMD2<Double>, _ limit: Double) -> Bool {
                    abs(a.x - b.x) < limit && abs(a.y - b.y) < limit
                }
                #expect(isNear(zero, .zero, 0.1))
                // The error of the accelerometer and the movement of the board are both larger than the remaining
                // error.
                #expect(!isNear(raw, before, 0.15))
                #expect(!isNear(end - before, .zero, 0.4))
                #expect(isNear(after, end - before, 0.15), "\(after) in place of \(end - before)")
            }
        }
    }

    @Test("The level reports the pose on each of the six sides")
    func sides() throws {
        let device = SimulatedDevice(try Recordings.open("motion/six-poses.trace"))
        try withFolder { folder in
            var last: Level.State?
            device.use {
                let level = BubbleLevel(file: folder.appendingPathComponent("zero.json"))
                level.show = { last = $0 }
                #expect(level.start())
                // 1.6 s on each side, 0.4 s for the transition.
                var states: [Level.State?] = []
                for _ in 0..<6 {
                    device.advance(by: .seconds(1.5))
                    states.append(last)
                    device.advance(by: .seconds(0.5))
                }
                guard case .lying(let up, .up, isCalibrated: false)? = states[0],
                    case .lying(let down, .down, isCalibrated: false)? = states[5]
                else {
                    Issue.record("\(states)")
                    return
                }
                #expect(states[1...4].allSatisfy { $0 == .standing })
                for angle in [up.right, up.top, down.right, down.top] { #expect(abs(angle) < 0.3) }
            }
        }
    }

    /// The acceleration in g of a board whose right edge is raised by `angle` degrees. Gravity points to its left.
    private static func tilted(_ angle: Double, face: Double = 1) -> SIMD3<Double> {
        SIMD3(-sin(angle * .pi / 180), 0, -face * cos(angle * .pi / 180))
    }

    @Test("A zero applies to its own face, and trembling prevents calibration")
    func calibration() {
        var level = Level()
        var time = 0.0
        func hold(_ acceleration: (Int) -> SIMD3<Double>, seconds: Double) -> [Level.State] {
            (0..<Int(seconds * 20)).map { step in
                time += 0.05
                return level.update(acceleration(step), at: time)
            }
        }
        _ = hold({ _ in Self.tilted(1.5) }, seconds: 2)
        level.calibrate()
        // Alternately 0.2 g to one side and to the other.
        let trembling = hold({ Self.tilted(1.5) + SIMD3(0, $0 % 2 == 0 ? 0.2 : -0.2, 0) }, seconds: 5)
        #expect(trembling.allSatisfy { $0 == .calibrating })
        _ = hold({ _ in Self.tilted(1.5) }, seconds: 3)
        #expect(abs((level.zeros[.up]?.right ?? 0) - 1.5) < 0.05)

        guard case .lying(let steeper, .up, isCalibrated: true)? = hold({ _ in Self.tilted(4) }, seconds: 3).last,
            case .lying(let turned, .down, isCalibrated: false)? = hold({ _ in Self.tilted(2, face: -1) }, seconds: 3)
                .last
        else {
            Issue.record("\(level)")
            return
        }
        #expect(abs(steeper.right - 2.5) < 0.05)
        #expect(abs(turned.right - 2) < 0.05)
    }

    @Test("The bubble covers 63 % of a step in 0.2 s")
    func lowPass() {
        var level = Level()
        _ = level.update(Self.tilted(0), at: 10)
        guard case .lying(let tilt, _, _) = level.update(Self.tilted(10), at: 10.2) else {
            Issue.record("it does not lie")
            return
        }
        // sin 10° · (1 - 1/e) = 0.10977, cos: 1 - 0.63212 · (1 - cos 10°) = 0.99040, so atan(0.10977 / 0.99040) = 6.325°
        #expect(abs(tilt.right - 6.325) < 0.001)
    }

    @Test("The zero is stored between runs, and a damaged file is ignored")
    func kept() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("zero.json")
            func firstState() throws -> Level.State? {
                let device = SimulatedDevice(try Recordings.open("iio/flat-face-up.csv"))
                var first: Level.State?
                try device.use {
                    let level = BubbleLevel(file: file)
                    level.show = { if first == nil { first = $0 } }
                    #expect(level.start())
                    level.calibrate()
                    try device.play()
                }
                return first
            }
            #expect(try firstState() == .calibrating)
            let kept = try JSONDecoder().decode([String: Level.Tilt].self, from: try Data(contentsOf: file))
            // The mean of one second of noise of 0.02 to 0.03 m/s² around zero.
            #expect(abs(try #require(kept["up"]).right) < 0.1)
            try Data(#"{"up":{"right":5,"top":-5}}"#.utf8).write(to: file)
            #expect(BubbleLevel(file: file).zeros == [.up: Level.Tilt(right: 5, top: -5)])
            try Data(#"{"up":{"ri"#.utf8).write(to: file)
            #expect(BubbleLevel(file: file).zeros.isEmpty)
        }
    }

    @Test("The level does not start without an accelerometer")
    func noSensor() {
        SimulatedDevice().use {
            #expect(!BubbleLevel(file: URL(fileURLWithPath: "/dev/null/zero")).start())
        }
    }

    @Test("The drawing shows the bubble at the higher edge")
    func drawing() {
        #expect(
            Level.State.lying(.init(right: 2, top: 1.4), .up, isCalibrated: true).drawing == """
                ---------------------
                |                   |
                |                   |
                |             o     |
                |         +         |
                |                   |
                |                   |
                |                   |
                ---------------------
                right +2.0 top +1.4
                """)
        #expect(
            Level.State.lying(.init(right: 40, top: -40), .down, isCalibrated: false).drawing == """
                ---------------------
                |                   |
                |                   |
                |                   |
                |         +         |
                |                   |
                |                   |
                |o                  |
                ---------------------
                right +40.0 top -40.0, face down, not calibrated
                """)
    }
}

extension ProgramTests {
    @Test("The level program shows and calibrates a simulated board, and reports a missing sensor")
    func bubbleLevel() throws {
        try withFolder { folder in
            let zero = folder.appendingPathComponent("zero.json")
            let end = try withBoard(try Recordings.open("motion/six-poses.trace")) { environment in
                try Programs.run("bubble-level", [zero.path], environment: environment) {
                    $0.contains { $0.hasSuffix("level, face down, not calibrated") }
                }
            }
            #expect(end.lines.contains { $0.hasSuffix("level, not calibrated") })
            #expect(end.lines.contains("lay the board on its back or on its face"))

            let calibrated = try withBoard(try Recordings.open("iio/flat-face-up.csv")) { environment in
                try Programs.run("bubble-level", [zero.path], environment: environment, input: "\n") {
                    $0.contains { $0.hasSuffix(", level") }
                }
            }
            #expect(calibrated.lines.contains("calibrating: leave it alone"))
            #expect(FileManager.default.fileExists(atPath: zero.path))

            let none = try withBoard(try Recordings.open("gpsd/bu303-moving.log.chk")) { environment in
                try Programs.run("bubble-level", [zero.path], environment: environment)
            }
            #expect(none.status == 69)
            #expect(
                none.lines == ["bubble-level: No accelerometer was found. Run \"sensorctl doctor\" for details."])
        }
    }
}
