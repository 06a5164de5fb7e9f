// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Delivers sensor readings to each subscriber at the requested rate and in the requested axes. A source owns the hub
/// and posts the readings of each sensor on one thread at a time. Meanwhile, one other thread may replace the list of
/// sensors, and any thread may set a status. No lock is held while subscribers run.
package final class MotionHub: MotionSource {
    private struct Sensor {
        let description: SensorDescription
        /// True if the sensor's axes differ from the device's axes.
        let isRotated: Bool
        var subscribers: [MotionSubscriber] = [] { didSet { needsRate = subscribers.contains { $0.needsRate } } }
        /// True if the sensor's rate is needed to decimate the readings of at least one subscriber.
        private(set) var needsRate = false
        private(set) var status = SourceStatus.unknown
        var meter = RateMeter()

        init(_ description: SensorDescription) {
            self.description = description
            isRotated = description.kind.isVector && !description.mountMatrix.isIdentity
        }

        /// After releasing the lock, the caller must call `reportStatus` for each subscriber.
        mutating func setStatus(_ new: SourceStatus) {
            if new.isAvailable, !status.isAvailable { meter = RateMeter() }
            status = new
            for subscriber in subscribers { subscriber.state.setStatus(new) }
        }

        mutating func adopt(_ former: Sensor) { (status, meter) = (former.status, former.meter) }

        func matches(_ request: MotionRequest) -> Bool {
            description.kind == request.kind && (request.sensor == nil || request.sensor == description.id)
        }

        var removalError: DeviceError {
            status.error
                ?? DeviceError(
                    .connectionLost, "\(description.id) was removed. Readings resume when it is connected again.")
        }
    }

    private struct State {
        var sensors: [Sensor] = []
        /// The subscribers whose requests match no existing sensor.
        var waiting: [MotionSubscriber] = []
        /// The XML descriptions of the libiio contexts, which are stored in recordings.
        var contextDescriptions: [String] = []

        func index(of sensor: SensorDescription.ID) -> Int? { sensors.firstIndex { $0.description.id == sensor } }

        /// Adds the subscriber to the first matching sensor. Returns false if no sensor matches.
        mutating func attach(_ subscriber: MotionSubscriber) -> Bool {
            guard let index = sensors.firstIndex(where: { $0.matches(subscriber.request) }) else { return false }
            subscriber.state.setStatus(sensors[index].status)
            sensors[index].subscribers.append(subscriber)
            return true
        }
    }

    private let state = Mutex(State())
    private let demandChanged: @Sendable () -> Void

    /// - Parameter demandChanged: Called without the lock whenever the demand may have changed. Calls may arrive out
    ///   of order, so the closure must read the current value of `demand(of:)`.
    package init(
        sensors: [SensorDescription] = [], contextDescriptions: [String] = [],
        demandChanged: @escaping @Sendable () -> Void = {}
    ) {
        self.demandChanged = demandChanged
        state.withLock { state in
            state.sensors = sensors.map { Sensor($0) }
            state.contextDescriptions = contextDescriptions
        }
    }

    package var sensors: [SensorDescription] { state.withLock { $0.sensors.map(\.description) } }

    package func description(of sensor: SensorDescription.ID) -> SensorDescription? {
        state.withLock { state in state.index(of: sensor).map { state.sensors[$0].description } }
    }

    package var contextDescriptions: [String] { state.withLock { $0.contextDescriptions } }

    /// True while there are subscribers, even if no sensor matches their requests.
    package var hasSubscribers: Bool {
        state.withLock { state in !state.waiting.isEmpty || state.sensors.contains { !$0.subscribers.isEmpty } }
    }

    package var isMissingSensor: Bool { state.withLock { !$0.waiting.isEmpty } }

    /// Returns the combined requests of the sensor's subscribers, or nil if there are none.
    ///
    /// A request for all readings accepts any rate, so it does not affect the combined interval. If there is no other
    /// request, the interval is infinite. The source may decimate only if every request permits it, all have the same
    /// interval, and none requests all readings.
    package func demand(of sensor: SensorDescription.ID) -> MotionDemand? {
        state.withLock { state in
            guard let index = state.index(of: sensor), !state.sensors[index].subscribers.isEmpty else { return nil }
            let requests = state.sensors[index].subscribers.map(\.request)
            var demand = MotionDemand(interval: .infinity, latency: .infinity, decimates: true)
            for request in requests {
                if !request.includesAllReadings { demand.interval = min(demand.interval, request.interval) }
                demand.latency = min(demand.latency, request.latency)
                demand.decimates =
                    demand.decimates && request.decimates && !request.includesAllReadings
                    && request.interval == requests[0].interval
            }
            return demand
        }
    }

    /// Returns the executor shared by all subscribers of the sensors. Returns nil if there are no subscribers, if their
    /// executors differ, or if the executor cannot poll.
    package func executor(of sensors: [SensorDescription.ID]) -> (any PollingExecutor)? {
        state.withLock { state in
            var executor: ExecutorIdentity?
            for sensor in sensors {
                guard let index = state.index(of: sensor) else { continue }
                for subscriber in state.sensors[index].subscribers {
                    guard let other = subscriber.request.executor, executor == nil || executor == other else {
                        return nil
                    }
                    executor = other
                }
            }
            return executor?.executor
        }
    }

    /// Returns the sensor's rate, in hertz, measured over about one second, or nil if the rate is not known yet.
    package func measuredRate(of sensor: SensorDescription.ID) -> Double? {
        state.withLock { state in state.index(of: sensor).flatMap { state.sensors[$0].meter.rate } }
    }

    // MARK: Subscribers

    package func subscribe(
        _ request: MotionRequest, receive: @escaping @Sendable (MotionEvent) -> Void,
        onInputIdle: @escaping @Sendable () -> Void
    ) -> Subscription {
        let subscriber = MotionSubscriber(request, receive: receive, onInputIdle: onInputIdle)
        state.withLock { if !$0.attach(subscriber) { $0.waiting.append(subscriber) } }
        subscriber.state.start(subscriber.notify)
        demandChanged()
        // Until the subscription is cancelled, it retains the hub. A weak reference would slow down each retain and
        // release of the hub.
        return Subscription {
            subscriber.state.cancel()
            self.remove(subscriber)
        }
    }

    private func remove(_ subscriber: MotionSubscriber) {
        state.withLock { state in
            state.waiting.removeAll { $0 === subscriber }
            for index in state.sensors.indices { state.sensors[index].subscribers.removeAll { $0 === subscriber } }
        }
        demandChanged()
    }

    // MARK: Input

    /// Replaces the list of sensors. Each subscriber moves to the first sensor that matches its request, even if its
    /// previous sensor is still in the list. If no sensor matches, a loss is reported. Readings resume as soon as a
    /// later list contains a matching sensor.
    package func post(sensors: [SensorDescription], contextDescriptions: [String]) {
        let affected = state.withLock { state -> [MotionSubscriber] in
            let former = exchange(&state.sensors, with: [])
            let waiting = exchange(&state.waiting, with: [])
            state.contextDescriptions = contextDescriptions
            state.sensors = sensors.map { description in
                var sensor = Sensor(description)
                if let existing = former.first(where: { $0.description.id == description.id }) {
                    sensor.adopt(existing)
                }
                return sensor
            }
            for sensor in former {
                for subscriber in sensor.subscribers {
                    if state.attach(subscriber) { continue }
                    subscriber.state.setStatus(.unavailable(sensor.removalError))
                    state.waiting.append(subscriber)
                }
            }
            for subscriber in waiting { if !state.attach(subscriber) { state.waiting.append(subscriber) } }
            return former.flatMap(\.subscribers) + waiting
        }
        for subscriber in affected { subscriber.state.reportStatus(subscriber.notify) }
        demandChanged()
    }

    /// Delivers readings of one sensor, in the sensor's own axes and in chronological order.
    package func post(_ batch: MotionBatch) {
        guard batch.count > 0 else { return }
        // There is usually only one subscriber, which is handled without allocating an array.
        var onlySubscriber: MotionSubscriber?
        var subscribers: [MotionSubscriber] = []
        var interval: Double?
        var matrix: MountMatrix?
        var isNewlyAvailable = false
        state.withLock { state in
            // Accesses the sensor in place, because copying it would cost more than the rest of this function.
            var index = 0
            while index < state.sensors.count, state.sensors[index].description.id != batch.sensor { index += 1 }
            guard index < state.sensors.count else { return }
            if !state.sensors[index].status.isAvailable {
                state.sensors[index].setStatus(.available)
                isNewlyAvailable = true
            }
            state.sensors[index].meter.record(batch.times, decimationFactor: batch.decimationFactor)
            if state.sensors[index].subscribers.count == 1 {
                onlySubscriber = state.sensors[index].subscribers[0]
            } else {
                subscribers = state.sensors[index].subscribers
            }
            if state.sensors[index].needsRate {
                interval =
                    state.sensors[index].meter.rate.map { Double(batch.decimationFactor) / $0 }
                    ?? Self.nominalRate(of: state.sensors[index]).map { 1 / $0 }
            }
            if state.sensors[index].isRotated { matrix = state.sensors[index].description.mountMatrix }
        }
        var rotated: MotionBatch?
        func deliver(to subscriber: MotionSubscriber) {
            if isNewlyAvailable { subscriber.state.reportStatus(subscriber.notify) }
            guard let matrix, subscriber.request.axes != .sensor else {
                return subscriber.deliver(batch, sensorInterval: interval)
            }
            let deviceBatch = rotated ?? Self.rotated(batch, by: matrix)
            rotated = deviceBatch
            subscriber.deliver(deviceBatch, sensorInterval: interval)
        }
        if let onlySubscriber { return deliver(to: onlySubscriber) }
        for subscriber in subscribers { deliver(to: subscriber) }
    }

    /// Sets the status of a sensor. Posting readings of the sensor sets its status to `available`.
    package func setStatus(_ status: SourceStatus, of sensor: SensorDescription.ID) {
        let subscribers = state.withLock { state -> [MotionSubscriber] in
            guard let index = state.index(of: sensor) else { return [] }
            state.sensors[index].setStatus(status)
            return state.sensors[index].subscribers
        }
        for subscriber in subscribers { subscriber.state.reportStatus(subscriber.notify) }
    }

    /// Calls the `onInputIdle` closures of the subscribers of existing sensors. Subscribers without a sensor are
    /// skipped. The source must call this function when it has no more readings for now, for example at the end of a
    /// trace.
    package func postInputIdle() {
        let subscribers = state.withLock { state in state.sensors.flatMap(\.subscribers) }
        for subscriber in subscribers { subscriber.reportInputIdle() }
    }

    /// Returns the sensor's expected rate, in hertz, which depends on the shortest requested interval.
    private static func nominalRate(of sensor: Sensor) -> Double? {
        let intervals = sensor.subscribers.lazy.filter { !$0.request.includesAllReadings }.map(\.request.interval)
        guard let shortest = intervals.min() else { return nil }
        return sensor.description.rates.rate(atLeast: shortest > 0 ? 1 / shortest : .infinity)
    }

    private static func rotated(_ batch: MotionBatch, by matrix: MountMatrix) -> MotionBatch {
        var rotated = batch
        for index in rotated.values.indices { rotated.values[index] = matrix.apply(to: rotated.values[index]) }
        return rotated
    }
}
