// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A device whose sensors deliver the values that the test feeds. Handlers run during `feed(_:_:at:)`.
final class TestSensors: PlaybackExecutorProvider, @unchecked Sendable {
    let usesLiveExecutors = false
    let consumerGate = ConsumerGate()
    private let hub: MotionHub
    private var waiting: [@Sendable () -> Void] = []
    private(set) lazy var device = Device(
        name: "test", clock: VirtualClock(), configuration: Configuration(), positionSource: NoPositions(),
        motionSource: hub, playback: self)

    init(_ kinds: [SensorKind]) {
        hub = MotionHub(sensors: kinds.map { SensorDescription(id: $0.rawValue, kind: $0) }, demandChanged: {})
    }

    func executor(onMainThread: Bool) -> any CallbackExecutor { Lane(sensors: self) }

    func counting(_ delivery: any CallbackExecutor) -> any CallbackExecutor { delivery }

    func feed(_ kind: SensorKind, _ value: SIMD3<Double>, at seconds: Double) {
        let time = BootTime.zero.advanced(bySeconds: seconds)
        hub.post(MotionBatch(sensor: kind.rawValue, kind: kind, values: [value], times: [time]))
        while !waiting.isEmpty { waiting.removeFirst()() }
    }

    private final class Lane: CallbackExecutor, @unchecked Sendable {
        private let sensors: TestSensors

        init(sensors: TestSensors) {
            self.sensors = sensors
        }

        func schedule(_ work: @escaping @Sendable () -> Void) {
            sensors.waiting.append(work)
        }
    }
}

private struct NoPositions: PositionSource {
    var lastFix: PositionFix? { nil }
    var receivers: [ReceiverDescription] { [] }

    func subscribe(
        _ request: PositionRequest, receive: @escaping @Sendable (PositionEvent) -> Void,
        onBatchComplete: @escaping @Sendable () -> Void
    ) -> Subscription {
        Subscription {}
    }
}
