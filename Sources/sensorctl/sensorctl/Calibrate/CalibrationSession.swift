// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SimulatedDevice

/// One calibration from its first step to its end, on sensors or on a recording.
@MainActor
struct CalibrationSession {
    /// How it ended.
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
    let output: StandardOutput
    let timeout: Double
    let stop: Stop

    /// With the sensors of this machine, until it is done or the time is up.
    func run(on device: Device) async -> Ending {
        let done = Stop()
        let dialogue = dialogue(device) { done.request(.complete) }
        stop.whenRequested { [stop] in done.request(stop.reason ?? .signal) }
        let sensor = CalibrationFeed.sensor(task.topic, of: device)
        dialogue.begin()
        let subscriptions = CalibrationFeed.subscribe(task.topic, on: device, to: dialogue)
        Termination.schedule(done, after: timeout)
        let watch = Task {
            try await Task.sleep(for: .seconds(Self.silence))
            guard !dialogue.hasBegun, done.reason == nil else { return }
            Notes.warn("Nothing has come from the \(task.topic.kind.name) yet; still waiting.")
        }
        let reason = await done.wait()
        watch.cancel()
        for subscription in subscriptions { subscription.cancel() }
        switch reason {
        case .complete, .timeIsUp: return ending(dialogue.finish(), sensor)
        case .signal, .outputClosed, .denied, .failed: return .stopped
        }
    }

    /// With the readings of a recording.
    func run(on simulated: SimulatedDevice) async -> Ending {
        let done = Stop()
        let device = simulated.device
        let dialogue = dialogue(device) { done.request(.complete) }
        stop.whenRequested { [stop] in done.request(stop.reason ?? .signal) }
        let sensor = CalibrationFeed.sensor(task.topic, of: device)
        dialogue.begin()
        let subscriptions = CalibrationFeed.subscribe(task.topic, on: device, to: dialogue)
        await simulated.play(.max, until: done)
        for subscription in subscriptions { subscription.cancel() }
        if stop.reason != nil { return .stopped }
        return ending(dialogue.finish(), sensor)
    }

    private func dialogue(_ device: Device, whenDone: @escaping @Sendable () -> Void) -> CalibrationDialogue {
        let width = screen.showsPictures ? DemoTerminal(.standardOutput).measure().width : 80
        return CalibrationDialogue(
            task, screen: screen, mounts: CalibrationFeed.mounts(task.topic, of: device), width: min(width, 100),
            isColored: Ink(.standardOutput).isOn, whenDone: whenDone)
    }

    private func ending(
        _ result: Result<CalibrationOutcome, CalibrationShortfall>, _ sensor: SensorDescription?
    ) -> Ending {
        if screen.showsPictures { screen.show([]) }
        switch result {
        case .success(let outcome): return .found(outcome, sensor)
        case .failure(let shortfall): return .failed(shortfall)
        }
    }
}
