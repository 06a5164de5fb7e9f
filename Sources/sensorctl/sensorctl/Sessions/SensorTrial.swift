// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorTools
import Synchronization

/// Listens to every sensor for a moment.
enum SensorTrial {
    private final class Tally: Sendable {
        let state = Mutex<(readings: Int, failure: DeviceError?)>((0, nil))

        func take(_ event: MotionEvent) {
            state.withLock { state in
                switch event {
                case .samples(let batch): state.readings += batch.count
                case .lost(let error): state.failure = error
                case .regained: state.failure = nil
                }
            }
        }
    }

    /// The sensors of the device, each listened to for that many seconds, all at the same time; none when the verb is to
    /// stop meanwhile.
    static func run(_ device: Device, seconds: Double, stop: Stop) async -> [MachineFacts.Trial] {
        let source = device.motionSource
        let tallies = source.sensors.map { sensor -> (SensorDescription, Tally, Subscription) in
            let tally = Tally()
            let request = MotionRequest(kind: sensor.kind, sensor: sensor.id, interval: 1 / MachineFacts.Trial.rate)
            return (sensor, tally, source.subscribe(request) { tally.take($0) })
        }
        guard !tallies.isEmpty else { return [] }
        let done = Stop()
        Termination.schedule(done, after: seconds)
        stop.whenRequested { done.request(.signal) }
        _ = await done.wait()
        let trials = tallies.map { sensor, tally, subscription in
            let (readings, failure) = tally.state.withLock { $0 }
            // What was learnt of it meanwhile, such as that it had to be polled.
            let known = source.sensors.first { $0.id == sensor.id } ?? sensor
            let rate = source.measuredRate(of: sensor.id)
            subscription.cancel()
            return MachineFacts.Trial(
                sensor: known, readings: readings, seconds: seconds, measuredRate: rate, failure: failure)
        }
        return trials
    }
}
