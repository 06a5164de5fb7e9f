// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Hands the readings of any number of sensors to any number of subscribers, each as often and in the axes it asked for.
///
/// A source owns one. It calls the input functions for one sensor from one thread at a time, and learns through
/// `demandChanged` that what is wanted of a sensor has changed. The mount matrix is applied here, once for all
/// subscribers. No lock is held while subscribers run.
public final class MotionHub: MotionSource {
    private struct Sensor {
        let description: SensorDescription
        /// True when its axes are not those of the device.
        let isTurned: Bool
        var subscribers: [MotionSubscriber] = [] { didSet { needsRate = subscribers.contains { $0.needsRate } } }
        /// True if the rate of the readings is needed to choose those that a subscriber requested.
        private(set) var needsRate = false
        private(set) var status = SourceStatus.unknown
        var meter = RateMeter()

        init(_ description: SensorDescription) {
            self.description = description
            isTurned = description.kind.isVector && !description.mountMatrix.isIdentity
        }

        /// Sets the status. The caller then calls `reportStatus` for each subscriber, without the lock.
        mutating func setStatus(_ new: SourceStatus) {
            if new.isAvailable, !status.isAvailable { meter = RateMeter() }
            status = new
            for subscriber in subscribers { subscriber.state.setStatus(new) }
        }

        /// Takes over what is known of the same sensor from before a change of the list.
        mutating func adopt(_ former: Sensor) { (status, meter) = (former.status, former.meter) }

        /// True if the request is for this sensor.
        func matches(_ request: MotionRequest) -> Bool {
            description.kind == request.kind && (request.sensor == nil || request.sensor == description.id)
        }

        /// The error for subscribers of the sensor once it was removed.
        var removalError: DeviceError {
            status.error
                ?? DeviceError(
                    .connectionLost, "\(description.id) was removed. Readings follow if it is connected again.")
        }
    }

    private struct State {
        var sensors: [Sensor] = []
        /// Those whose sensor is not there yet.
        var waiting: [MotionSubscriber] = []
        var contexts: [String] = []

        func index(of sensor: SensorDescription.ID) -> Int? { sensors.firstIndex { $0.description.id == sensor } }

        /// Adds the subscriber to the sensor that it requested; false if there is none.
        mutating func attach(_ subscriber: MotionSubscriber) -> Bool {
            guard let index = sensors.firstIndex(where: { $0.matches(subscriber.request) }) else { return false }
            subscriber.state.setStatus(sensors[index].status)
            sensors[index].subscribers.append(subscriber)
            return true
        }
    }

    private let state = Mutex(State())
    private let demandChanged: @Sendable () -> Void

    /// A hub over those sensors. The closure must look at `demand(of:)` itself: two changes may reach it out of order.
    public init(
        sensors: [SensorDescription] = [], contextDescriptions: [String] = [],
        demandChanged: @escaping @Sendable () -> Void = {}
    ) {
        self.demandChanged = demandChanged
        state.withLock { state in
            state.sensors = sensors.map { Sensor($0) }
            state.contexts = contextDescriptions
        }
    }

    /// The sensors, the best one of each kind first.
    public var sensors: [SensorDescription] { state.withLock { $0.sensors.map(\.description) } }

    /// The sensor of that name.
    public func description(of sensor: SensorDescription.ID) -> SensorDescription? {
        state.withLock { state in state.index(of: sensor).map { state.sensors[$0].description } }
    }

    /// What the contexts say of themselves.
    public var contextDescriptions: [String] { state.withLock { $0.contexts } }

    /// True while there is a subscriber, be it for a sensor that is not there.
    public var isWanted: Bool {
        state.withLock { state in
            !state.waiting.isEmpty || state.sensors.contains { !$0.subscribers.isEmpty }
        }
    }

    /// True while a subscriber waits for a sensor that is not there.
    public var isMissingSensor: Bool { state.withLock { !$0.waiting.isEmpty } }

    /// What the subscribers of a sensor want of it; nil when there are none.
    public func demand(of sensor: SensorDescription.ID) -> MotionDemand? {
        state.withLock { state in
            guard let index = state.index(of: sensor), !state.sensors[index].subscribers.isEmpty else { return nil }
            let requests = state.sensors[index].subscribers.map(\.request)
            var demand = MotionDemand(interval: .infinity, latency: .infinity, thins: true)
            for request in requests {
                if !request.everyReading { demand.interval = min(demand.interval, request.interval) }
                demand.latency = min(demand.latency, request.latency)
                demand.thins =
                    demand.thins && request.thins && !request.everyReading && request.interval == requests[0].interval
            }
            return demand
        }
    }

    /// The executor of all subscribers of the sensors; nil if they have different ones, or one that does not poll.
    package func executor(of sensors: [SensorDescription.ID]) -> (any PollingExecutor)? {
        state.withLock { state in
            var executor: DirectPlace?
            for sensor in sensors {
                guard let index = state.index(of: sensor) else { continue }
                for subscriber in state.sensors[index].subscribers {
                    guard let other = subscriber.request.place, executor == nil || executor == other else { return nil }
                    executor = other
                }
            }
            return executor?.delivery
        }
    }

    /// The rate of the sensor's readings, measured over about a second.
    public func measuredRate(of sensor: SensorDescription.ID) -> Double? {
        state.withLock { state in state.index(of: sensor).flatMap { state.sensors[$0].meter.rate } }
    }

    // MARK: Subscribers

