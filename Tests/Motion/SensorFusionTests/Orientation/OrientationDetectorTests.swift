// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion
import TestSupport
import Testing

/// Returns the gravity of an upright device that is rotated counterclockwise from portrait, in g. The angle is in
/// degrees.
func upright(_ degrees: Double) -> SIMD3<Double> { SIMD3(-sin(degrees * .pi / 180), -cos(degrees * .pi / 180), 0) }

/// Returns the gravity of a portrait device with a tilted screen, in g. 0 degrees is flat, 90 degrees is upright.
func tilted(_ degrees: Double) -> SIMD3<Double> { SIMD3(0, -sin(degrees * .pi / 180), -cos(degrees * .pi / 180)) }

struct OrientationChange: Equatable {
    let time: Double
    let orientation: DeviceOrientation
}

extension OrientationDetector {
    /// Updates the detector with samples at the given times and returns the changes of the orientation.
    mutating func feed(_ times: [Double], _ sample: (Double) -> SIMD3<Double>) -> [OrientationChange] {
        var changes: [OrientationChange] = []
        for time in times {
            let before = orientation
            if let new = update(acceleration: sample(time), timestamp: time) {
                changes.append(OrientationChange(time: time, orientation: new))
                #expect(new == orientation && new != before)
            } else {
                #expect(orientation == before)
            }
        }
        return changes
    }
}

func times(_ rate: Double, from start: Double = 0, to end: Double) -> [Double] {
    (0...Int(((end - start) * rate).rounded())).map { start + Double($0) / rate }
}

@Suite("Device orientation")
struct OrientationDetectorTests {
    static let rest: [(SIMD3<Double>, DeviceOrientation)] = [
        (SIMD3(0, 0, -1), .faceUp), (SIMD3(0, 0, 1), .faceDown), (SIMD3(0, -1, 0), .portrait),
        (SIMD3(0, 1, 0), .portraitUpsideDown), (SIMD3(-1, 0, 0), .landscapeLeft), (SIMD3(1, 0, 0), .landscapeRight),
    ]

    @Test("Raw values are those of UIDeviceOrientation")
    func rawValues() {
        let names: [DeviceOrientation] = [
            .unknown, .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight, .faceUp, .faceDown,
        ]
        #expect(names.map(\.rawValue) == Array(0...6))
        #expect(DeviceOrientation.allCases == names)
    }

    @Test("Each rest pose is detected one hold time after the first sample", arguments: [5.0, 10, 20, 50, 100, 200])
    func restPoses(rate: Double) {
        for (gravity, expected) in Self.rest {
            var detector = OrientationDetector()
            #expect(detector.orientation == .unknown)
            // Timestamps of a board with an uptime of one day.
            let changes = detector.feed(times(rate, from: 86_400, to: 86_405)) { _ in gravity }
            #expect(changes.map(\.orientation) == [expected])
            #expect(abs((changes.first?.time ?? 0) - 86_400.2) < 1e-6)
        }
    }

    @Test("A tilted device is detected by its edge despite an offset and a scale error of the sensor")
    func tiltedPoses() {
        for rotation in stride(from: 0.0, to: 360, by: 90) {
            for tilt in stride(from: 50.0, through: 130, by: 20) {
                var detector = OrientationDetector()
                let expected: DeviceOrientation =
                    switch rotation {
                    case 0: .portrait
                    case 90: .landscapeLeft
                    case 180: .portraitUpsideDown
                    default: .landscapeRight
                    }
                let inPlane = upright(rotation) * sin(tilt * .pi / 180)
                let gravity = inPlane + SIMD3(0, 0, -cos(tilt * .pi / 180))
                let changes = detector.feed(times(50, to: 2)) { _ in gravity * 1.08 + SIMD3(0.05, -0.05, 0.08) }
                #expect(changes.map(\.orientation) == [expected], "\(rotation) \(tilt)")
            }
        }
    }

    @Test("Noise at exactly 45 degrees yields one orientation without further changes", arguments: [10.0, 100])
    func noiseAtDiagonal(rate: Double) {
        var random = SeededGenerator(seed: 6)
        for diagonal in [45.0, 135, 225, 315] {
            var detector = OrientationDetector()
            let first = detector.feed(times(rate, to: 60)) { _ in upright(diagonal) + random.normal(0.05) }
            #expect(first.count == 1)
            #expect((first.first?.time ?? 60) < 0.5)
            // After an edge has been detected, the orientation does not change.
            for edge in [diagonal - 45, diagonal + 45] {
                detector.reset()
                _ = detector.feed(times(rate, to: 1)) { _ in upright(edge) }
                let later = detector.feed(times(rate, from: 1.1, to: 60)) { _ in
                    upright(diagonal) + random.normal(0.05)
                }
                #expect(later.isEmpty)
            }
        }
    }

