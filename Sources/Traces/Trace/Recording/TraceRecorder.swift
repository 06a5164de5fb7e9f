// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Synchronization

/// Records what a device's sources say into a trace: every line of gpsd with its arrival, the readings of all motion
/// sensors in their own axes, losses and returns, the battery, accessories, and beacons when they are asked for.
///
/// ```swift
/// let recorder = TraceRecorder(device: device, writer: try TraceWriter(path: "drive.trace"))
/// try recorder.start()
/// // what is to be recorded happens
/// try recorder.stop()
/// ```
///
/// Each motion sensor that is there at the start is named in the header and asked for the interval given to the recorder;
/// others who want its readings more often do not change what is recorded. Where there is no sensor of a kind, the
/// recorder waits for one, which is then recorded under its id, without a description. A second sensor of a kind that
/// comes later is not recorded.
///
/// Accessories are recorded as they come and go. What is said in sessions with them is recorded where the device is one
/// that ``DeviceCore/Device/recordingAccessories()`` has made, for the sessions that are opened through it. Bytes are
/// recorded when the program reads them; those that it reads of an accessory that is gone already are not.
///
/// It records once: for another trace, make another recorder. Any thread may call it. When the trace cannot be written
/// any more, for example because the disk is full, recording stops by itself, `failure` says why, and the closure given
/// for that is called once, on the source's or the clock's thread.
public final class TraceRecorder: Sendable {
    private enum Phase {
        case new, running, ended
    }

    private struct State {
        var phase = Phase.new
        var start = BootTime.zero
        var subscriptions: [Subscription] = []
        var failure: DeviceError?
        var lines = 0
        var samples = 0
        var battery: BatteryReading?
        var accessoryEvents = 0
        var sightings = 0
        /// The accessories that the trace tells of now.
        var accessories: [AccessoryDescription.ID: AccessoryDescription] = [:]
    }

    private let device: Device
    private let writer: TraceWriter
    private let program: String
    private let source: String
    private let parts: TraceParts
    private let motionInterval: Double
    private let onFailure: (@Sendable (DeviceError) -> Void)?
    private let state = Mutex(State())

    /// A recorder that has not started.
    ///
    /// - Parameters:
    ///   - device: what to record.
    ///   - writer: where to; it must not have a header yet, and it is closed at the end.
    ///   - recorder: the program that records, for the header.
    ///   - source: where positions come from, for the header; nil for what the device is configured to.
    ///   - parts: what to record of the device.
    ///   - motionInterval: the seconds from one reading of a motion sensor to the next; 0 for every reading at the
    ///     sensor's greatest rate.
    ///   - onFailure: called once when the trace cannot be written any more.
    public init(
        device: Device, writer: TraceWriter, recorder: String = "device-services", source: String? = nil,
        parts: TraceParts = .usual, motionInterval: Double = 0.01,
        onFailure: (@Sendable (DeviceError) -> Void)? = nil
    ) {
        self.device = device
        self.writer = writer
        program = recorder
        self.source = source ?? device.configuration.positionSource.value.description
        self.parts = parts
        self.motionInterval = motionInterval
        self.onFailure = onFailure
    }

    /// Why recording has stopped by itself; nil when it has not.
    public var failure: DeviceError? { state.withLock { $0.failure } }

    /// The lines of gpsd that were recorded so far.
    public var recordedLines: Int { state.withLock { $0.lines } }

    /// The readings of motion sensors that came in so far to be recorded.
    public var recordedSamples: Int { state.withLock { $0.samples } }

    /// What was recorded of accessories so far: each coming and going, each beginning and end of a session, each reading
    /// and writing of bytes.
    public var recordedAccessoryEvents: Int { state.withLock { $0.accessoryEvents } }

    /// The advertisements of beacons that were recorded so far.
    public var recordedSightings: Int { state.withLock { $0.sightings } }

