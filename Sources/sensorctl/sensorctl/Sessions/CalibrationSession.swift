// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorTools
import SimulatedDevice

/// One calibration from its first step to its end, on sensors or on a recording.
@MainActor
struct CalibrationSession {
    enum Ending {
        case found(CalibrationOutcome, SensorDescription?)
        case failed(CalibrationShortfall)
        /// The user has had enough.
        case stopped
    }

    /// Seconds without any reading after which that is said.
    private static let silence = 4.0

    let task: any CalibrationTask
    let screen: any CalibrationScreen
    let timeout: Double
    let stop: Stop

    /// With the sensors of this machine, until it is done or the time is up.
    func run(on device: Device) async -> Ending {
        await run(on: device) { done, dialogue in
            Termination.schedule(done, after: timeout)
            let watch = Task {
                try await Task.sleep(for: .seconds(Self.silence))
                guard !dialogue.hasBegun, done.reason == nil else { return }
                Notes.warn("Nothing has come from the \(task.topic.kind.name) yet; still waiting.")
            }
            _ = await done.wait()
            watch.cancel()
        }
    }

    /// With the readings of a recording.
    func run(on simulated: SimulatedDevice) async -> Ending {
        await run(on: simulated.device) { done, _ in await simulated.play(.max, until: done) }
    }

    /// - Parameter listen: returns when readings have come for long enough.
    private func run(on device: Device, _ listen: (Stop, CalibrationDialogue) async -> Void) async -> Ending {
        let done = Stop()
        let dialogue = CalibrationDialogue(task, screen: screen, mounts: task.topic.mounts(of: device)) {
            done.request(.complete)
        }
        stop.whenRequested { [stop] in done.request(stop.reason ?? .signal) }
        let sensor = task.topic.sensor(of: device)
        dialogue.begin()
        let subscriptions = task.topic.subscribe(dialogue, to: device)
        await listen(done, dialogue)
        for subscription in subscriptions { subscription.cancel() }
        switch done.reason {
        case .complete, .timeIsUp, nil: break
        case .signal, .outputClosed, .denied, .failed: return .stopped
        }
        let result = dialogue.finish()
        if screen.showsPictures { screen.clear() }
        switch result {
        case .success(let outcome): return .found(outcome, sensor)
        case .failure(let shortfall): return .failed(shortfall)
        }
    }
}
