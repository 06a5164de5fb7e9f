// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOSource
import Synchronization
import UdevMonitor

/// Detects when local IIO devices are added or removed, using a udev monitor that starts when sensors are first
/// requested.
final class HotplugMotionSource: MotionSource {
    private let source: IIOSource
    private let monitor: UdevMonitor
    private let isStarted = Atomic<Bool>(false)

    init(_ source: IIOSource, clock: any DeviceClock) {
        self.source = source
        var options = UdevMonitorOptions()
        // Motion sensors work without udev rules, so a missing udevd is not a problem.
        options.expectsRules = false
        monitor = UdevMonitor([UdevSelection(subsystem: "iio")], clock: clock, options: options)
    }

    deinit {
        monitor.stop()
        // Subscriptions to the source may outlive this object. From now on, no device changes are reported to the
        // source.
        source.setReportsDeviceChanges(false)
    }

    private func start() {
        guard !isStarted.exchange(true, ordering: .relaxed) else { return }
        monitor.start { [weak self, source] event in
            switch event {
            case .snapshot: break
            // The source relies on the monitor for device changes only while the monitor reports no problems.
            case .problems(let problems): self?.source.setReportsDeviceChanges(problems.isEmpty)
            case .added, .removed: source.devicesChanged()
            }
        }
    }

    var sensors: [SensorDescription] {
        start()
        return source.sensors
    }

    func description(of sensor: SensorDescription.ID) -> SensorDescription? { source.description(of: sensor) }

    var contextDescriptions: [String] {
        start()
        return source.contextDescriptions
    }

    var problems: [DeviceError] { source.problems }

    func subscribe(
        _ request: MotionRequest, receive: @escaping @Sendable (MotionEvent) -> Void,
        onInputIdle: @escaping @Sendable () -> Void
    ) -> Subscription {
        start()
        return source.subscribe(request, receive: receive, onInputIdle: onInputIdle)
    }

    func measuredRate(of sensor: SensorDescription.ID) -> Double? { source.measuredRate(of: sensor) }
}
