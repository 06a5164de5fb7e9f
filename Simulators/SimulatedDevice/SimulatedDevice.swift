// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Synchronization
@_exported public import Trace

/// A device that exists in a trace: its readings go through the very same managers, on a clock that only playback moves.
///
/// ```swift
/// let device = SimulatedDevice(try TraceFile(path: "drive.log.chk"))
/// device.use {
///     let manager = CLLocationManager()
///     manager.delegate = tracker
///     manager.startUpdatingLocation()
///     device.play()
///     #expect(tracker.locations.count == 42)
/// }
/// ```
///
/// Motion sensors, accessories, beacons and the battery of the trace are the device's `motionSource`, `accessorySource`,
/// `beaconSource` and `statusSource`. Consecutive readings of one sensor with the same time are handed over as one batch.
///
/// Nothing sleeps: `play()` returns when the whole trace has been played and every callback has run. Two devices are
/// independent, so tests can run in parallel. A simulated device reads no environment, no configuration file and no
/// stored calibration; the same trace gives the same callbacks on every machine.
///
/// **Callbacks** run in one global order. Those of a manager that was made on the main thread run in place when
/// playback runs there too, else in a synchronous hop to it, so the main thread must not be blocked. All others run in
/// place, on the thread that plays. The program's own timers stay in real time.
public final class SimulatedDevice: Sendable {
    /// Where callbacks run.
    public enum CallbackDelivery: Sendable {
        /// The player runs them, in one global order.
        case inOrder
        /// They take the same way as on live hardware, to the main queue, run loops and private queues. Use the async
        /// forms of `play` and `advance`, which wait for them.
        case asLive
    }

    /// The device for managers; `use` and `install` bind it.
    public let device: Device
    let clock: VirtualClock
    let hub: PositionHub
    let motion: MotionFeed
    let status: StatusHub
    let accessories = SimulatedAccessorySource()
    let callbacks: CallbackQueue
    let player: Player
    let isPaused = Atomic<Bool>(false)

    /// A device that plays the trace.
    /// - Parameters:
    ///   - trace: What it plays.
    ///   - configuration: What it is configured to do; nothing else is read. Mount matrices in it replace those of the
    ///     trace.
    ///   - calibrations: Calibrations by the ids of the sensors, in place of those in the trace's header.
    ///   - stamps: What becomes of the times in the trace.
    ///   - options: What is played of it, and how.
    ///   - delivery: Where callbacks run.
    public init(
        _ trace: TraceFile,
        configuration: Configuration = Configuration(),
        calibrations: [SensorDescription.ID: SensorCalibration] = [:],
        stamps: TraceStamps = .kept,
        options: PlaybackOptions = PlaybackOptions(),
        delivery: CallbackDelivery = .inOrder
    ) {
        let recorded = trace.start ?? TraceFeed.firstTime(of: trace) ?? .epoch
        let wallTime: WallTime
        switch stamps {
        case .kept: wallTime = recorded
        case .rebased(let start): wallTime = start
        }
        let start = trace.header?.start?.boot ?? .zero
        let from = TraceFeed.place(options.from)
        let clock = VirtualClock(
            now: BootTime(nanoseconds: start.nanoseconds.addingSaturated(from)),
            wallTime: WallTime(nanoseconds: wallTime.nanoseconds.addingSaturated(from)))
        let hub = PositionHub(demandChanged: {})
        let recordedSensors = trace.findSensors()
        let sensors = recordedSensors.map { recorded in
            var sensor = recorded
            sensor.id = options.streams.names[recorded.id] ?? recorded.id
            sensor.mount(by: configuration.sensors.value)
            return sensor
        }
        var fixed: [SensorIdentity: SensorCalibration] = [:]
        var heard: Set<SensorDescription.ID> = []
        let isPlayed = zip(recordedSensors, sensors).map { recorded, sensor in
            // Of two with one name, which somebody has given them, the first.
            guard options.streams.contains(recorded), heard.insert(sensor.id).inserted else { return false }
            fixed[SensorIdentity(sensor)] = calibrations[sensor.id] ?? trace.header?.calibrations[recorded.id]
            return true
        }
        let motion = MotionFeed(sensors: sensors, isPlayed: isPlayed, contexts: trace.header?.contexts ?? [])
        let status = StatusHub(battery: options.streams.battery ? trace.header?.battery : nil)
        let beacons = BeaconHub()
        let callbacks = CallbackQueue(deliversAsLive: delivery == .asLive)
        self.clock = clock
        self.hub = hub
        self.motion = motion
        self.status = status
        self.callbacks = callbacks
        let shift = wallTime.nanoseconds.subtractingSaturated(recorded.nanoseconds)
        player = Player(
            feed: TraceFeed(file: trace, start: start, shift: shift, options: options, sensors: recordedSensors),
            clock: clock,
            origin: wallTime, hub: hub, motion: motion, status: status, beacons: beacons, accessories: accessories,
            end: options.end)
        device = Device(
            name: trace.name, clock: clock, configuration: configuration, positionSource: hub,
            motionSource: motion.hub, accessorySource: accessories, beaconSource: beacons, statusSource: status,
            calibrations: FixedCalibrations(fixed), playback: callbacks)
    }