    /// Adds a subscriber.
    public func subscribe(
        _ request: MotionRequest, receive: @escaping @Sendable (MotionEvent) -> Void,
        quiet: @escaping @Sendable () -> Void
    ) -> Subscription {
        let subscriber = MotionSubscriber(request, receive: receive, onInputIdle: quiet)
        state.withLock { if !$0.attach(subscriber) { $0.waiting.append(subscriber) } }
        subscriber.state.start(subscriber.notify)
        demandChanged()
        // Strong: a weak reference would slow down every use of the hub.
        return Subscription {
            subscriber.state.cancel()
            self.remove(subscriber)
        }
    }

    private func remove(_ subscriber: MotionSubscriber) {
        state.withLock { state in
            state.waiting.removeAll { $0 === subscriber }
            for index in state.sensors.indices {
                state.sensors[index].subscribers.removeAll { $0 === subscriber }
            }
        }
        demandChanged()
    }

    // MARK: Input

    /// Replaces the list of sensors. Subscribers of a sensor that is not in it any more are notified of its loss, unless
    /// another sensor matches their request, and receive its readings again once it is back.
    public func post(sensors: [SensorDescription], contextDescriptions: [String]) {
        let moved = state.withLock { state -> [MotionSubscriber] in
            let former = exchange(&state.sensors, with: [])
            let waiting = exchange(&state.waiting, with: [])
            state.contexts = contextDescriptions
            state.sensors = sensors.map { description in
                var sensor = Sensor(description)
                if let same = former.first(where: { $0.description.id == description.id }) { sensor.adopt(same) }
                return sensor
            }
            for sensor in former {
                for subscriber in sensor.subscribers where !state.attach(subscriber) {
                    subscriber.state.setStatus(.unavailable(sensor.removalError))
                    state.waiting.append(subscriber)
                }
            }
            for subscriber in waiting where !state.attach(subscriber) { state.waiting.append(subscriber) }
            return former.flatMap(\.subscribers) + waiting
        }
        for subscriber in moved { subscriber.state.reportStatus(subscriber.notify) }
        demandChanged()
    }

    /// Delivers readings of a sensor, in the sensor's own axes, with rising times.
    public func post(_ batch: MotionBatch) {
        guard batch.count > 0 else { return }
        // Most often there is one, which is handed out without the list.
        var first: MotionSubscriber?
        var subscribers: [MotionSubscriber] = []
        var interval: Double?
        // nil for the identity.
        var matrix: MountMatrix?
        var isNewlyAvailable = false
        state.withLock { state in
            // Looked at where it lies: a copy of a sensor costs more than all the rest.
            var index = 0
            while index < state.sensors.count, state.sensors[index].description.id != batch.sensor { index += 1 }
            guard index < state.sensors.count else { return }
            if !state.sensors[index].status.isAvailable {
                state.sensors[index].setStatus(.available)
                isNewlyAvailable = true
            }
            state.sensors[index].meter.note(batch.times, thinning: batch.thinning)
            if state.sensors[index].subscribers.count == 1 {
                first = state.sensors[index].subscribers[0]
            } else {
                subscribers = state.sensors[index].subscribers
            }
            if state.sensors[index].needsRate {
                interval =
                    state.sensors[index].meter.rate.map { Double(batch.thinning) / $0 }
                    ?? Self.nominalRate(of: state.sensors[index]).map { 1 / $0 }
            }
            if state.sensors[index].isTurned { matrix = state.sensors[index].description.mountMatrix }
        }
        var turned: MotionBatch?
        func deliver(to subscriber: MotionSubscriber) {
            if isNewlyAvailable { subscriber.state.reportStatus(subscriber.notify) }
            guard let matrix, subscriber.request.axes != .sensor else {
                return subscriber.deliver(batch, sensorInterval: interval)
            }
            let deviceBatch = turned ?? Self.turned(batch, by: matrix)
            turned = deviceBatch
            subscriber.deliver(deviceBatch, sensorInterval: interval)
        }
        if let first { return deliver(to: first) }
        for subscriber in subscribers { deliver(to: subscriber) }
    }

    /// The rate that the sensor was asked for: what there is to go by until it has been measured.
    private static func nominalRate(of sensor: Sensor) -> Double? {
        let intervals = sensor.subscribers.lazy.filter { !$0.request.everyReading }.map(\.request.interval)
        guard let shortest = intervals.min() else { return nil }
        return sensor.description.rates.rate(atLeast: shortest > 0 ? 1 / shortest : .infinity)
    }

    private static func turned(_ batch: MotionBatch, by matrix: MountMatrix) -> MotionBatch {
        var turned = batch
        for index in turned.values.indices { turned.values[index] = matrix.apply(to: turned.values[index]) }
        return turned
    }

    /// Sets whether readings of the sensor can be had. A batch of readings sets `available`.
    public func setStatus(_ status: SourceStatus, of sensor: SensorDescription.ID) {
        let subscribers = state.withLock { state -> [MotionSubscriber] in
            guard let index = state.index(of: sensor) else { return [] }
            state.sensors[index].setStatus(status)
            return state.sensors[index].subscribers
        }
        for subscriber in subscribers { subscriber.state.reportStatus(subscriber.notify) }
    }

    /// Reports to all subscribers that no readings follow for now, as at the end of a trace.
    public func postQuiet() {
        let subscribers = state.withLock { state in state.sensors.flatMap(\.subscribers) }
        for subscriber in subscribers { subscriber.reportInputIdle() }
    }
}
