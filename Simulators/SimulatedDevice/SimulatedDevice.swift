// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Synchronization
@_exported public import Trace

/// A device that plays a trace to ordinary managers. Its clock advances only during playback.
///
/// ```swift
/// let device = SimulatedDevice(try TraceFile(path: "drive.log.chk"))
/// try device.use {
///     let manager = CLLocationManager()
///     manager.delegate = tracker
///     manager.startUpdatingLocation()
///     try device.play()
///     #expect(tracker.locations.count == 42)
/// }
/// ```
///
/// The motion sensors, accessories, beacons and battery of the trace are available as the device's `motionSource`,
/// `accessorySource`, `beaconSource` and `statusSource`. Consecutive samples of one sensor with the same time are
/// delivered as one batch.
///
/// Playback does not sleep: `play()` returns when the whole trace has been played and every callback has run. Devices
/// are independent of one another, so tests can run in parallel. A simulated device does not use the environment,
/// configuration files or stored calibrations, so a trace produces the same callbacks on every machine.
///
/// **Callbacks** run in one global order. Callbacks of managers that were created on the main thread run on the main
/// thread. If playback runs on a different thread, it calls the main thread synchronously, so the main thread must not
/// be blocked. All other callbacks run directly on the thread that plays the trace. The program's own timers run in
/// real time.
public final class SimulatedDevice: Sendable {
    /// The executors that run callbacks.
    public enum CallbackDelivery: Sendable {
        /// The player runs callbacks in one global order.
        case inOrder
        /// Callbacks run on the main queue, run loops and private queues, as on live hardware. Use the async forms of
        /// `play` and `advance`, which wait for the callbacks.
        case asLive
    }

    /// The device for managers. Bind it with `use` or `install`.
    public let device: Device
    let clock: VirtualClock
    let hub: PositionHub
    let motion: MotionFeed
    let status: StatusHub
    let accessories = SimulatedAccessorySource()
    let callbacks: CallbackQueue
    let player: Player
    /// Messages about the import of a recording that is not a native trace, such as omitted or derived content. Empty
    /// if the device was created from a `TraceFile`.
    public let remarks: [String]
    private let start: BootTime
    /// The reason why a fault in the options does not apply to the trace, or nil. If it is not nil, the player is never
    /// released.
    private let faultError: DeviceError?
    let isPaused = Atomic<Bool>(false)

    /// Creates a device that plays a trace.
    ///
    /// - Parameters:
    ///   - trace: The trace.
    ///   - configuration: The device configuration. Its mount matrices replace those in the trace.
    ///   - calibrations: Calibrations, keyed by sensor ID. They replace those in the trace's header.
    ///   - stamps: The mapping from recorded times to the device's clock.
    ///   - options: The playback options.
    ///   - delivery: The executors that run callbacks.
    public convenience init(
        _ trace: TraceFile, configuration: Configuration = Configuration(),
        calibrations: [SensorDescription.ID: SensorCalibration] = [:], stamps: TimestampPolicy = .recorded,
        options: PlaybackOptions = PlaybackOptions(), delivery: CallbackDelivery = .inOrder
    ) {
        var (played, faultError) = (trace, DeviceError?.none)
        do { played = try options.injectFaults(into: trace) } catch { faultError = error }
        self.init(
            played, remarks: [], configuration: configuration, calibrations: calibrations, stamps: stamps,
            options: options, delivery: delivery, faultError: faultError)
    }

    /// Creates a device that plays a trace with faults already injected. If `faultError` is not nil, it never plays.
    init(
        _ trace: TraceFile, remarks: [String], configuration: Configuration,
        calibrations: [SensorDescription.ID: SensorCalibration], stamps: TimestampPolicy, options: PlaybackOptions,
        delivery: CallbackDelivery, faultError: DeviceError? = nil
    ) {
        self.remarks = remarks
        self.faultError = faultError
        let recorded = trace.start ?? TraceFeed.firstTime(of: trace) ?? .epoch
        let wallTime: WallTime
        switch stamps {
        case .recorded: wallTime = recorded
        case .rebased(let start): wallTime = start
        }
        let start = trace.header?.start?.boot ?? .zero
        let from = TraceFeed.traceTime(options.from.inSeconds)
        let clock = VirtualClock(
            now: BootTime(nanoseconds: start.nanoseconds.addingSaturated(from)),
            wallTime: WallTime(nanoseconds: wallTime.nanoseconds.addingSaturated(from)))
        let hub = PositionHub(demandChanged: {})
        let recordedSensors = trace.findSensors()
        let sensors = recordedSensors.map { recorded in
            var sensor = recorded
            sensor.id = options.streams.names[recorded.id] ?? recorded.id
            sensor.applyMountMatrix(from: configuration.sensors.value)
            return sensor
        }
        var fixed: [SensorIdentity: SensorCalibration] = [:]
        var playedNames: Set<SensorDescription.ID> = []
        let isPlayed = zip(recordedSensors, sensors).map { recorded, sensor in
            // If several sensors end up with the same name, only the first is played.
            guard options.streams.contains(recorded), playedNames.insert(sensor.id).inserted else { return false }
            fixed[SensorIdentity(sensor)] = calibrations[sensor.id] ?? trace.header?.calibrations[recorded.id]
            return true
        }
        let motion = MotionFeed(sensors: sensors, isPlayed: isPlayed, contexts: trace.header?.contexts ?? [])
        let status = StatusHub(battery: options.streams.battery ? trace.header?.battery : nil)
        let beacons = BeaconHub()
        let callbacks = CallbackQueue(deliversAsLive: delivery == .asLive)
        (self.clock, self.hub, self.motion, self.status, self.callbacks) = (clock, hub, motion, status, callbacks)
        self.start = start
        let shift = wallTime.nanoseconds.subtractingSaturated(recorded.nanoseconds)
        player = Player(
            feed: TraceFeed(
                file: trace, start: start, shift: shift, options: options, sensors: recordedSensors,
                sensorIDs: sensors.indices.map { motion.id($0) }),
            clock: clock, origin: wallTime, hub: hub, motion: motion, status: status, beacons: beacons,
            accessories: accessories, end: options.end)
        device = Device(
            name: trace.name, clock: clock, configuration: configuration, positionSource: hub,
            motionSource: motion.hub, accessorySource: accessories, beaconSource: beacons, statusSource: status,
            calibrations: InMemoryCalibrationStore(fixed), playback: callbacks)
        callbacks.owner = self
        if faultError != nil { _ = player.acquire() }
    }

