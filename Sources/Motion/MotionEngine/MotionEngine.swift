// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import SensorFusion
import Dispatch
import Synchronization

/// The device's attitude, computed once for all who ask: one filter and one calibrator.
///
/// It runs while somebody has subscribed. States reach subscribers in order, on the threads of the motion source or of the
/// clock; no lock is held meanwhile, so a subscriber may subscribe and cancel in its closure. One that takes long holds
/// back what follows, and finally loses the oldest of it.
///
/// Whatever interval subscribers ask for, gyroscope and accelerometer run at 100 Hz or the next rate above that they
/// offer while a gyroscope takes part, and at the greatest rate for an interval of 0; each subscriber gets as many of the
/// states as it asked for, chosen by time stamp. A device without a gyroscope, and subscribers that only want to know
/// which way is up, leave it at the accelerometer at the interval asked for, at least ten times a second.
package final class MotionEngine: Sendable {
    private struct State: Sendable {
        var outbox = FusionOutbox()
        let pipeline = FusionPipeline()
        /// The subscriptions that count: what others say comes too late.
        var numbers: [UInt32] = [0, 0, 0]
        /// The status of each sensor.
        var statuses: [SourceStatus] = [.unknown, .unknown, .unknown]
        var wires: [(request: MotionRequest, subscription: Subscription)?] = [nil, nil, nil]
        /// True while a thread brings the subscriptions in line.
        var isAdjusting = false
        var hasToAdjust = false
        var knowsGyroscope = false
        var keeper = CalibrationKeeper()
        /// The states of the last batch, whose memory is used again once no subscriber has them any more.
        var states: [FusedState] = []
        var timer: ClockTimer?

        /// How long, in seconds, a state waits for samples of other sensors when no sample comes in any more.
        var patience: Double { 0.1 + Double(pipeline.aligner.latency) / 1e9 }
    }

    private let source: any MotionSource
    private let positions: any PositionSource
    private let clock: any DeviceClock
    private let calibrations: any CalibrationStore
    /// Files are written here while sensors are read.
    private let background = DispatchQueue(label: "device-services.calibration", qos: .utility)
    private let state = Mutex(State())
    /// Held while calibrations are stored.
    private let storing = Mutex(())

    /// The engine of that device.
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

    /// Hands states to the closure, in order, until the subscription ends.
    ///
    /// When a sensor that the request needs is known to be lost, the closure hears so at once. A sensor that is not there
    /// is waited for in silence. Where a gyroscope may be needed, sensors are looked for first if that has not been done,
    /// which may take a few seconds.
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
        // Strong, as everywhere here: a weak reference to an object makes every other one to it slow. The last subscriber to go
        // ends the subscriptions to the sensors, and with them the sources' hold of the engine.
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
        // At once, as the program may be about to end.
        if isLast { store() }
    }

    /// True when the device has what it takes now: an accelerometer; for an attitude a gyroscope as well; for a heading
    /// a magnetometer as well (without a gyroscope, accelerometer and magnetometer do).
    package func isAvailable(_ need: FusionRequest.Need) -> Bool {
        let kinds = Set(source.sensors.lazy.map(\.kind))
        switch need {
        case .gravity: return kinds.contains(.accelerometer)
        case .attitude: return kinds.isSuperset(of: [.accelerometer, .gyroscope])
        case .heading: return kinds.isSuperset(of: [.accelerometer, .magnetometer])
        }
    }

    /// Radians per second, the gyroscope's bias as it is known now, and the standard deviation of each axis; nil before
    /// the first sample.
    package var gyroscopeBias: (bias: SIMD3<Double>, sigma: Double)? {
        state.withLock { state in
            guard state.pipeline.aligner.isPresent(.gyroscope) else { return nil }
            return (state.pipeline.filter.bias, state.pipeline.filter.biasSigma)
        }
    }

    /// How the device has been held since its magnetometer is looked at; nil where that cannot be told, as without a
    /// gyroscope.
    package var magneticSurvey: MagneticSurvey? { state.withLock { $0.pipeline.calibrator.survey } }

    // MARK: Calibrations

    /// Stores what is worth it. One thread at a time does, and looks at what is known then, so that nothing older is
    /// written over something newer.
    private func store() {
        guard calibrations.isWritable else { return }
        storing.withLock { _ in
            let wallTime = clock.wallTime
            // The store keeps what went wrong; it is tried again when there is something better.
            for task in state.withLock({ $0.keeper.tasks($0.pipeline, at: wallTime) }) {
                try? calibrations.store(task.calibration, for: task.identity)
            }
        }
    }

    /// Loads what is stored of a sensor before its first samples are used.
    private func prepare(_ sensor: SampleAligner.Sensor, _ id: SensorDescription.ID) {
        let former = state.withLock { $0.keeper[sensor]?.id }
        guard former != id else { return }
        var description = source.description(of: id) ?? SensorDescription(id: id, kind: sensor.kind)
        description.kind = sensor.kind
        let identity = SensorIdentity(description)
        // A sensor's readings come from one thread at a time, so that none of them overtakes this.
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
                    // Another gyroscope: what is known of the one before must not be stored as this one's.
                    state.pipeline.startBias(.zero, sigma: CalibrationRules.unknownSigma)
                }
            case .accelerometer:
                state.pipeline.accelerometerCorrection = stored.flatMap { $0.changesNothing ? nil : $0 }
            case .magnetometer: state.pipeline.startCalibration(stored.map { MagneticCalibration($0) })
            }
        }
    }

    // MARK: Sensors

    /// Brings the subscriptions to sensors in line with what subscribers want. One thread at a time does; no lock is held
    /// while it subscribes, as a sensor that is lost says so at once.
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
            // Until there is a new one, what the former says counts.
            if former == nil || request == nil { state.numbers[index] = number }
            state.pipeline.expect(sensor, request != nil && isThere)
            if request == nil { state.statuses[index] = .unknown }
            return (former, number)
        }
        guard let number else { return }
        if let request {
            // The new one first, so that the sensor runs on.
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

    // MARK: What comes in, on the threads of the source and the clock

    private func receive(_ event: MotionEvent, _ sensor: SampleAligner.Sensor, _ number: UInt32) {
        let now = clock.now
        // Most often it is the sensor of the last batch, as the lock that is taken anyway tells.
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
            // The source tells of a loss from inside of `subscribe` too.
            handOver(upToStates: state.withLock(\.isAdjusting))
        } else if outcome.hasOutput || outcome.hasToAdjust {
            handOver()
        }
    }

    /// What follows from an event.
    private struct Outcome {
        var hasToPrepare = false
        var hasToAdjust = false
        var hasToStore = false
        var hasOutput = true
        var round: FusionOutbox.Round?
    }

    /// Takes what came in.
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
        // What a new subscription says of a loss counts before its samples do.
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

    /// Nothing follows for now: what waits for other sensors waits no longer.
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

    /// Puts states in the way of the subscribers, and a timer behind what still waits.
    private func post(_ state: inout State, _ make: (FusionPipeline, inout [FusedState]) -> Void) {
        var states: [FusedState] = []
        make(state.pipeline, &states)
        state.outbox.post(states, interval: state.pipeline.interval)
        setTimer(&state)
    }

    /// Puts a timer behind what still waits.
    private func setTimer(_ state: inout State) {
        guard state.timer == nil, state.pipeline.waitingSince != nil else { return }
        state.timer = clock.timer(at: clock.now.advanced(bySeconds: state.patience)) { self.tick() }
    }

    // MARK: What goes out

    /// Hands over what waits, unless another thread is at it, which then goes on with it.
    ///
    /// - Parameter upToStates: True where a subscriber may be in the middle of subscribing: it is only to hear of losses
    ///   then.
    private func handOver(upToStates: Bool = false) {
        goOn(state.withLock { $0.outbox.begin(upToStates: upToStates) }, upToStates: upToStates)
        // The thread that put states in meanwhile has left them to this one.
        guard upToStates, state.withLock({ $0.outbox.isStuck }) else { return }
        background.async { self.handOver() }
    }

    /// Hands over what has been begun with, and what comes in meanwhile.
    private func goOn(_ begun: [FusionOutbox.Item]?, upToStates: Bool) {
        var items = begun
        // What has been told goes outside of the lock, and a client that has left with it.
        while let current = items {
            for item in current { item.client.tell(item.event) }
            items = state.withLock { $0.outbox.goOn(upToStates: upToStates) }
        }
    }
}

extension SampleAligner.Sensor {
    /// What it measures.
    var kind: SensorKind {
        switch self {
        case .gyroscope: .gyroscope
        case .accelerometer: .accelerometer
        case .magnetometer: .magnetometer
        }
    }
}
