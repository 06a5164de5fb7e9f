// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreLocation
import CoreMotion
import DeviceCore
import LiveDevice
import SensorTools
import Synchronization

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print live position, motion or accessory data from this machine.",
        usage: "sensorctl watch <stream> [<options>]",
        discussion: """
            The command runs until it is interrupted. If gpsd or a sensor becomes unavailable, it reports this once \
            and waits until data arrives again. For units and axes, run `sensorctl help streams`.

            Examples:
              sensorctl watch location --json
              sensorctl watch attitude --frame magnetic
              sensorctl watch accelerometer --interval 0.02 --count 100
            """)

    @Argument(help: "The stream to watch.") var stream: StreamName
    @Option(help: "The device path of the receiver to use, as reported by gpsd, such as /dev/ttyACM0.") var receiver:
        String?
    @Option(
        help: "The interval between motion readings, in seconds. Use 0 to print every reading.",
        transform: Seconds.parse) var interval = 0.1
    @Option(help: "Stop after this many updates.") var count: Int?
    @Flag(help: "Print every report from the receiver instead of one report per epoch.") var everyReport = false
    @OptionGroup var reference: ReferenceOptions
    @OptionGroup var regions: RegionOptions
    @Option(help: "Stop after this time, such as 90s or 2m.", transform: Seconds.parse) var duration: Double?
    @Option(help: UnitSystem.help) var units = UnitSystem.metric
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
        try Self.validate(duration: duration)
        try Self.validate(interval: interval)
        try regions.validate(for: stream)
    }

    func run() async throws { try await Termination.run { await watch($0) } }

    @MainActor private func watch(_ stop: StopRequest) async -> ExitStatus {
        let device = LiveDevice.shared
        let plan = ListenerOptions(
            stream: stream, asJSON: output.json, isLive: Descriptor.standardOutput.showsPictures,
            limit: count, interval: interval, everyReport: everyReport, receiver: receiver, frame: reference.frame,
            edge: reference.orientation, regions: regions.region, beacons: regions.beacons.map(\.constraint),
            units: units)
        let listener = plan.listener(on: device, output: StandardOutput(stop: stop), stop: stop)
        logMissingSensor(device)
        let positionNotes = logLostPositions(device)
        defer { positionNotes?.cancel() }
        Termination.schedule(stop, after: duration)
        await waitForSensor(stop: stop)
        if stop.reason == nil { await listener.start() }
        let reason = await stop.wait()
        await listener.end()
        return reason.status(
            isComplete: listener.outlet.isComplete,
            shortfall: "Only \(listener.outlet.count) of \(count ?? 0) \(stream.noun) arrived in \(duration ?? 0) s.")
    }

    /// Logs the missing sensors. The command waits for them, because they may appear later.
    private func logMissingSensor(_ device: Device) {
        var kinds = stream.sensors
        if stream == .deviceMotion, reference.frame.needsMagnetometer { kinds.append(.magnetometer) }
        guard !kinds.isEmpty else { return }
        let present = Set(device.motionSource.sensors.map(\.kind))
        let missing = kinds.filter { !present.contains($0) }.map(\.name)
        guard !missing.isEmpty else { return }
        Log.warning(
            "There is no \(missing.joined(separator: " and no ")) yet; waiting for one. `sensorctl doctor` shows what is missing."
        )
    }

    /// Logs when positions become unavailable, because `regions`, `monitor` and `visits` print nothing without them.
    private func logLostPositions(_ device: Device) -> Subscription? {
        guard [.regions, .monitor, .visits].contains(stream),
            ![.denied, .restricted].contains(LocationAuthorization.current.status)
        else { return nil }
        let hadFix = Mutex<Bool?>(nil)
        return device.positionSource.subscribe(PositionRequest(receiver: receiver)) { event in
            switch event {
            case .lost(let error): Log.warning("No positions are available, which \(stream.noun) require. \(error)")
            case .regained: Log.notice("Positions are available again.")
            case .report(let report):
                let former = hadFix.withLock { exchange(&$0, with: report.hasFix) }
                if !report.hasFix, former != false { Log.notice("The receiver has no fix.") }
            case .sky, .attitude, .receivers, .line: break
            }
        }
    }

    /// Waits until the required sensors are available, because Core Motion rejects the subscription without them.
    @MainActor private func waitForSensor(stop: StopRequest) async {
        guard !isAvailable else { return }
        // The device searches for sensors only while updates are requested. The calls below start the search.
        let manager = CMMotionManager()
        manager.startDeviceMotionUpdates()
        manager.startAccelerometerUpdates()
        while stop.reason == nil, !isAvailable { try? await Task.sleep(for: .milliseconds(250)) }
        manager.stopDeviceMotionUpdates()
        manager.stopAccelerometerUpdates()
    }

    private var isAvailable: Bool {
        switch stream {
        case .deviceMotion: CMMotionManager.availableAttitudeReferenceFrames().contains(reference.frame.frame)
        case .steps, .activity: CMMotionActivityManager.isActivityAvailable()
        default: true
        }
    }
}
