// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Synchronization

/// Records a device's events: all lines from gpsd with their arrival times, the readings of all motion sensors in their
/// own axes, losses and recoveries of sources, battery changes, accessories and, on request, beacons.
///
/// ```swift
/// let recorder = TraceRecorder(device: device, writer: try TraceWriter(path: "drive.trace"))
/// try recorder.start()
/// // The events to be recorded happen here.
/// try recorder.stop()
/// ```
///
/// The header describes each motion sensor that is present at the start. Other subscribers do not affect the interval
/// between recorded readings. If no sensor of a kind is present at the start, the first one that appears later is also
/// recorded, although the header does not describe it.
///
/// The recorder records which accessories are attached and detached. Session data is recorded only if the session was
/// opened through a device returned by ``DeviceCore/Device/recordingAccessories()``. Bytes are recorded when the
/// program reads them, except for bytes read after the accessory was detached.
///
/// A recorder is thread-safe and records one trace. If the trace cannot be written, recording stops and ``failure``
/// contains the reason. The failure closure is called once, on the source's thread or the clock's thread.
public final class TraceRecorder: Sendable {
    private enum Phase {
        case new, running, ended
    }

    private struct State {
        var phase = Phase.new
        var start = BootTime.zero
        var subscriptions: [Subscription] = []
        var failure: DeviceError?
        var lineCount = 0
        var sampleCount = 0
        var battery: BatteryReading?
        var accessoryEvents = 0
        var sightings = 0
        /// The accessories attached so far, according to the recorded events.
        var accessories: [AccessoryDescription.ID: AccessoryDescription] = [:]
    }

    private let device: Device
    private let writer: TraceWriter
    private let program: String
    private let source: String
    private let parts: TraceParts
    private let motionInterval: Duration
    private let onFailure: (@Sendable (DeviceError) -> Void)?
    private let state = Mutex(State())

    /// Creates a recorder. Call ``start()`` to begin recording.
    ///
    /// - Parameters:
    ///   - device: The device to record.
    ///   - writer: The trace writer, whose header must not have been written yet. The recorder closes the writer when
    ///     recording stops.
    ///   - recorder: The name of the recording program, for the header.
    ///   - source: The position source, for the header. If nil, the source in the device's configuration is used.
    ///   - parts: The parts of the device to record.
    ///   - motionInterval: The interval between readings of a motion sensor. Zero records all readings at the sensor's
    ///     maximum rate.
    ///   - onFailure: A closure that is called once if the trace cannot be written.
    public init(
        device: Device, writer: TraceWriter, recorder: String = "device-services", source: String? = nil,
        parts: TraceParts = .default, motionInterval: Duration = .milliseconds(10),
        onFailure: (@Sendable (DeviceError) -> Void)? = nil
    ) {
        self.device = device
        self.writer = writer
        program = recorder
        self.source = source ?? device.configuration.positionSource.value.description
        (self.parts, self.motionInterval, self.onFailure) = (parts, motionInterval, onFailure)
    }

    /// The failure that stopped recording, or nil if no failure has occurred.
    public var failure: DeviceError? { state.withLock { $0.failure } }

    package var recordedLines: Int { state.withLock { $0.lineCount } }

    /// The number of received motion readings, including the few that a trace cannot represent.
    package var recordedSamples: Int { state.withLock { $0.sampleCount } }

    package var recordedAccessoryEvents: Int { state.withLock { $0.accessoryEvents } }
    package var recordedSightings: Int { state.withLock { $0.sightings } }

