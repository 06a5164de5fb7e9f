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
        commandName: "watch",
        abstract: "Prints where this machine is, how it moves, and what is attached to it.",
        usage: "sensorctl watch <stream> [<options>]",
        discussion: """
            Goes on until it is ended, also while gpsd or a sensor is away: it says so once and waits. Acceleration is \
            in g as Core Motion has it (face up reads z = -1), rotation in rad/s, the magnetic field in microtesla.

            With --json each line is one callback: didUpdateLocations, didFailWithError and didChangeAuthorization of a \
            location manager's delegate; or deviceMotion, heading, accelerometer, gyro, magnetometer, pressure, orientation \
            with a "timestamp" in seconds since boot; or pedometerData, what was walked since the start (metres, seconds a \
            metre, steps a second), and motionActivity; or error; or, of accessories, connectedAccessories \
            (once, at the start), EAAccessoryDidConnect and EAAccessoryDidDisconnect with a "time"; or didRangeBeacons, once a \
            second, and didFailRangingFor of a location manager's delegate. In a terminal a sensor's axes are drawn as lines that move, \
            the attitude as a horizon and the heading as a compass. "quaternion" is x, y, z, w and turns the device's axes \
            into the frame's, gravity and userAcceleration are in g, magneticField in microtesla; magneticAccuracy is -1 \
            (uncalibrated) to 2, a heading below 0 is none.

            Exits with 69 when --duration ends before --count updates have come, and with 77 when the configuration \
            does not allow the use of the position. See sensorctl --help for the other exit codes.

            Examples:
              sensorctl watch location --json
              sensorctl watch attitude --frame magnetic
              sensorctl watch accelerometer --interval 0.02 --count 100
            """)

    @Argument(help: "What to watch: \(StreamName.list).")
    var stream: StreamName

    @Flag(help: "Print every report of the receiver, not one an epoch.")
    var everyReport = false

    @Option(help: "Listen to this receiver only, as gpsd names it (for example /dev/ttyACM0).")
    var receiver: String?

    @Option(help: "Seconds between readings of motion; 0 for as many as there are.")
    var interval = 0.1

    @OptionGroup var reference: ReferenceOptions

    @OptionGroup var regions: RegionOptions
    @OptionGroup var beacons: BeaconOptions

    @Option(help: "End after that many updates.")
    var count: Int?

    @Option(help: "End after that many seconds.")
    var duration: Double?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count takes a number from 1.") }
        try Self.validate(duration: duration)
        try Self.validate(interval: interval)
        try regions.validate(for: stream)
        try beacons.validate(for: stream)
    }

    func run() async throws { try await Termination.during { await watch($0) } }

    @MainActor private func watch(_ stop: Stop) async -> ExitStatus {
        let device = LiveDevice.shared
        let plan = ListenerPlan(
            stream: stream, asJSON: output.json, isLive: Descriptor.standardOutput.showsPictures,
            limit: count, interval: interval, everyReport: everyReport, receiver: receiver, frame: reference.frame,
            edge: reference.orientation, regions: regions.region, beacons: beacons.constraints)
        let listener = plan.listener(on: device, output: StandardOutput(stop: stop), stop: stop)
        noteMissingSensor(device)
        let positionNotes = notesOfLostPositions(device)
        defer { positionNotes?.cancel() }
        Termination.schedule(stop, after: duration)
        await waitForSensor(stop: stop)
        if stop.reason == nil { await listener.start() }
        let reason = await stop.wait()
        await listener.end()
        return reason.status(
            isComplete: listener.outlet.isComplete,
            shortfall: "Only \(listener.outlet.count) of \(count ?? 0) \(stream.noun) have come in \(duration ?? 0) s.")
    }

    /// Somebody who watches what is not there should know: it may come later, and is waited for.
    private func noteMissingSensor(_ device: Device) {
        var kinds = stream.sensors
        if stream == .deviceMotion, reference.frame.needsMagnetometer { kinds.append(.magnetometer) }
        guard !kinds.isEmpty else { return }
        let present = Set(device.motionSource.sensors.map(\.kind))
        let missing = kinds.filter { !present.contains($0) }.map(\.name)
        guard !missing.isEmpty else { return }
        Notes.warn(
            "There is no \(missing.joined(separator: " and no ")) yet; waiting for one. `sensorctl doctor` says what is missing."
        )
    }

    /// Regions and visits are silent without positions, and a person should know why.
    private func notesOfLostPositions(_ device: Device) -> Subscription? {
        guard [.regions, .monitor, .visits].contains(stream),
            ![.denied, .restricted].contains(LocationAuthorization.current.status)
        else { return nil }
        let hadFix = Mutex<Bool?>(nil)
        return device.positionSource.subscribe(PositionRequest(receiver: receiver)) { event in
            switch event {
            case .lost(let error): Notes.warn("There are no positions, which \(stream.noun) need. \(error)")
            case .regained: Notes.say("Positions are back.")
            case .report(let report):
                let former = hadFix.withLock { exchange(&$0, with: report.hasFix) }
                if !report.hasFix, former != false { Notes.say("The receiver does not know where it is.") }
            case .sky, .attitude, .receivers, .line: break
            }
        }
    }

    /// Core Motion refuses what the device has no sensor for, so it is asked when that has come.
    @MainActor private func waitForSensor(stop: Stop) async {
        guard !isAvailable else { return }
        // Somebody has to listen, or nobody looks for sensors.
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
