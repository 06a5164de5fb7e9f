// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import CoreMotion
import Dashboard
import DeviceCore

/// The listeners of `watch` and `replay` for all streams, whose callbacks are published to the pages. Used on the main
/// thread.
@MainActor
final class DashboardListeners {
    /// The interval between readings of live sensors, in seconds. It is sufficient for charts and for the attitude.
    private static let liveInterval = 0.01

    let printer: DashboardPrinter
    let regions: DashboardRegions
    private let device: Device
    private let sky: SatellitePublisher
    private let clock: SessionClock
    private let reference: (frame: FrameName, edge: EdgeName)
    private var running: [any StreamListener] = []
    /// The motion streams that are waiting for their sensors.
    private var waiting: [StreamName]
    private var activityListeners: [any StreamListener] = []

    init(
        _ device: Device, frame: FrameName, edge: EdgeName, feed: DashboardFeed, clock: SessionClock,
        accessories: AccessoryTrafficTracker
    ) {
        (self.device, self.clock) = (device, clock)
        reference = (frame, edge)
        printer = DashboardPrinter(feed: feed, clock: clock, accessories: accessories)
        regions = DashboardRegions(feed: feed, clock: clock)
        sky = SatellitePublisher(feed: feed, clock: clock)
        waiting = [.accelerometer, .gyro, .magnetometer, .pressure, .deviceMotion, .heading, .steps, .activity]
    }

    /// A new outlet. Each listener has its own, so that a listener without permission stops alone.
    private var outlet: ReadingOutlet { ReadingOutlet(printer, stop: StopRequest()) }

    private var interval: Double { device.isSimulated ? 0 : Self.liveInterval }

    func start(_ regions: [NamedRegion]) async {
        sky.start(on: device)
        self.regions.start(regions)
        await start(LocationListener(clock: device.clock, outlet: outlet))
        await start(AccessoryListener(clock: device.clock, outlet: outlet))
        await startWaiting()
    }

    func end() async {
        sky.end()
        regions.end()
        for listener in running { await listener.end() }
    }

    /// Restarts the pedometer and activity listeners.
    func restartActivity() async {
        for listener in activityListeners {
            await listener.end()
            await listener.start()
        }
    }

    /// Starts the streams whose sensors have become available. Core Motion rejects subscriptions without a sensor.
    func startWaiting() async {
        let kinds = Set(device.motionSource.sensors.map(\.kind))
        for stream in waiting where isAvailable(stream, kinds) {
            waiting.removeAll { $0 == stream }
            let listener = listener(for: stream)
            if [.steps, .activity].contains(stream) { activityListeners.append(listener) }
            await start(listener)
        }
    }

    private func start(_ listener: any StreamListener) async {
        running.append(listener)
        await listener.start()
    }

    private func isAvailable(_ stream: StreamName, _ kinds: Set<SensorKind>) -> Bool {
        let needed =
            stream.sensors + (stream == .deviceMotion && reference.frame.needsMagnetometer ? [.magnetometer] : [])
        return needed.allSatisfy(kinds.contains)
    }

    private func listener(for stream: StreamName) -> any StreamListener {
        switch stream {
        case .deviceMotion:
            DeviceMotionListener(
                frame: reference.frame, interval: interval, origin: .zero, tap: nil, showsAngles: false, outlet: outlet)
        case .heading:
            HeadingListener(edge: reference.edge, interval: interval, origin: .zero, device: device, outlet: outlet)
        case .steps: PedometerListener(outlet: outlet)
        case .activity: ActivityListener(outlet: outlet)
        default: MotionListener(stream, interval: interval, outlet: outlet)
        }
    }
}