    /// Writes the header and starts recording. Detecting the motion sensors may take a few seconds if a server must be
    /// queried. Throws an error if recording cannot start.
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
            throw DeviceError(.busy, "This recorder was already started. Create another recorder for another trace.")
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
        writer.onFailure { [weak self] error in self?.handleFailure(error) }
        // The lock must not be held while subscribing. A source that is already lost calls the closure immediately, and
        // the closure acquires the lock.
        if parts.contains(.position) {
            retain(device.positionSource.subscribe(.init(includesLines: true)) { [weak self] in self?.record($0) })
        }
        if parts.contains(.motion) { subscribe(to: sensors) }
        if parts.contains(.battery) {
            retain(device.statusSource.subscribe { [weak self] in self?.record($0) })
            // The subscription's closure may record a new battery state before the loop records the state that it has
            // read, so the loop repeats until the recorded state is current.
            var battery: BatteryReading?
            repeat {
                battery = device.statusSource.battery
                record(battery)
            } while battery != device.statusSource.battery
        }
        if parts.contains(.beacons) { retain(device.beaconSource.subscribe { [weak self] in self?.record($0) }) }
        if parts.contains(.accessories) {
            retain(device.accessorySource.subscribe { [weak self] in self?.record($0) })
            if let source = device.accessorySource as? RecordingAccessorySource {
                retain(source.listen { [weak self] id, change, time in self?.record(change, of: id, at: time) })
            }
        }
    }

    private func subscribe(to sensors: [SensorDescription]) {
        for sensor in sensors { subscribe(sensor.kind, sensor.id) }
        for kind in SensorKind.allCases where !sensors.contains(where: { $0.kind == kind }) { subscribe(kind, nil) }
    }

    private func subscribe(_ kind: SensorKind, _ sensor: SensorDescription.ID?) {
        let request = MotionRequest(kind: kind, sensor: sensor, interval: motionInterval.inSeconds, axes: .sensor)
        // If no sensor of this kind was present at the start, the sensor's ID is unknown, so loss events contain the
        // kind's name instead.
        let name = sensor ?? kind.rawValue
        retain(device.motionSource.subscribe(request) { [weak self] event in self?.record(event, sensor: name) })
    }

    /// Keeps the subscription until recording ends. Cancels it if recording has already ended.
    private func retain(_ subscription: Subscription) {
        let isRunning = state.withLock { state in
            guard state.phase == .running else { return false }
            state.subscriptions.append(subscription)
            return true
        }
        if !isRunning { subscription.cancel() }
    }

    /// Stops recording and closes the trace. Throws an error if the trace is incomplete, unless the failure was already
    /// reported to the failure closure.
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
                try writer.write(.gpsd(line), at: Self.time(arrival, since: start))
                state.withLock { $0.lineCount += 1 }
            case .lost(let error): try writer.write(.lost(error), at: now)
            case .regained: try writer.write(.regained, at: now)
            case .report, .sky, .attitude, .receivers: break
            }
        }
    }

    private func record(_ event: MotionEvent, sensor: SensorDescription.ID) {
        whileRunning { start, now throws(DeviceError) in
            switch event {
            case .samples(let batch):
                try writer.write(batch, since: start)
                state.withLock { $0.sampleCount += batch.count }
            case .lost(let error): try writer.write(.sensorLost(error, sensor: sensor), at: now)
            case .regained: try writer.write(.sensorRegained(sensor: sensor), at: now)
            }
        }
    }

    /// Calls the closure if recording is in progress. Ignores errors, because the writer also reports failures to
    /// ``handleFailure(_:)``, and because errors no longer matter after recording has ended.
    private func whileRunning(_ write: (_ start: BootTime, _ now: Int64) throws(DeviceError) -> Void) {
        let (isRunning, start) = state.withLock { ($0.phase == .running, $0.start) }
        guard isRunning else { return }
        do throws(DeviceError) { try write(start, Self.time(device.clock.now, since: start)) } catch {}
    }

    private func record(_ event: BeaconEvent) {
        whileRunning { start, now throws(DeviceError) in
            guard case .sighting(let sighting) = event else { return try writer.write(.beacon(event), at: now) }
            try writer.write(.beacon(event), at: Self.time(sighting.time, since: start))
            state.withLock { $0.sightings += 1 }
        }
    }

    private func record(_ battery: BatteryReading?) {
        let isNew = state.withLock { state in
            guard state.phase == .running, state.battery != battery else { return false }
            state.battery = battery
            return true
        }
        if isNew { whileRunning { _, now throws(DeviceError) in try writer.write(.battery(battery), at: now) } }
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
            // A session may be opened before this recorder is notified that the accessory was attached. If so, the
            // attachment is recorded first.
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
            let event = TraceAccessoryEvent(accessory: String(id), change)
            try writer.write(.accessory(event), at: Self.time(time, since: start))
        }
    }

    private func handleFailure(_ error: DeviceError) {
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

    /// Returns the time since the start of the trace, in nanoseconds, or 0 if the time is before the start.
    private static func time(_ arrival: BootTime, since start: BootTime) -> Int64 {
        let (time, overflow) = arrival.nanoseconds.subtractingReportingOverflow(start.nanoseconds)
        return overflow ? .max : max(time, 0)
    }
}
