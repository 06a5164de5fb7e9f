// SPDX-License-Identifier: Apache-2.0

import DeviceCore

@testable import SensorTools

/// Sensors controlled by a test, and a calibration that receives their readings.
final class ScriptedSensors {
    /// The printed lines.
    var lines: [String] { journal.lines }
    private(set) var time = 0.0
    private let dialogue: CalibrationDialogue
    private let journal: Journal
    /// The index into the noise. The noise has a mean of zero and is the same in each run.
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

    /// The number of times that the dialogue has reported its end.
    var endings: Int { journal.endings }

    /// Sends readings at 100 Hz for the given number of seconds, each with a little noise.
    func play(
        _ seconds: Double, gyroscope: SIMD3<Double>? = nil, accelerometer: SIMD3<Double>? = nil, noise: Double = 0.001
    ) {
        for _ in 0..<Int((seconds * 100).rounded()) {
            step += 1
            // Eight values with a sum of zero.
            let sign = Double([1, -1, 2, -2, 3, -3, 4, -4][step % 8]) / 4 * noise
            let wobble = SIMD3(sign, -sign, sign)
            if let gyroscope { send(.gyroscope, gyroscope + wobble) }
            if let accelerometer { send(.accelerometer, accelerometer + wobble * 10) }
            time += 0.01
        }
    }

    func send(_ kind: SensorKind, _ value: SIMD3<Double>) {
        let stamp = BootTime(nanoseconds: Int64((time * 1e9).rounded()))
        dialogue.process(
            .samples(MotionBatch(sensor: kind.rawValue, kind: kind, values: [value], times: [stamp], arrival: stamp)),
            kind: kind)
    }

    func lose(_ kind: SensorKind, _ error: DeviceError) { dialogue.process(.lost(error), kind: kind) }
    func finish() -> Result<CalibrationOutcome, CalibrationFailure> { dialogue.finish() }
}