    @Test("Noise at any angle never restores a previous orientation")
    func noiseEverywhere() {
        var random = SeededGenerator(seed: 7)
        for degrees in stride(from: 0.0, through: 90, by: 2.5) {
            for pose in [upright(degrees), tilted(degrees)] {
                var detector = OrientationDetector()
                let first = detector.feed(times(20, to: 30)) { _ in pose + random.normal(0.03) }
                #expect(first.count == 1, "\(degrees)")
                for (start, known) in Self.rest {
                    detector.reset()
                    _ = detector.feed(times(20, to: 1)) { _ in start }
                    let changes = detector.feed(times(20, from: 1.1, to: 31)) { _ in pose + random.normal(0.03) }
                    // The orientation may pass through another one, for example from left to right landscape through
                    // portrait.
                    #expect(Set(changes.map(\.orientation) + [known]).count == changes.count + 1, "\(changes)")
                    #expect(changes.count <= 2)
                }
            }
        }
    }

    @Test("During a slow rotation, the orientation changes 60 degrees after each edge, in both directions")
    func slowSweep() {
        var random = SeededGenerator(seed: 8)
        var detector = OrientationDetector()
        _ = detector.feed(times(20, to: 1)) { _ in upright(0) }
        // 1 degree per second, one turn forwards and one back. Noise of 0.01 g corresponds to 0.6 degrees.
        let there = detector.feed(times(20, from: 1.05, to: 361)) { upright($0 - 1) + random.normal(0.01) }
        #expect(there.map(\.orientation) == [.landscapeLeft, .portraitUpsideDown, .landscapeRight, .portrait])
        for (change, degrees) in zip(there, [60.0, 150, 240, 330]) {
            #expect(abs(change.time - 1 - degrees) < 2)
        }
        let back = detector.feed(times(20, from: 361.05, to: 721)) { upright(721 - $0) + random.normal(0.01) }
        #expect(back.map(\.orientation) == [.landscapeRight, .portraitUpsideDown, .landscapeLeft, .portrait])
        for (change, degrees) in zip(back, [300.0, 210, 120, 30]) {
            #expect(abs(721 - change.time - degrees) < 2)
        }
    }

    /// Expects a time within two seconds, which is two degrees at 1 degree per second.
    private func expect(_ time: Double?, near wanted: Double, _ location: SourceLocation = #_sourceLocation) {
        #expect(abs((time ?? 0) - wanted) < 2, sourceLocation: location)
    }

    @Test("A device is face up at tilts below 30 degrees and becomes portrait again above 40 degrees")
    func tiltSweep() {
        var random = SeededGenerator(seed: 9)
        var detector = OrientationDetector()
        _ = detector.feed(times(20, to: 1)) { _ in tilted(90) }
        let down = detector.feed(times(20, from: 1.05, to: 91)) { tilted(91 - $0) + random.normal(0.01) }
        #expect(down.map(\.orientation) == [.faceUp])
        expect(down.first?.time, near: 61)
        let up = detector.feed(times(20, from: 91.05, to: 181)) { tilted($0 - 91) + random.normal(0.01) }
        #expect(up.map(\.orientation) == [.portrait])
        expect(up.first?.time, near: 131)
        // The rotation continues over the top edge to the other side.
        let over = detector.feed(times(20, from: 181.05, to: 271)) { tilted($0 - 91) }
        #expect(over.map(\.orientation) == [.faceDown])
        expect(over.first?.time, near: 241)
    }

    @Test("A constant rotation about the vertical does not change the orientation, upright or flat")
    func spinAboutVertical() {
        for pose in [SIMD3(0, 0, -1.0), SIMD3(0, -1, 0)] {
            var detector = OrientationDetector()
            // The centripetal acceleration of a turntable, 0.1 g in a constant direction of the device.
            let changes = detector.feed(times(50, to: 20)) { _ in pose + SIMD3(0.1, 0, 0) }
            #expect(changes.count == 1)
        }
    }

    @Test("A rotation about the screen's normal yields the four edges in order")
    func spinUpright() {
        var random = SeededGenerator(seed: 10)
        var detector = OrientationDetector()
        let changes = detector.feed(times(100, to: 16)) { upright(45 * $0) + random.normal(0.004) }
        let order: [DeviceOrientation] = [.portrait, .landscapeLeft, .portraitUpsideDown, .landscapeRight]
        #expect(changes.count == 9)
        for (index, change) in changes.enumerated() { #expect(change.orientation == order[index % 4]) }
    }

    @Test("Settings change the thresholds")
    func settings() {
        var settings = OrientationSettings()
        settings.edgeHysteresis = 0
        settings.holdTime = 0
        settings.flatEnterAngle = 10
        settings.flatLeaveAngle = 5
        var detector = OrientationDetector(settings: settings)
        #expect(detector.settings == settings)
        #expect(detector.update(acceleration: upright(0), timestamp: 0) == .portrait)
        let changes = detector.feed(times(20, from: 0.05, to: 60)) { upright($0) }
        #expect(changes.map(\.orientation) == [.landscapeLeft])
        #expect(abs((changes.first?.time ?? 0) - 45) < 0.5)
        detector.reset()
        #expect(detector.orientation == .unknown)
        let raised = detector.feed(times(20, from: 100, to: 130)) { tilted($0 - 100) }
        // A leave angle below the enter angle is treated as the enter angle.
        #expect(raised.map(\.orientation) == [.faceUp, .portrait])
        #expect(abs((raised.last?.time ?? 0) - 110) < 0.5)
    }
}
