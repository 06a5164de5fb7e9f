// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import SensorFusion
import Dispatch
import Synchronization

/// Computes the attitude of a device for all subscribers, with one filter and one calibrator.
///
/// The engine runs while it has subscribers. It delivers states in order, on threads of the motion source or the clock,
/// or on a background queue. No lock is held during a callback, so a callback may subscribe and cancel. If too many
/// events are queued, the oldest states are dropped and counted in `droppedStateCount`.
///
/// With a gyroscope, the gyroscope and the accelerometer run at 100 Hz or at a higher requested rate. An interval of 0
/// requests the maximum rate. Each subscriber receives states at the interval it requested. Without a gyroscope, the
/// accelerometer runs at the requested rate, but no slower than 20 Hz. If subscribers need only the upward direction,
/// only the accelerometer runs, at 10 Hz or more.
package final class MotionEngine: Sendable {
    private struct State: Sendable {
        var queue = FusionEventQueue()
        let pipeline = FusionPipeline()
        // The arrays are indexed by `SampleAligner.Sensor.rawValue`.
        /// The generation of the current subscription to each sensor. Events from other generations are ignored.
        var generations: [UInt32] = [0, 0, 0]
        var statuses: [SourceStatus] = [.unknown, .unknown, .unknown]
        var subscriptions: [(request: MotionRequest, subscription: Subscription)?] = [nil, nil, nil]
        var isAdjusting = false
        var needsAdjustment = false
        var hasSeenGyroscope = false
        var calibrations = KnownCalibrations()
        /// The states of the last batch. The memory is reused once no subscriber references it.
        var states: [FusedState] = []
        var timer: ClockTimer?

        /// The maximum time that a state waits for other sensors' samples if no further samples arrive, in seconds.
        var holdTime: Double { 0.1 + Double(pipeline.aligner.latency) / 1e9 }
    }

    private let source: any MotionSource
    private let positions: any PositionSource
    private let clock: any DeviceClock
    private let calibrations: any CalibrationStore
    /// The queue that delivers the states left over from a drain. It also stores calibrations, so that sensor threads
    /// do not block.
    private let background = DispatchQueue(label: "device-services.calibration", qos: .utility)
    private let state = Mutex(State())
    /// Serializes `store()`, so that older calibrations do not overwrite newer ones. Acquired before `state`.
    private let storeLock = Mutex(())

    package static func of(_ device: Device) -> MotionEngine {
        device.component(MotionEngine.self) { MotionEngine(device: $0) }
    }

    init(device: Device) {
        source = device.motionSource
        positions = device.positionSource
        clock = device.clock
        calibrations = device.calibrations
    }

    // MARK: Subscribers

    /// Delivers states to the closure, in order, until the subscription ends.
    ///
    /// If a required sensor is already lost, the closure receives the loss immediately. If a gyroscope may be needed,
    /// the first call searches for sensors, which may take a few seconds.
    package func subscribe(
        _ request: FusionRequest, receive: @escaping @Sendable (FusionEvent) -> Void
    ) -> Subscription {
        let subscriber = FusionSubscriber(request, receive: receive)
        state.withLock { state in
            state.queue.add(subscriber)
            for sensor in SampleAligner.Sensor.allCases where subscriber.needsSensor(sensor) {
                guard let error = state.statuses[sensor.rawValue].error else { continue }
                state.queue.enqueue(.lost(sensor.kind, error), for: subscriber)
            }
        }
        updateSubscriptions()
        drain(stopsBeforeStates: true)
        // `self` is captured strongly, because a weak reference to an object slows down all strong references to it.
        // Cancelling the last subscription releases the engine.
        return Subscription {
            subscriber.cancel()
            self.remove(subscriber)
        }
    }

    private func remove(_ subscriber: FusionSubscriber) {
        let isLast = state.withLock { state in
            state.queue.remove(subscriber)
            return state.queue.hasNoSubscribers
        }
        updateSubscriptions()
        // Store the calibrations immediately, because the process may be about to exit.
        if isLast { store() }
    }

    /// Returns true if the device has the required sensors. An attitude requires a gyroscope, and a heading requires a
    /// magnetometer.
    package func isAvailable(_ need: FusionRequest.Need) -> Bool {
        let kinds = Set(source.sensors.lazy.map(\.kind))
        switch need {
        case .gravity: return kinds.contains(.accelerometer)
        case .attitude: return kinds.isSuperset(of: [.accelerometer, .gyroscope])
        case .heading: return kinds.isSuperset(of: [.accelerometer, .magnetometer])
        }
    }

    /// The gyroscope bias in radians per second and its standard deviation, or nil if the gyroscope is not delivering
    /// samples.
    package var gyroscopeBias: (bias: SIMD3<Double>, sigma: Double)? {
        state.withLock { state in
            guard state.pipeline.aligner.isPresent(.gyroscope) else { return nil }
            return (state.pipeline.filter.bias, state.pipeline.filter.biasSigma)
        }
    }

    /// The device orientations covered by the magnetometer samples, or nil if there is no gyroscope.
    package var poseCoverage: PoseCoverage? { state.withLock { $0.pipeline.calibrator.poseCoverage } }

    /// The number of states that were dropped because too many events were queued, summed over all subscribers.
    package var droppedStateCount: Int { state.withLock { $0.queue.droppedStateCount } }

    // MARK: Calibrations

    private func store() {
        guard calibrations.isWritable else { return }
        storeLock.withLock { _ in
            let wallTime = clock.wallTime
            // Errors are ignored here, because the store itself reports write errors. The engine tries again when it
            // has a better calibration.
            for task in state.withLock({ $0.calibrations.calibrationsToStore($0.pipeline, at: wallTime) }) {
                try? calibrations.store(task.calibration, for: task.identity)
            }
        }
    }

    /// Loads the stored calibration of a sensor. Called before the sensor's first samples are used.
    private func loadCalibration(_ sensor: SampleAligner.Sensor, _ id: SensorDescription.ID) {
        let former = state.withLock { $0.calibrations[sensor]?.id }
        guard former != id else { return }
        var description = source.description(of: id) ?? SensorDescription(id: id, kind: sensor.kind)
        description.kind = sensor.kind
        let identity = SensorIdentity(description)
        // Only one thread at a time delivers a sensor's readings, so the next ones must wait until the calibration is
        // loaded.
        let stored = calibrations.load(identity).flatMap { stored in
            stored.problem(for: sensor.kind) == nil ? stored.convertedToDeviceAxes(by: description.mountMatrix) : nil
        }
        let wallTime = clock.wallTime
        state.withLock { state in
            state.calibrations[sensor] = KnownCalibrations.KnownSensor(
                id: id, identity: identity, mountMatrix: description.mountMatrix, stored: stored)
            switch sensor {
            case .gyroscope:
                if let stored {
                    let sigma = CalibrationRules.sigma(of: stored, at: wallTime)
                    state.pipeline.setInitialBias(stored.offset, sigma: sigma)
                } else if former != nil {
                    // The bias of the previous gyroscope must not be stored for the new one.
                    state.pipeline.setInitialBias(.zero, sigma: CalibrationRules.unknownSigma)
                }
            case .accelerometer:
                state.pipeline.accelerometerCorrection = stored.flatMap { $0.isIdentity ? nil : $0 }
            case .magnetometer: state.pipeline.setInitialCalibration(stored.map { MagneticCalibration($0) })
            }
        }
    }

    // MARK: Sensors

    /// Only one thread at a time updates the subscriptions. No lock is held during `subscribe`, because the source may
    /// report a lost sensor within that call.
    private func updateSubscriptions() {
        let isAdjusting = state.withLock { state in
            state.needsAdjustment = true
            return exchange(&state.isAdjusting, with: true)
        }
        guard !isAdjusting else { return }
        while let requests = nextRequests() {
            let needsGyroscope = requests.contains { $0.need >= .attitude }
            let hasGyroscope =
                needsGyroscope
                && (state.withLock(\.hasSeenGyroscope) || source.sensors.contains { $0.kind == .gyroscope })
            let plan = SensorRequests(requests, hasGyroscope: hasGyroscope)
            state.withLock { state in
                state.pipeline.setLatency(seconds: plan.latency)
                if requests.isEmpty {
                    state.timer = nil
                    state.pipeline.reset()
                }
            }
            for sensor in SampleAligner.Sensor.allCases {
                updateSubscription(sensor, plan.request(sensor), isPresent: sensor != .gyroscope || hasGyroscope)
            }
        }
    }

    private func nextRequests() -> [FusionRequest]? {
        state.withLock { state in
            state.isAdjusting = exchange(&state.needsAdjustment, with: false)
            return state.isAdjusting ? state.queue.requests : nil
        }
    }

    private func updateSubscription(_ sensor: SampleAligner.Sensor, _ request: MotionRequest?, isPresent: Bool) {
        let index = sensor.rawValue
        let (former, generation) = state.withLock { state -> (Subscription?, UInt32?) in
            guard state.subscriptions[index]?.request != request else { return (nil, nil) }
            let former = state.subscriptions[index].take()?.subscription
            let generation = state.generations[index] &+ 1
            // Continue to accept events from the previous subscription until the new one exists.
            if former == nil || request == nil { state.generations[index] = generation }
            state.pipeline.expect(sensor, request != nil && isPresent)
            if request == nil { state.statuses[index] = .unknown }
            return (former, generation)
        }
        guard let generation else { return }
        if let request {
            // Create the new subscription before cancelling the previous one, so that the sensor keeps running.
            let subscription = source.subscribe(request) { event in
                self.receive(event, sensor, generation)
            } onInputIdle: {
                self.flush(sensor, generation)
            }
            state.withLock { state in
                state.generations[index] = generation
                state.subscriptions[index] = (request, subscription)
            }
        }
        former?.cancel()
    }

    // MARK: Events, on the threads of the source and the clock

    private func receive(_ event: MotionEvent, _ sensor: SampleAligner.Sensor, _ generation: UInt32) {
        let now = clock.now
        // Usually, the sensor has not changed, so the state is locked only once.
        var outcome = state.withLock { process(event, sensor, generation, now, &$0) }
        if outcome.needsCalibration {
            if case .samples(let batch) = event { loadCalibration(sensor, batch.sensor) }
            outcome = state.withLock { process(event, sensor, generation, now, &$0, isPrepared: true) }
        }
        if outcome.needsAdjustment { updateSubscriptions() }
        if outcome.shouldStore { background.async { self.store() } }
        if let batch = outcome.directBatch {
            let event = FusionEvent.states(batch.states)
            for subscriber in batch.subscribers { subscriber.deliver(event) }
            continueDrain(state.withLock { $0.queue.continueDrain(upToStates: false) }, stopsBeforeStates: false)
        } else if case .lost = event {
            // A loss may be reported while `subscribe` is still running. In that case, deliver only the events before
            // the first states.
            drain(stopsBeforeStates: state.withLock(\.isAdjusting))
        } else if outcome.hasQueuedEvents || outcome.needsAdjustment {
            drain()
        }
    }

    private struct Outcome {
        var needsCalibration = false
        var needsAdjustment = false
        var shouldStore = false
        var hasQueuedEvents = true
        var directBatch: FusionEventQueue.DirectBatch?
    }

    private func process(
        _ event: MotionEvent, _ sensor: SampleAligner.Sensor, _ generation: UInt32, _ now: BootTime,
        _ state: inout State,
        isPrepared: Bool = false
    ) -> Outcome {
        var outcome = Outcome()
        let index = sensor.rawValue
        if case .samples(let batch) = event, !isPrepared, !state.calibrations.isReading(sensor, batch.sensor) {
            outcome.needsCalibration = true
            return outcome
        }
        // Accept losses and recoveries from a new subscription even before it has replaced the previous one.
        let isStatusOfNewSubscription =
            if case .samples = event { false } else { generation == state.generations[index] &+ 1 }
        guard isStatusOfNewSubscription || generation == state.generations[index] else { return outcome }
        switch event {
        case .samples(let batch):
            if state.statuses[index].change(to: .available) {
                state.queue.enqueue(.regained(sensor.kind), about: sensor)
            }
            if state.pipeline.earth.isDue(at: now) {
                state.pipeline.updateEarthField(for: positions.lastFix, now: now, wallTime: clock.wallTime)
            }
            if !state.states.isEmpty { state.states.removeAll(keepingCapacity: true) }
            state.pipeline.process(batch, into: &state.states)
            outcome.directBatch = state.queue.beginDirectDelivery(of: state.states, interval: state.pipeline.interval)
            setTimer(&state)
        case .lost(let error):
            guard state.statuses[index].change(to: .unavailable(error)) else { return outcome }
            enqueueStates(&state) { $0.recordLoss(of: sensor, into: &$1) }
            state.queue.enqueue(.lost(sensor.kind, error), about: sensor)
        case .regained:
            guard state.statuses[index].change(to: .available) else { return outcome }
            state.pipeline.recordRecovery(of: sensor)
            state.queue.enqueue(.regained(sensor.kind), about: sensor)
        }
        outcome.needsAdjustment = sensor == .gyroscope && !state.hasSeenGyroscope
        if outcome.needsAdjustment { state.hasSeenGyroscope = true }
        outcome.shouldStore = state.calibrations.isDue(at: now)
        outcome.hasQueuedEvents = !state.queue.isEmpty
        return outcome
    }

    /// Stops waiting for other sensors. Called when the source expects no further readings for now.
    private func flush(_ sensor: SampleAligner.Sensor, _ generation: UInt32) {
        state.withLock { state in
            guard state.generations[sensor.rawValue] == generation else { return }
            enqueueStates(&state) { $0.flush(into: &$1) }
        }
        drain()
    }

    private func timerFired() {
        let now = clock.now
        state.withLock { state in
            state.timer = nil
            guard !state.queue.hasNoSubscribers else { return }
            let limit = now.advanced(bySeconds: -state.holdTime)
            enqueueStates(&state) { $0.advance(to: now, heldSince: limit, into: &$1) }
        }
        drain()
    }

    private func enqueueStates(_ state: inout State, _ make: (FusionPipeline, inout [FusedState]) -> Void) {
        var states: [FusedState] = []
        make(state.pipeline, &states)
        state.queue.enqueue(states, interval: state.pipeline.interval)
        setTimer(&state)
    }

    private func setTimer(_ state: inout State) {
        guard state.timer == nil, state.pipeline.waitingSince != nil else { return }
        state.timer = clock.timer(at: clock.now.advanced(bySeconds: state.holdTime)) { self.timerFired() }
    }

    // MARK: Delivery

    /// Delivers the queued events, unless another thread is already delivering them. `stopsBeforeStates` must be true
    /// if a subscriber may still be inside its call to `subscribe`. In that case, only the events before the first
    /// queued states are delivered.
    private func drain(stopsBeforeStates: Bool = false) {
        continueDrain(
            state.withLock { $0.queue.beginDrain(upToStates: stopsBeforeStates) }, stopsBeforeStates: stopsBeforeStates)
        // Another thread may have queued states in the meantime and relied on this thread to deliver them.
        guard stopsBeforeStates, state.withLock({ $0.queue.needsDrain }) else { return }
        background.async { self.drain() }
    }

    private func continueDrain(_ begun: [FusionEventQueue.Item]?, stopsBeforeStates: Bool) {
        var items = begun
        // Delivered events and cancelled subscribers are released outside the lock.
        while let current = items {
            for item in current { item.subscriber.deliver(item.event) }
            items = state.withLock { $0.queue.continueDrain(upToStates: stopsBeforeStates) }
        }
    }
}

extension SampleAligner.Sensor {
    var kind: SensorKind {
        switch self {
        case .gyroscope: .gyroscope
        case .accelerometer: .accelerometer
        case .magnetometer: .magnetometer
        }
    }
}