    /// Writes the header and begins to record. The error says why nothing can be recorded. The motion sensors are looked
    /// for first, which may take a few seconds when a server has to be asked.
    public func start() throws(DeviceError) {
        let clock = device.clock
        let sensors = parts.contains(.motion) ? device.motionSource.sensors : []
        let start = TraceHeader.Start(wallTime: clock.wallTime, boot: clock.now)
        let isNew = state.withLock { state in
            guard state.phase == .new else { return false }
            state.phase = .running
            state.start = start.boot
            return true
        }
        guard isNew else {
            throw DeviceError(.busy, "This recorder has been started before. Make another one for another trace.")
        }
        var header = TraceHeader(start: start)
        header.clock = device.isSimulated ? "virtual" : "CLOCK_BOOTTIME"
        header.recorder = program
        if parts.contains(.position) {
            header.devices = device.positionSource.receivers.map { TraceDevice($0) }
            header.source = source
        }
        if parts.contains(.motion) {
            for sensor in sensors {
                header.add(sensor)
                header.calibrations[sensor.id] = device.calibrations.load(SensorIdentity(sensor))
            }
            header.contexts = device.motionSource.contextDescriptions
        }
        if parts.contains(.battery) {
            let battery = device.statusSource.battery
            header.battery = battery
            state.withLock { $0.battery = battery }
        }
        do throws(DeviceError) {
            try writer.write(header)
        } catch {
            state.withLock { ($0.phase, $0.failure) = (.ended, error) }
            throw error
        }
        writer.whenFailing { [weak self] error in self?.fail(error) }
        // No lock is held: a source that is lost says so inside the call.
        if parts.contains(.position) {
            keep(device.positionSource.subscribe(PositionRequest(lines: true)) { [weak self] in self?.record($0) })
        }
        if parts.contains(.motion) { subscribe(to: sensors) }
        if parts.contains(.battery) {
            keep(device.statusSource.subscribe { [weak self] in self?.record($0) })
            // What changed between the header and the subscription. Again when it has changed meanwhile: the subscription
            // may have been told of that before the older state was recorded here.
            var battery: BatteryReading?
            repeat {
                battery = device.statusSource.battery
                record(battery)
            } while battery != device.statusSource.battery
        }
        if parts.contains(.beacons) { keep(device.beaconSource.subscribe { [weak self] in self?.record($0) }) }
        if parts.contains(.accessories) {
            keep(device.accessorySource.subscribe { [weak self] in self?.record($0) })
            if let tap = device.accessorySource as? AccessoryTap {
                keep(tap.listen { [weak self] id, change, time in self?.record(change, of: id, at: time) })
            }
        }
    }

    private func subscribe(to sensors: [SensorDescription]) {
        for sensor in sensors { subscribe(sensor.kind, sensor.id) }
        for kind in SensorKind.allCases where !sensors.contains(where: { $0.kind == kind }) { subscribe(kind, nil) }
    }

    private func subscribe(_ kind: SensorKind, _ sensor: SensorDescription.ID?) {
        let request = MotionRequest(kind: kind, sensor: sensor, interval: motionInterval, axes: .sensor)
        // Where it is not known yet which sensor it will be, the kind's name stands for that one.
        let name = sensor ?? kind.rawValue
        keep(device.motionSource.subscribe(request) { [weak self] event in self?.record(event, sensor: name) })
    }

    /// Keeps the subscription until the end, which may have come already.
    private func keep(_ subscription: Subscription) {
        let isRunning = state.withLock { state in
            guard state.phase == .running else { return false }
            state.subscriptions.append(subscription)
            return true
        }
        if !isRunning { subscription.cancel() }
    }

    /// Ends recording and closes the trace. The error says that the trace is not complete; a failure that the closure
    /// was told of is not told again.
    public func stop() throws(DeviceError) {
        let (subscriptions, failure) = state.withLock { state in
            state.phase = .ended
            defer { state.subscriptions = [] }
            return (state.subscriptions, state.failure)
        }
        for subscription in subscriptions { subscription.cancel() }
        do throws(DeviceError) {
            try writer.close()
        } catch {
            guard failure == nil else {
                if onFailure == nil { throw error }
                return
            }
            state.withLock { $0.failure = error }
            throw error
        }
    }