    /// A device without a trace: what ``attach(_:)`` attaches is all that it has, and `advance(by:)` lets time pass.
    public convenience init(
        name: String = "simulated", configuration: Configuration = Configuration(),
        delivery: CallbackDelivery = .inOrder
    ) {
        self.init(TraceFile(emptyNamed: name), configuration: configuration, delivery: delivery)
    }

    deinit { callbacks.close() }

    /// Runs the closure with this device in place of the live one: managers made in it belong to this device.
    public func use<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Device.$current.withValue(device, operation: body)
    }

    /// Runs the closure with this device in place of the live one, in the task and the tasks that it makes.
    nonisolated(nonsending) public func use<Result>(
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        try await Device.$current.withValue(device, operation: body)
    }

    /// Puts this device in the place of the live one for the whole process, for programs that make managers on threads
    /// of their own. Tests that do so cannot run in parallel.
    public func install() { Device.install(device) }

    /// Takes it back.
    public func uninstall() { if Device.installed === device { Device.install(nil) } }

    /// What could not be read of the trace so far; empty while it plays.
    public var warnings: [TraceWarning] {
        guard player.claim() else { return [] }
        defer { player.release() }
        return player.warnings
    }

    /// The device's civil time.
    public var wallTime: WallTime { clock.wallTime }

    /// Returns once that many consumers of async sequences wait for their first element. A task that was just made has
    /// not asked yet, and a trace played at once would be over before it does.
    public func waitForConsumers(_ count: Int) async { await callbacks.consumers.waitForConsumers(count) }
}

extension SimulatedDevice {
    /// Attaches an accessory that is played by code; returns its number.
    ///
    /// Its peers run in timers of the device's clock, so they answer while the device plays or time advances:
    /// `advance(by:)`, or at the end of a trace `play()` for what needs no time. Any thread may call it; managers hear
    /// of it the next time the device plays or advances, even by 0.
    @discardableResult
    public func attach(_ accessory: SimulatedAccessory) -> AccessoryDescription.ID {
        let source = accessories
        let attachment = CodedAttachment(accessory, clock: clock) { [weak source] attachment in
            source?.detach(attachment)
        }
        return source.attach(accessory.description, attachment)
    }

    /// Unplugs an accessory, be it of the trace or one that was attached; nothing when it is gone. What it had sent can
    /// still be read.
    public func detach(_ id: AccessoryDescription.ID) { accessories.detach(id) }

    /// How programs differed from the recorded one in sessions with accessories of the trace, in the order of
    /// detection. At the end of the trace that includes what is missing; while the device plays, only what was noticed
    /// so far. At most some hundred.
    public var accessoryDifferences: [AccessoryDifference] {
        guard player.claim() else { return player.accessoryDifferences }
        defer { player.release() }
        return player.accessoryDifferences + (player.nextEvent() == nil ? player.outstandingDifferences : [])
    }
}
