// SPDX-License-Identifier: Apache-2.0

import Dashboard
import DeviceCore
import JSONBytes
import Plotting
import SensorTools
import Synchronization

/// Runs the `watch` and `replay` listeners for the dashboard and publishes their callbacks, all on the main thread.
@MainActor final class DashboardListeners {
    /// The interval between live readings, in seconds. Short enough for the charts and the attitude display.
    private static let liveInterval = 0.01

    let printer: DashboardPrinter
    let regions: DashboardRegions
    private let device: Device
    private let positionSource: PositionSourcePublisher
    private let clock: SessionClock
    private let reference: (frame: FrameName, edge: EdgeName)
    private var running: [any StreamListener] = []
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
        positionSource = PositionSourcePublisher(feed: feed, clock: clock)
        waiting = [.accelerometer, .gyro, .magnetometer, .pressure, .deviceMotion, .heading, .steps, .activity]
    }

    func start(_ regions: [NamedRegion]) async {
        positionSource.start(on: device)
        self.regions.start(regions)
        await start(listener(for: .location))
        await start(listener(for: .accessories))
        await startWaiting()
    }

    func end() async {
        positionSource.end()
        regions.end()
        for listener in running { await listener.end() }
    }

    /// Restarts the `steps` and `activity` streams. Called after a seek, because steps are counted from the start of
    /// the stream.
    func restartActivity() async {
        for listener in activityListeners {
            await listener.end()
            await listener.start()
        }
    }

    /// Starts the listeners whose sensors are now available. Core Motion rejects subscriptions to missing sensors.
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

    /// Creates a listener. Each has its own outlet, so that a listener without permission does not stop the others.
    private func listener(for stream: StreamName) -> any StreamListener {
        ListenerOptions(
            stream: stream, asJSON: true, interval: device.isSimulated ? 0 : Self.liveInterval,
            frame: reference.frame, edge: reference.edge
        ).listener(on: device, outlet: ReadingOutlet(printer, stop: StopRequest()))
    }
}

/// Publishes the satellites and the availability of the position source, which Core Location reports only with a fix or
/// not at all.
final class PositionSourcePublisher: Sendable {
    private let feed: DashboardFeed
    private let clock: SessionClock
    private let subscription = Mutex<Subscription?>(nil)
    private let isLost = Mutex(false)

    init(feed: DashboardFeed, clock: SessionClock) { (self.feed, self.clock) = (feed, clock) }

    func start(on device: Device) {
        let name = device.configuration.positionSource.value.broker == nil ? "gpsd" : "The broker"
        let new = device.positionSource.subscribe(PositionRequest()) { [weak self] event in
            switch event {
            case .sky(let sky):
                self?.publish(nil, of: name)
                self?.publish(sky)
            case .lost(let error): self?.publish(error, of: name)
            case .report, .regained: self?.publish(nil, of: name)
            case .attitude, .receivers, .line: break
            }
        }
        subscription.withLock { $0 = new }
    }

    func end() { subscription.withLock { $0.take() }?.cancel() }

    /// Publishes the error that makes positions unavailable, or nil if the source is available again.
    private func publish(_ error: DeviceError?, of name: String) {
        let wasLost = isLost.withLock { isLost in
            defer { isLost = error != nil }
            return isLost
        }
        guard wasLost || error != nil else { return }
        feed.publish("positionSource", .state, ["t": clock.now, "name": name, "error": error?.message])
    }

    private func publish(_ sky: SkyReport) {
        // A report that contains only dilutions of precision must not clear the satellite list.
        guard let satellites = sky.satellites else { return }
        let time = clock.seconds(sky.arrival)
        feed.publish(
            DashboardMessage("satellites", .state) { writer in
                writer.member("t", time)
                writer.objects("list", satellites) { satellite in
                    [
                        "system": satellite.system?.name ?? "unknown", "id": satellite.label,
                        "azimuth": satellite.azimuth, "elevation": satellite.elevation, "snr": satellite.signal,
                        "used": satellite.isUsed,
                    ]
                }
                writer.members(["hdop": sky.hdop, "vdop": sky.vdop, "pdop": sky.pdop])
            })
    }
}

extension Satellite {
    /// The satellite's RINEX name (system letter and number), or gpsd's satellite number if the system is unknown.
    fileprivate var label: String {
        guard let system, systemNumber >= 0 else { return "\(number)" }
        return "\(system.letter)\(systemNumber < 10 ? "0" : "")\(systemNumber)"
    }
}