    private func record(_ event: PositionEvent) {
        whileRunning { start, now throws(DeviceError) in
            switch event {
            case .line(let line, let arrival):
                try writer.write(gpsdLine: line, at: Self.time(arrival, since: start))
                state.withLock { $0.lines += 1 }
            case .lost(let error): try writer.writeLost(error, at: now)
            case .regained: try writer.writeRegained(at: now)
            case .report, .sky, .attitude, .receivers: break
            }
        }
    }

    private func record(_ event: MotionEvent, sensor: SensorDescription.ID) {
        whileRunning { start, now throws(DeviceError) in
            switch event {
            case .samples(let batch):
                try writer.write(batch, since: start)
                state.withLock { $0.samples += batch.count }
            case .lost(let error): try writer.writeLost(error, sensor: sensor, at: now)
            case .regained: try writer.writeRegained(sensor: sensor, at: now)
            }
        }
    }

    /// Writes with the start of the trace and the time that it is now, unless recording is over. The writer tells of a
    /// failure by itself, and what comes after the end is not wanted.
    private func whileRunning(_ write: (_ start: BootTime, _ now: Int64) throws(DeviceError) -> Void) {
        let (isRunning, start) = state.withLock { ($0.phase == .running, $0.start) }
        guard isRunning else { return }
        do throws(DeviceError) { try write(start, Self.time(device.clock.now, since: start)) } catch {}
    }

    private func record(_ event: BeaconEvent) {
        whileRunning { start, now throws(DeviceError) in
            guard case .sighting(let sighting) = event else { return try writer.write(event, at: now) }
            try writer.write(event, at: Self.time(sighting.time, since: start))
            state.withLock { $0.sightings += 1 }
        }
    }

    private func record(_ battery: BatteryReading?) {
        let isNew = state.withLock { state in
            guard state.phase == .running, state.battery != battery else { return false }
            state.battery = battery
            return true
        }
        if isNew { whileRunning { _, now throws(DeviceError) in try writer.write(battery: battery, at: now) } }
    }

    private func record(_ event: AccessoryEvent) {
        let now = device.clock.now
        switch event {
        case .snapshot(let descriptions):
            for description in descriptions { record(.attached(description), of: description.id, at: now) }
        case .attached(let description), .changed(let description):
            record(.attached(description), of: description.id, at: now)
        case .detached(let description): record(.detached, of: description.id, at: now)
        }
    }

    private func record(_ change: TraceAccessoryEvent.Change, of id: AccessoryDescription.ID, at time: BootTime) {
        let known = state.withLock { $0.accessories[id] }
        switch change {
        case .attached(let description) where known == description: return
        case .detached where known == nil: return
        case .attached, .detached: break
        case .opened, .closed, .received, .sent:
            // A session may be opened by somebody who was told of the accessory before this recorder was.
            if known == nil {
                guard let description = device.accessorySource.accessories.first(where: { $0.id == id }) else { return }
                record(.attached(description), of: id, at: time)
            }
        }
        let isRunning = state.withLock { state in
            guard state.phase == .running else { return false }
            switch change {
            case .attached(let description): state.accessories[id] = description
            case .detached: state.accessories[id] = nil
            case .opened, .closed, .received, .sent: break
            }
            state.accessoryEvents += 1
            return true
        }
        guard isRunning else { return }
        whileRunning { start, _ throws(DeviceError) in
            try writer.write(TraceAccessoryEvent(accessory: String(id), change), at: Self.time(time, since: start))
        }
    }

    private func fail(_ error: DeviceError) {
        let subscriptions = state.withLock { state -> [Subscription]? in
            guard state.failure == nil else { return nil }
            (state.failure, state.phase) = (error, .ended)
            defer { state.subscriptions = [] }
            return state.subscriptions
        }
        guard let subscriptions else { return }
        for subscription in subscriptions { subscription.cancel() }
        onFailure?(error)
    }

    /// A line that arrived before the start was waiting to be handed over.
    private static func time(_ arrival: BootTime, since start: BootTime) -> Int64 {
        let (time, overflow) = arrival.nanoseconds.subtractingReportingOverflow(start.nanoseconds)
        return overflow ? .max : max(time, 0)
    }
}
