// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorTools
import SimulatedDevice

/// Runs a complete calibration, using either live sensors or a recording.
@MainActor struct CalibrationSession {
    enum Ending {
        case found(CalibrationOutcome, SensorDescription?)
        case failed(CalibrationFailure)
        case stopped
    }

    /// The time without a reading, in seconds, after which a message is logged.
    private static let silence = 4.0

    let task: any CalibrationTask
    let screen: any CalibrationScreen
    /// The time limit for live sensors, in seconds. A recording is read to its end.
    let timeout: Double
    let stop: StopRequest

    func run(on device: Device) async -> Ending {
        await run(on: device) { done, dialogue in
            Termination.schedule(done, after: timeout)
            let watch = Task {
                try await Task.sleep(for: .seconds(Self.silence))
                guard !dialogue.hasBegun, done.reason == nil else { return }
                Log.warning("The \(task.topic.kind.name) has delivered no readings yet; still waiting.")
            }
            _ = await done.wait()
            watch.cancel()
        }
    }

    func run(on simulated: SimulatedDevice) async -> Ending {
        await run(on: simulated.device) { done, _ in await simulated.play(.max, until: done) }
    }

    /// - Parameter listen: A closure that waits until the calibration is complete or no further readings will arrive.
    private func run(on device: Device, _ listen: (StopRequest, CalibrationDialogue) async -> Void) async -> Ending {
        let done = StopRequest()
        let dialogue = CalibrationDialogue(task, screen: screen, mounts: task.topic.mounts(of: device)) {
            done.request(.complete)
        }
        stop.onRequest { [stop] in done.request(stop.reason ?? .signal) }
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