    /// The error to throw if the player cannot be claimed.
    var unavailabilityError: DeviceError {
        faultError
            ?? DeviceError(
                .busy,
                "The device is already playing. Wait until that playback has ended; do not play it in a callback.")
    }

    /// Creates a device without a trace. It has only the accessories attached with ``attach(_:)``. Its clock is
    /// advanced by `advance(by:)`.
    public convenience init(
        name: String = "simulated", configuration: Configuration = Configuration(),
        delivery: CallbackDelivery = .inOrder
    ) {
        self.init(TraceFile(emptyNamed: name), configuration: configuration, delivery: delivery)
    }

    deinit { callbacks.close() }

    /// Runs the closure with this device as the current device. Managers created in the closure use this device.
    public func use<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Device.$current.withValue(device, operation: body)
    }

    /// Runs the closure with this device as the current device, in the current task and its child tasks.
    nonisolated(nonsending) public func use<Result>(
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        try await Device.$current.withValue(device, operation: body)
    }

    /// The simulated device that the current task or, if there is none, the process uses. A test with a device trait of
    /// `DeviceTesting` gets its device here.
    ///
    /// Throws a `DeviceError` with the code `notFound` if there is no such device, or if it has been released.
    public static var current: SimulatedDevice {
        get throws(DeviceError) {
            let playback = (Device.current ?? Device.installed)?.playback
            if let owner = (playback as? CallbackQueue)?.owner { return owner }
            throw DeviceError(
                .notFound,
                "No simulated device is in use. Add the trait .device(…) of DeviceTesting to the test, or run this code in the closure of use { … }."
            )
        }
    }

    /// Makes this device the default device of the whole process, for programs that create managers on other threads.
    /// Tests that call this function cannot run in parallel.
    public func install() { Device.install(device) }

    /// Reverts ``install()``. Does nothing if another device is installed.
    public func uninstall() { if Device.installed === device { Device.install(nil) } }

    /// The warnings issued so far about unreadable parts of the trace. Empty while the device is playing.
    public var warnings: [TraceWarning] {
        guard player.acquire() else { return [] }
        defer { player.release() }
        return player.warnings
    }

    /// The device's wall-clock time.
    public var wallTime: WallTime { clock.wallTime }

    /// The time that has passed on the device's clock since the start of the trace. Includes a part skipped by
    /// ``PlaybackOptions/from`` and the waits of `advance(by:)`. A seek does not change it.
    public var elapsed: Duration { .nanoseconds(clock.now.nanoseconds.subtractingSaturated(start.nanoseconds)) }

    /// Waits until the given number of consumers of async sequences have requested their first element. Call this
    /// function before you play a trace without delays. Otherwise, the trace could end before a new task requests its
    /// first element.
    public func waitForConsumers(_ count: Int) async { await callbacks.consumerGate.waitForConsumers(count) }
}

extension SimulatedDevice {
    /// Attaches an accessory that is simulated by code. Returns the accessory's ID.
    ///
    /// The accessory's peers run on the device clock's timers. They respond while the device is playing and during
    /// `advance(by:)`. At the end of a trace, `play()` runs only responses that are due immediately. Can be called from
    /// any thread. Managers are notified the next time the device plays or advances, even by 0 s.
    @discardableResult
    public func attach(_ accessory: SimulatedAccessory) -> AccessoryDescription.ID {
        let source = accessories
        let attachment = PeerAttachment(accessory, clock: clock) { [weak source] attachment in
            source?.detach(attachment)
        }
        return source.attach(accessory.description, attachment)
    }

    /// Detaches an accessory, whether it belongs to the trace or was attached by code. Does nothing if the accessory is
    /// not attached. Bytes that the accessory has already sent can still be read.
    public func detach(_ id: AccessoryDescription.ID) { accessories.detach(id) }

    /// The differences between the recorded accessory sessions and those of the current program, in order of detection.
    /// At the end of the trace, missing bytes and sessions are included. While the device is playing, only the
    /// differences detected so far are included. At most 100 differences are stored.
    public var accessoryDifferences: [AccessoryDifference] {
        guard player.acquire() else { return player.accessoryDifferences }
        defer { player.release() }
        return player.accessoryDifferences + (player.nextEvent() == nil ? player.outstandingDifferences : [])
    }
}
