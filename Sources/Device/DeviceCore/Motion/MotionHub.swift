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
        /// True when a subscriber takes the rate of the readings to be told the right ones.
        private(set) var needsRate = false
        var lost: DeviceError?
        /// True when its source tells that loss again while it lasts.
        var isLossRepeated = false
        var meter = RateMeter()

        init(_ description: SensorDescription) {
            self.description = description
            isTurned = description.kind.isVector && !description.mountMatrix.isIdentity
        }
    }

    private struct State {
        var sensors: [Sensor] = []
        /// Those whose sensor is not there yet.
        var waiting: [MotionSubscriber] = []
        var contexts: [String] = []

        func index(of sensor: SensorDescription.ID) -> Int? { sensors.firstIndex { $0.description.id == sensor } }

        /// Whoever comes next shall not hear of a loss that is told again if it is one still.
        mutating func forgetUnheardLosses() {
            for index in sensors.indices where sensors[index].subscribers.isEmpty && sensors[index].isLossRepeated {
                sensors[index].lost = nil
            }
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

    /// The place that may wait for the readings of those sensors in place of the source's thread: that of all who listen.
    package func place(of sensors: [SensorDescription.ID]) -> (any DirectDelivery)? {
        state.withLock { state in
            var place: DirectPlace?
            for sensor in sensors {
                guard let index = state.index(of: sensor) else { continue }
                for subscriber in state.sensors[index].subscribers {
                    guard let other = subscriber.request.place, place == nil || place == other else { return nil }
                    place = other
                }
            }
            return place?.delivery
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
        let subscriber = MotionSubscriber(request, receive: receive, quiet: quiet)
        add(subscriber)
        demandChanged()
        // Strong: a weak reference would slow down every use of the hub.
        return Subscription {
            subscriber.leave()
            self.remove(subscriber)
        }
    }

    /// Adds the subscriber when it knows what the others know, so that no event overtakes what it is told of a loss.
    private func add(_ subscriber: MotionSubscriber) {
        var told: DeviceError?
        while true {
            let (isAdded, lost) = state.withLock { state -> (Bool, DeviceError?) in
                guard let index = Self.index(for: subscriber.request, in: state.sensors) else {
                    state.waiting.append(subscriber)
                    return (true, nil)
                }
                let lost = state.sensors[index].lost
                // It may only be forgotten, now that nobody else listens: readings will tell.
                let isForgotten = lost == nil && state.sensors[index].subscribers.isEmpty
                guard isForgotten || (lost == nil) == (told == nil) else { return (false, lost) }
                state.sensors[index].subscribers.append(subscriber)
                return (true, nil)
            }
            if isAdded { return }
            subscriber.tell(lost.map { .lost($0) } ?? .regained)
            told = lost
        }
    }

    private static func index(for request: MotionRequest, in sensors: [Sensor]) -> Int? {
        sensors.firstIndex { isMeant($0.description, by: request) }
    }

    private static func isMeant(_ sensor: SensorDescription, by request: MotionRequest) -> Bool {
        sensor.kind == request.kind && (request.sensor == nil || request.sensor == sensor.id)
    }

    private func remove(_ subscriber: MotionSubscriber) {
        state.withLock { state in
            state.waiting.removeAll { $0 === subscriber }
            for index in state.sensors.indices {
                state.sensors[index].subscribers.removeAll { $0 === subscriber }
            }
            state.forgetUnheardLosses()
        }
        demandChanged()
    }

    // MARK: Input

    /// The sensors that there are now. Subscribers of one that is gone wait for it to come back.
    public func post(sensors: [SensorDescription], contextDescriptions: [String]) {
        state.withLock { state in
            let former = state.sensors
            state.contexts = contextDescriptions
            state.sensors = sensors.map { description in
                var sensor = Sensor(description)
                if let same = former.first(where: { $0.description.id == description.id }) {
                    sensor.lost = same.lost
                    sensor.isLossRepeated = same.isLossRepeated
                    sensor.meter = same.meter
                }
                return sensor
            }
            let homeless = former.flatMap(\.subscribers) + state.waiting
            state.waiting = []
            for subscriber in homeless {
                if let index = Self.index(for: subscriber.request, in: state.sensors) {
                    state.sensors[index].subscribers.append(subscriber)
                } else {
                    state.waiting.append(subscriber)
                }
            }
            state.forgetUnheardLosses()
        }
        demandChanged()
    }

    /// Readings of a sensor have come in, in the sensor's own axes, with rising times.
    public func post(_ batch: MotionBatch) { post(batch, in: nil) }

    /// Readings that were read in a place are told to those only who want to be told there: who has come since then and
    /// listens elsewhere may wait for that place.
    package func post(_ batch: MotionBatch, in place: (any DirectDelivery)?) {
        guard batch.count > 0 else { return }
        // Most often there is one, which is handed out without the list.
        var first: MotionSubscriber?
        var subscribers: [MotionSubscriber] = []
        var interval: Double?
        // Nil for the identity.
        var matrix: MountMatrix?
        state.withLock { state in
            // Looked at where it lies: a copy of a sensor costs more than all the rest.
            var index = 0
            while index < state.sensors.count, state.sensors[index].description.id != batch.sensor { index += 1 }
            guard index < state.sensors.count else { return }
            if state.sensors[index].lost != nil {
                // A reader that was given up speaks again: the next loss is a new one.
                state.sensors[index].lost = nil
                state.sensors[index].meter = RateMeter()
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
        func tell(_ subscriber: MotionSubscriber) {
            guard place == nil || subscriber.request.place?.delivery === place else { return }
            guard let matrix, subscriber.request.axes != .sensor else {
                return subscriber.tell(batch, sensorInterval: interval)
            }
            let deviceBatch = turned ?? Self.turned(batch, by: matrix)
            turned = deviceBatch
            subscriber.tell(deviceBatch, sensorInterval: interval)
        }
        if let first { return tell(first) }
        for subscriber in subscribers { tell(subscriber) }
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

    /// The sensor gives nothing any more. Told once, until it is back, and to who comes meanwhile.
    public func postLost(_ error: DeviceError, sensor: SensorDescription.ID) { post(loss: error, of: sensor) }

    /// The same from a source that says so for as long as it lasts: a loss to which nobody listens is forgotten.
    package func repeatLost(_ error: DeviceError, sensor: SensorDescription.ID) {
        post(loss: error, of: sensor, isRepeated: true)
    }

    /// The same of a sensor that was taken from the hub, to those who wait for it, have had readings and know of no loss.
    package func repeatLost(_ error: DeviceError, ofGone sensor: SensorDescription) {
        for subscriber in state.withLock({ $0.waiting })
        where subscriber.hasReadings && Self.isMeant(sensor, by: subscriber.request) {
            subscriber.tell(.lost(error))
        }
    }

    /// The sensor is back, if it was lost.
    public func postRegained(sensor: SensorDescription.ID) { post(loss: nil, of: sensor) }

    /// - Parameter loss: Why the sensor gives nothing; nil when it is back.
    private func post(loss: DeviceError?, of sensor: SensorDescription.ID, isRepeated: Bool = false) {
        let subscribers = state.withLock { state -> [MotionSubscriber] in
            guard let index = state.index(of: sensor) else { return [] }
            // Whoever has come from another sensor meanwhile hears it too, and each hears it once.
            let isNews = (state.sensors[index].lost == nil) != (loss == nil)
            guard isRepeated ? !state.sensors[index].subscribers.isEmpty : isNews else { return [] }
            state.sensors[index].lost = loss
            state.sensors[index].isLossRepeated = isRepeated
            if loss == nil { state.sensors[index].meter = RateMeter() }
            return state.sensors[index].subscribers
        }
        for subscriber in subscribers { subscriber.tell(loss.map { .lost($0) } ?? .regained) }
    }

    /// Nothing follows for now, as at the end of a trace: who waits for more to come need wait no longer.
    public func postQuiet() {
        let subscribers = state.withLock { state in state.sensors.flatMap(\.subscribers) }
        for subscriber in subscribers { subscriber.tellQuiet() }
    }
}
