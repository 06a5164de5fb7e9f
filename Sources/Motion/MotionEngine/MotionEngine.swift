// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import SensorFusion
import Dispatch
import Synchronization

/// An engine that computes the attitude of a device with one filter and one calibrator, shared by all subscribers.
///
/// The engine runs while it has subscribers. They receive states in order, on the threads of the motion source or of
/// the clock. No lock is held during a callback, so a subscriber may subscribe and cancel in its closure. A slow
/// subscriber delays subsequent events, and finally the oldest states are dropped.
///
/// While a gyroscope is used, the gyroscope and the accelerometer run at 100 Hz, or at the next higher rate that they
/// support, whatever interval the subscribers request; for an interval of 0, they run at the maximum rate. Each
/// subscriber receives states at the interval that it requested, selected by their timestamps. If the device has no
/// gyroscope, or if the subscribers need only the upward direction, the accelerometer runs at the requested interval,
/// but at least at 10 Hz.
package final class MotionEngine: Sendable {
    private struct State: Sendable {
        var outbox = FusionOutbox()
        let pipeline = FusionPipeline()
        /// The generations of the current subscriptions to the sensors. Events of other subscriptions are ignored.
        var numbers: [UInt32] = [0, 0, 0]
        /// The status of each sensor.
        var statuses: [SourceStatus] = [.unknown, .unknown, .unknown]
        var wires: [(request: MotionRequest, subscription: Subscription)?] = [nil, nil, nil]
        /// True while a thread updates the subscriptions to the sensors.
        var isAdjusting = false
        var hasToAdjust = false
        var knowsGyroscope = false
        var keeper = CalibrationKeeper()
        /// The states of the last batch. The memory is reused once no subscriber references it.
        var states: [FusedState] = []
        var timer: ClockTimer?

        /// The time for which a state waits for samples of other sensors if no further samples arrive, in seconds.
        var patience: Double { 0.1 + Double(pipeline.aligner.latency) / 1e9 }
    }

    private let source: any MotionSource
    private let positions: any PositionSource
    private let clock: any DeviceClock
    private let calibrations: any CalibrationStore
    /// The queue on which calibrations are written, so that the sensor threads do not wait for the disk.
    private let background = DispatchQueue(label: "device-services.calibration", qos: .utility)
    private let state = Mutex(State())
    /// Held while calibrations are stored.
    private let storing = Mutex(())

    /// Returns the engine of the device.
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
    /// If a sensor that the request needs is known to be lost, the closure is called with the loss immediately. A
    /// missing sensor is not reported. If a gyroscope may be needed, the first call searches for sensors, which may
    /// take a few seconds.
    package func subscribe(
        _ request: FusionRequest, receive: @escaping @Sendable (FusionEvent) -> Void
    ) -> Subscription {
        let client = FusionClient(request, receive: receive)
        state.withLock { state in
            state.outbox.add(client)
            for sensor in SampleAligner.Sensor.allCases where client.cares(for: sensor) {
                guard let error = state.statuses[sensor.rawValue].error else { continue }
                state.outbox.post(.lost(sensor.kind, error), to: client)
            }
        }
        adjust()
        handOver(upToStates: true)
        // The reference is strong, as in all closures here, because a weak reference to an object slows down all strong
        // ones. Cancelling the last subscription ends the subscriptions to the sensors, and with them the sources'
        // references to the engine.
        return Subscription {
            client.leave()
            self.remove(client)
        }
    }

    private func remove(_ client: FusionClient) {
        let isLast = state.withLock { state in
            state.outbox.remove(client)
            return state.outbox.isWithoutClients
        }
        adjust()
        // The calibrations are stored immediately, because the process may be about to exit.
        if isLast { store() }
    }

    /// Returns true if the device has the required sensors: an accelerometer for gravity, an accelerometer and a
    /// gyroscope for an attitude, and an accelerometer and a magnetometer for a heading.
    package func isAvailable(_ need: FusionRequest.Need) -> Bool {
        let kinds = Set(source.sensors.lazy.map(\.kind))
        switch need {
        case .gravity: return kinds.contains(.accelerometer)
        case .attitude: return kinds.isSuperset(of: [.accelerometer, .gyroscope])
        case .heading: return kinds.isSuperset(of: [.accelerometer, .magnetometer])
        }
    }

    /// The current bias of the gyroscope in radians per second, and the standard deviation of each axis; nil while the
    /// gyroscope delivers no samples.
    package var gyroscopeBias: (bias: SIMD3<Double>, sigma: Double)? {
        state.withLock { state in
            guard state.pipeline.aligner.isPresent(.gyroscope) else { return nil }
            return (state.pipeline.filter.bias, state.pipeline.filter.biasSigma)
        }
    }

    /// The attitudes in which the magnetometer has been observed; nil if they are unknown, as without a gyroscope.
    package var magneticSurvey: MagneticSurvey? { state.withLock { $0.pipeline.calibrator.survey } }

    // MARK: Calibrations

    /// Stores calibrations that are worth storing. Only one thread at a time does so, with the values current at that
    /// time, so that no newer calibration is overwritten by an older one.
    private func store() {
        guard calibrations.isWritable else { return }
        storing.withLock { _ in
            let wallTime = clock.wallTime
            // The store records errors. Storing is attempted again when there is a better calibration.
            for task in state.withLock({ $0.keeper.tasks($0.pipeline, at: wallTime) }) {
                try? calibrations.store(task.calibration, for: task.identity)
            }
        }
    }

    /// Loads the stored calibration of a sensor before its first samples are used.
    private func prepare(_ sensor: SampleAligner.Sensor, _ id: SensorDescription.ID) {
        let former = state.withLock { $0.keeper[sensor]?.id }
        guard former != id else { return }
        var description = source.description(of: id) ?? SensorDescription(id: id, kind: sensor.kind)
        description.kind = sensor.kind
        let identity = SensorIdentity(description)
        // Only one thread at a time delivers readings of a sensor, so no reading overtakes the calibration.
        let stored = calibrations.load(identity).flatMap { stored in
            stored.problem(for: sensor.kind) == nil ? stored.inDeviceAxes(description.mountMatrix) : nil
        }
        let wallTime = clock.wallTime
        state.withLock { state in
            state.keeper[sensor] = CalibrationKeeper.Known(
                id: id, identity: identity, mountMatrix: description.mountMatrix, stored: stored)
            switch sensor {
            case .gyroscope:
                if let stored {
                    let sigma = CalibrationRules.sigma(of: stored, at: wallTime)
                    state.pipeline.startBias(stored.offset, sigma: sigma)
                } else if former != nil {
                    // The bias of the previous gyroscope must not be stored for the new one.
                    state.pipeline.startBias(.zero, sigma: CalibrationRules.unknownSigma)
                }
            case .accelerometer:
                state.pipeline.accelerometerCorrection = stored.flatMap { $0.changesNothing ? nil : $0 }
            case .magnetometer: state.pipeline.startCalibration(stored.map { MagneticCalibration($0) })
            }
        }
    }

    // MARK: Sensors

    /// Updates the subscriptions to the sensors according to the requests of the subscribers. Only one thread at a time
    /// does so. No lock is held during `subscribe`, because a lost sensor is reported within that call.
    private func adjust() {
        let begins = state.withLock { state in
            state.hasToAdjust = true
            guard !state.isAdjusting else { return false }
            state.isAdjusting = true
            return true
        }
        guard begins else { return }
        while let requests = nextRequests() {
            let needsGyroscope = requests.contains { $0.need >= .attitude }
            let hasGyroscope =
                needsGyroscope
                && (state.withLock(\.knowsGyroscope) || source.sensors.contains { $0.kind == .gyroscope })
            let plan = SensorPlan(requests, hasGyroscope: hasGyroscope)
            state.withLock { state in
                state.pipeline.setLatency(seconds: plan.latency)
                if requests.isEmpty {
                    state.timer = nil
                    state.pipeline.pause()
                }
            }
            for sensor in SampleAligner.Sensor.allCases {
                wire(sensor, plan.request(sensor), isThere: sensor != .gyroscope || hasGyroscope)
            }
        }
    }

    private func nextRequests() -> [FusionRequest]? {
        state.withLock { state in
            guard state.hasToAdjust else {
                state.isAdjusting = false
                return nil
            }
            state.hasToAdjust = false
            return state.outbox.requests
        }
    }

    private func wire(_ sensor: SampleAligner.Sensor, _ request: MotionRequest?, isThere: Bool) {
        let index = sensor.rawValue
        let (former, number) = state.withLock { state -> (Subscription?, UInt32?) in
            guard state.wires[index]?.request != request else { return (nil, nil) }
            let former = state.wires[index].take()?.subscription
            let number = state.numbers[index] &+ 1
            // Events of the previous subscription are accepted until the new one exists.
            if former == nil || request == nil { state.numbers[index] = number }
            state.pipeline.expect(sensor, request != nil && isThere)
            if request == nil { state.statuses[index] = .unknown }
            return (former, number)
        }
        guard let number else { return }
        if let request {
            // The new subscription is created before the previous one is cancelled, so that the sensor continues to
            // run.
            let subscription = source.subscribe(request) { event in
                self.receive(event, sensor, number)
            } quiet: {
                self.settle(sensor, number)
            }
            state.withLock { state in
                state.numbers[index] = number
                state.wires[index] = (request, subscription)
            }
        }
        former?.cancel()
    }

    // MARK: Events, on the threads of the source and the clock

    private func receive(_ event: MotionEvent, _ sensor: SampleAligner.Sensor, _ number: UInt32) {
        let now = clock.now
        // Usually the batch is from the same sensor as the last one. The check requires no additional locking.
        var outcome = state.withLock { take(event, sensor, number, now, &$0) }
        if outcome.hasToPrepare {
            if case .samples(let batch) = event { prepare(sensor, batch.sensor) }
            outcome = state.withLock { take(event, sensor, number, now, &$0, isPrepared: true) }
        }
        if outcome.hasToAdjust { adjust() }
        if outcome.hasToStore { background.async { self.store() } }
        if let round = outcome.round {
            let event = FusionEvent.states(round.states)
            for client in round.clients { client.tell(event) }
            goOn(state.withLock { $0.outbox.goOn(upToStates: false) }, upToStates: false)
        } else if case .lost = event {
            // The source may report a loss within `subscribe`.
            handOver(upToStates: state.withLock(\.isAdjusting))
        } else if outcome.hasOutput || outcome.hasToAdjust {
            handOver()
        }
    }

    /// The actions that an event requires.
    private struct Outcome {
        var hasToPrepare = false
        var hasToAdjust = false
        var hasToStore = false
        var hasOutput = true
        var round: FusionOutbox.Round?
    }

    /// Processes an event of a subscription to a sensor.
    private func take(
        _ event: MotionEvent, _ sensor: SampleAligner.Sensor, _ number: UInt32, _ now: BootTime, _ state: inout State,
        isPrepared: Bool = false
    ) -> Outcome {
        var outcome = Outcome()
        let index = sensor.rawValue
        if case .samples(let batch) = event, !isPrepared, !state.keeper.isReading(sensor, batch.sensor) {
            outcome.hasToPrepare = true
            return outcome
        }
        // Losses and recoveries of a new subscription are accepted before it has replaced the previous one, but samples
        // are not.
        let isNews = if case .samples = event { false } else { number == state.numbers[index] &+ 1 }
        guard isNews || number == state.numbers[index] else { return outcome }
        switch event {
        case .samples(let batch):
            if state.statuses[index].change(to: .available) {
                state.outbox.post(.regained(sensor.kind), about: sensor)
            }
            if state.pipeline.isPositionDue(at: now) {
                state.pipeline.look(at: positions.lastFix, now: now, wallTime: clock.wallTime)
            }
            if !state.states.isEmpty { state.states.removeAll(keepingCapacity: true) }
            state.pipeline.take(batch, into: &state.states)
            outcome.round = state.outbox.pass(state.states, interval: state.pipeline.interval)
            setTimer(&state)
        case .lost(let error):
            guard state.statuses[index].change(to: .unavailable(error)) else { return outcome }
            post(&state) { $0.lose(sensor, into: &$1) }
            state.outbox.post(.lost(sensor.kind, error), about: sensor)
        case .regained:
            guard state.statuses[index].change(to: .available) else { return outcome }
            state.pipeline.regain(sensor)
            state.outbox.post(.regained(sensor.kind), about: sensor)
        }
        outcome.hasToAdjust = sensor == .gyroscope && !state.knowsGyroscope
        if outcome.hasToAdjust { state.knowsGyroscope = true }
        outcome.hasToStore = state.keeper.isDue(at: now)
        outcome.hasOutput = !state.outbox.isEmpty
        return outcome
    }

    /// Stops waiting for other sensors. Called when the source expects no further readings for now.
    private func settle(_ sensor: SampleAligner.Sensor, _ number: UInt32) {
        state.withLock { state in
            guard state.numbers[sensor.rawValue] == number else { return }
            post(&state) { $0.release(into: &$1) }
        }
        handOver()
    }

    private func tick() {
        let now = clock.now
        state.withLock { state in
            state.timer = nil
            guard !state.outbox.isWithoutClients else { return }
            let limit = now.advanced(bySeconds: -state.patience)
            post(&state) { $0.pass(to: now, heldSince: limit, into: &$1) }
        }
        handOver()
    }

    /// Queues the states that `make` produces, and sets the timer.
    private func post(_ state: inout State, _ make: (FusionPipeline, inout [FusedState]) -> Void) {
        var states: [FusedState] = []
        make(state.pipeline, &states)
        state.outbox.post(states, interval: state.pipeline.interval)
        setTimer(&state)
    }

    /// Sets a timer if samples are waiting for other sensors.
    private func setTimer(_ state: inout State) {
        guard state.timer == nil, state.pipeline.waitingSince != nil else { return }
        state.timer = clock.timer(at: clock.now.advanced(bySeconds: state.patience)) { self.tick() }
    }

    // MARK: Delivery

    /// Delivers queued events, unless another thread is delivering, which then also delivers these.
    ///
    /// - Parameter upToStates: True if a subscriber may be within its call of `subscribe`. Only losses are delivered
    ///   then.
    private func handOver(upToStates: Bool = false) {
        goOn(state.withLock { $0.outbox.begin(upToStates: upToStates) }, upToStates: upToStates)
        // States that another thread has queued in the meantime were left to this thread.
        guard upToStates, state.withLock({ $0.outbox.isStuck }) else { return }
        background.async { self.handOver() }
    }

    /// Delivers events for which delivery has begun, and those that are queued in the meantime.
    private func goOn(_ begun: [FusionOutbox.Item]?, upToStates: Bool) {
        var items = begun
        // Delivered events and cancelled subscribers are released outside the lock.
        while let current = items {
            for item in current { item.client.tell(item.event) }
            items = state.withLock { $0.outbox.goOn(upToStates: upToStates) }
        }
    }
}

extension SampleAligner.Sensor {
    /// The kind of the sensor.
    var kind: SensorKind {
        switch self {
        case .gyroscope: .gyroscope
        case .accelerometer: .accelerometer
        case .magnetometer: .magnetometer
        }
    }
}
