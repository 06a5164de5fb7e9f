// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import SensorTools
import Synchronization

/// Queries a position source for its version and receivers, for `doctor` and `list`.
final class ServiceProbe: Sendable {
    private struct State {
        var hasAnswered = false
        var answer = ServiceStatus()
    }

    private let state = Mutex(State())
    /// The stop request that ends the wait for a response. Its reason is unused.
    private let done = StopRequest()

    /// Waits until the source has responded, `seconds` have passed or a stop is requested.
    static func query(_ device: Device, timeout seconds: Double, stop: StopRequest) async -> ServiceStatus {
        let (probe, source) = (ServiceProbe(), device.positionSource)
        let subscription = source.subscribe(PositionRequest(includesLines: true)) { probe.process($0) }
        // A source that is already connected does not deliver its receiver list again.
        if !source.receivers.isEmpty { probe.process(.receivers(source.receivers)) }
        Termination.schedule(probe.done, after: seconds)
        stop.onRequest { [done = probe.done] in done.request(.signal) }
        _ = await probe.done.wait()
        subscription.cancel()
        return probe.state.withLock { state in
            // A broker may deliver only a retained fix. The source does not report it as an event, but it counts as an
            // answer.
            if !state.hasAnswered, state.answer.failure == nil, source.lastFix == nil {
                state.answer.failure = DeviceError(.silent, "The position source did not answer within \(seconds) s.")
            }
            return state.answer
        }
    }

    private func process(_ event: PositionEvent) {
        switch event {
        case .line(let line, _):
            var decoder = GPSDDecoder()
            let report = line.withUnsafeBytes { decoder.decode($0) }
            state.withLock { state in
                state.hasAnswered = true
                if case .version(let version) = report { state.answer.release = version.release }
            }
            // gpsd sends WATCH after its receiver list, so WATCH ends the query even if the list was sent before the
            // subscription or cannot be decoded.
            if case .watch = report { done.request(.complete) }
        case .receivers(let receivers):
            state.withLock { state in
                state.hasAnswered = true
                state.answer.receivers = receivers
            }
            done.request(.complete)
        case .lost(let error):
            state.withLock { $0.answer.failure = error }
            done.request(.complete)
        case .report, .sky, .attitude, .regained:
            // A report, sky, attitude or `regained` event also ends the query, because brokers deliver neither gpsd's
            // lines nor receiver lists.
            state.withLock { $0.hasAnswered = true }
            done.request(.complete)
        }
    }
}

/// Briefly reads all motion sensors. Used by `doctor`.
enum SensorTrial {
    private final class Tally: Sendable {
        let state = Mutex<(readings: Int, failure: DeviceError?, magnitudes: Double)>((0, nil, 0))

        func process(_ event: MotionEvent) {
            state.withLock { state in
                switch event {
                case .samples(let batch):
                    state.readings += batch.count
                    for value in batch.values { state.magnitudes += (value * value).sum().squareRoot() }
                case .lost(let error): state.failure = error
                case .regained: state.failure = nil
                }
            }
        }
    }

    /// Reads the sensors simultaneously for the given number of seconds or until a stop is requested.
    static func run(_ device: Device, seconds: Double, stop: StopRequest) async -> [MachineState.Trial] {
        let source = device.motionSource
        let tallies = source.sensors.map { sensor -> (SensorDescription, Tally, Subscription) in
            let tally = Tally()
            let request = MotionRequest(kind: sensor.kind, sensor: sensor.id, interval: 1 / MachineState.Trial.rate)
            return (sensor, tally, source.subscribe(request) { tally.process($0) })
        }
        guard !tallies.isEmpty else { return [] }
        let done = StopRequest()
        Termination.schedule(done, after: seconds)
        stop.onRequest { done.request(.signal) }
        _ = await done.wait()
        return tallies.map { sensor, tally, subscription in
            let (readings, failure, magnitudes) = tally.state.withLock { $0 }
            // Reads the description and rate while the subscription keeps the sensor running. The description may have
            // changed, for example because the device found that it must poll the sensor.
            let known = source.sensors.first { $0.id == sensor.id } ?? sensor
            let rate = source.measuredRate(of: sensor.id)
            subscription.cancel()
            return MachineState.Trial(
                sensor: known, readings: readings, seconds: seconds, measuredRate: rate, failure: failure,
                meanMagnitude: readings > 0 ? magnitudes / Double(readings) : nil)
        }
    }
}
