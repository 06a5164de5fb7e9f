// SPDX-License-Identifier: Apache-2.0

import DeviceCore

@testable import SensorTools

/// Sensors that do what a test says, and a calibration that listens to them.
final class ScriptedSensors {
    /// What was said, line by line.
    var lines: [String] { journal.lines }
    private(set) var time = 0.0
    private let dialogue: CalibrationDialogue
    private let journal: Journal
    /// Numbers that repeat themselves and are zero on average: as good as noise, and the same each time.
    private var step = 0

    init(_ task: any CalibrationTask, mounts: [SensorKind: MountMatrix] = [:]) {
        let journal = Journal()
        self.journal = journal
        dialogue = CalibrationDialogue(task, screen: LineScreen { journal.lines.append($0) }, mounts: mounts) {
            journal.endings += 1
        }
        dialogue.begin()
    }

    /// Unchecked: dialogues call it on the test's own thread.
    private final class Journal: @unchecked Sendable {
        var lines: [String] = []
        var endings = 0
    }

    /// How often the dialogue has said that it is done.
    var endings: Int { journal.endings }

    /// Readings at 100 Hz for so many seconds, each with a little noise.
    func play(
        _ seconds: Double, gyroscope: SIMD3<Double>? = nil, accelerometer: SIMD3<Double>? = nil, noise: Double = 0.001
    ) {
        for _ in 0..<Int((seconds * 100).rounded()) {
            step += 1
            // Eight values whose sum is zero.
            let sign = Double([1, -1, 2, -2, 3, -3, 4, -4][step % 8]) / 4 * noise
            let wobble = SIMD3(sign, -sign, sign)
            if let gyroscope { send(.gyroscope, gyroscope + wobble) }
            if let accelerometer { send(.accelerometer, accelerometer + wobble * 10) }
            time += 0.01
        }
    }

    func send(_ kind: SensorKind, _ value: SIMD3<Double>) {
        let stamp = BootTime(nanoseconds: Int64((time * 1e9).rounded()))
        dialogue.take(
            .samples(MotionBatch(sensor: kind.rawValue, kind: kind, values: [value], times: [stamp], arrival: stamp)),
            kind: kind)
    }

    func lose(_ kind: SensorKind, _ error: DeviceError) { dialogue.take(.lost(error), kind: kind) }

    func finish() -> Result<CalibrationOutcome, CalibrationShortfall> {
        dialogue.finish()
    }
}
