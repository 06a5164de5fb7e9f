// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// A device whose sensors deliver the test's readings and whose clock is advanced by the test.
final class TestDevice: Sendable {
    /// The start of the clock: 100 seconds after boot, 2026-01-01T00:00:00Z.
    static let start = BootTime(nanoseconds: 100_000_000_000)
    static let wallStart = WallTime(nanoseconds: 1_767_225_600_000_000_000)

    let clock = VirtualClock(now: TestDevice.start, wallTime: TestDevice.wallStart)
    let hub: MotionHub
    let positions = TestPositions()
    let playback: TestPlayback?
    let device: Device

    /// - Parameter isLive: True to run callbacks on the requested queues, false to run them in `feed`.
    init(_ kinds: [SensorKind] = SensorKind.allCases, isLive: Bool = false, rates: SensorRates = .unknown) {
        let sensors = kinds.map { kind in
            var sensor = SensorDescription(id: kind.rawValue, kind: kind)
            sensor.rates = rates
            return sensor
        }
        hub = MotionHub(sensors: sensors, demandChanged: {})
        let playback = isLive ? nil : TestPlayback()
        self.playback = playback
        device = Device(
            name: "test", clock: clock, configuration: Configuration(), positionSource: positions, motionSource: hub,
            playback: playback)
    }

    func use<Result>(_ body: () throws -> Result) rethrows -> Result { try device.withCurrent(body) }

    /// Advances the clock to an offset from the start, in seconds, and feeds a reading.
    func feed(_ kind: SensorKind, _ value: SIMD3<Double>, at seconds: Double) {
        let time = Self.start.advanced(bySeconds: seconds)
        clock.move(to: time)
        hub.post(MotionBatch(sensor: kind.rawValue, kind: kind, values: [value], times: [time], arrival: time))
        playback?.run()
    }

    /// Feeds evenly spaced readings, one by one. Their x components count up from 0.
    func feed(_ kind: SensorKind, count: Int, rate: Double, from seconds: Double = 0) {
        for index in 0..<count { feed(kind, [Double(index), 0, 0], at: seconds + Double(index) / rate) }
    }

    /// Feeds evenly spaced readings as one batch. Their x components count up from 0.
    func feedAtOnce(_ kind: SensorKind, count: Int, rate: Double) {
        var batch = MotionBatch(sensor: kind.rawValue, kind: kind)
        for index in 0..<count {
            batch.values.append([Double(index), 0, 0])
            batch.times.append(Self.start.advanced(bySeconds: Double(index) / rate))
        }
        hub.post(batch)
        playback?.run()
    }

    func lose(_ kind: SensorKind, _ error: DeviceError = DeviceError(.connectionLost, "gone")) {
        hub.setStatus(.unavailable(error), of: kind.rawValue)
        playback?.run()
    }

    func regain(_ kind: SensorKind) {
        hub.setStatus(.available, of: kind.rawValue)
        playback?.run()
    }
}

/// A position source that provides only a last fix.
final class TestPositions: PositionSource {
    private let fix = Mutex<PositionFix?>(nil)

    var lastFix: PositionFix? { fix.withLock { $0 } }
    var receivers: [ReceiverDescription] { [] }

    func set(_ report: PositionReport) { fix.withLock { $0 = PositionFix(report: report, sky: nil) } }

    func subscribe(
        _ request: PositionRequest, receive: @escaping @Sendable (PositionEvent) -> Void,
        onBatchComplete: @escaping @Sendable () -> Void
    ) -> Subscription {
        Subscription {}
    }
}
