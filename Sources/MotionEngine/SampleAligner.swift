// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Brings the samples of gyroscope, accelerometer and magnetometer into the order in which they were measured.
///
/// There is a state for each sample of the gyroscope; without one, of the accelerometer. It waits for those samples of the
/// other sensors that are due by then, at most until the next sample comes in, so that it does not matter in which order
/// the sensors hand over what they measured at one time. Samples of one time come as gyroscope, accelerometer,
/// magnetometer. What comes in too late for its own state goes before the next one, with its own time.
///
/// A sensor that is lost or falls silent is not waited for. One whose clock goes its own way is taken as it comes in.
/// After each change, take steps until there is none:
///
///     aligner.add(batch)
///     while let step = aligner.next() { … }
struct SampleAligner: Sendable {
    /// What is to be done next.
    enum Step: Sendable, Hashable {
        case gyroscope(SIMD3<Double>, BootTime)
        case accelerometer(SIMD3<Double>, BootTime)
        case magnetometer(SIMD3<Double>, BootTime)
        /// All that belongs to this time has been handed out.
        case state(BootTime)
    }

    /// The sensors, in the order of samples of one time.
    enum Sensor: Int, Sendable, CaseIterable {
        case gyroscope, accelerometer, magnetometer

        init?(_ kind: SensorKind) {
            switch kind {
            case .gyroscope: self = .gyroscope
            case .accelerometer: self = .accelerometer
            case .magnetometer: self = .magnetometer
            case .pressure: return nil
            }
        }
    }

    /// More samples of one sensor than these do not wait.
    private static let limit = 2048
    /// Nanoseconds by which a sensor's clock may differ from that of the others, as far as that shows.
    private static let disagreement: Int64 = 1_000_000_000
    /// Nanoseconds within which clocks agree again.
    private static let agreement: Int64 = 500_000_000
    private static let maximumStrays = 10

    /// Nanoseconds that samples may come in late because the source lets them wait for others.
    var latency: Int64 = 0
    private var gyroscope = SampleTrack()
    private var accelerometer = SampleTrack()
    private var magnetometer = SampleTrack()
    /// The time of the state that is being made.
    private var settling: SampleStamp?
    /// The time of the last state.
    private var settled: SampleStamp?
    private var isReleasing = false
    private var newestArrival = BootTime(nanoseconds: .min)

    private subscript(sensor: Sensor) -> SampleTrack {
        get {
            switch sensor {
            case .gyroscope: gyroscope
            case .accelerometer: accelerometer
            case .magnetometer: magnetometer
            }
        }
        _modify {
            switch sensor {
            case .gyroscope: yield &gyroscope
            case .accelerometer: yield &accelerometer
            case .magnetometer: yield &magnetometer
            }
        }
    }

    // MARK: What comes in

    /// Says whether samples of a sensor are to be expected.
    mutating func expect(_ sensor: Sensor, _ isExpected: Bool) {
        guard self[sensor].isExpected != isExpected else { return }
        self[sensor].isExpected = isExpected
        self[sensor].isLost = false
        self[sensor].awaitedSince = nil
        self[sensor].newestArrival = nil
    }

    /// The sensor gives nothing for now.
    mutating func lose(_ sensor: Sensor) {
        self[sensor].isLost = true
    }

    /// The sensor is back.
    mutating func regain(_ sensor: Sensor) {
        self[sensor].isLost = false
        self[sensor].newestArrival = nil
        self[sensor].awaitedSince = nil
    }

    /// Forgets all samples and times.
    mutating func restart() {
        for sensor in Sensor.allCases { self[sensor].restart() }
        settling = nil
        settled = nil
        isReleasing = false
        newestArrival = BootTime(nanoseconds: .min)
    }

    /// Takes samples of a sensor.
    mutating func add(_ sensor: Sensor, values: [SIMD3<Double>], times: [BootTime], arrival: BootTime) {
        note(arrival: arrival)
        if self[sensor].newestTime == nil, let master = master(of: sensor) { self[sensor].epoch = self[master].epoch }
        self[sensor].isExpected = true
        self[sensor].isLost = false
        self[sensor].newestArrival = arrival
        for index in 0..<min(values.count, times.count) {
            guard self[sensor].note(times[index]) else { continue }
            let stamp = stamp(of: sensor, times[index])
            self[sensor].newest = stamp
            self[sensor].queue.append(SampleQueue.Item(value: values[index], stamp: stamp, arrival: arrival))
            if self[sensor].queue.count > Self.limit, sensor != driver { self[sensor].queue.removeFirst() }
        }
        if sensor == driver {
            for other in Sensor.allCases where other != sensor { checkClock(of: other, at: arrival) }
        }
    }

    /// Time has passed without samples.
    mutating func note(arrival: BootTime) {
        newestArrival = max(newestArrival, arrival)
        for sensor in Sensor.allCases where self[sensor].isExpected && self[sensor].awaitedSince == nil {
            self[sensor].awaitedSince = arrival
        }
    }

    /// Nothing is to be waited for any longer: the steps that follow, until there is none, are for all states that can be
    /// made.
    mutating func release() {
        isReleasing = true
    }

    /// When the oldest sample came in of those that wait for a state; nil when none does.
    var waitingSince: BootTime? {
        let arrivals = [gyroscope.queue.first?.arrival, accelerometer.queue.first?.arrival]
        return arrivals.lazy.compactMap(\.self).min()
    }

    /// True when states are made for the accelerometer's samples.
    var isWithoutGyroscope: Bool { driver != .gyroscope }

    /// True while samples of the sensor can be counted on.
    func isPresent(_ sensor: Sensor) -> Bool {
        let track = self[sensor]
        return track.isExpected && !track.isLost && track.newest != nil
            && !track.isSilent(at: newestArrival, latency: latency)
    }

    /// Nanoseconds between states at the pace of late; nil when not known.
    var interval: Int64? { self[driver].interval }

    // MARK: Clocks

    private func master(of sensor: Sensor) -> Sensor? {
        Sensor.allCases.first { $0 != sensor && self[$0].newest != nil }
    }

    private mutating func stamp(of sensor: Sensor, _ time: BootTime) -> SampleStamp {
        let own = SampleStamp(epoch: self[sensor].epoch, time: time)
        guard self[sensor].isOffBeat, sensor != driver, let now = self[driver].newest else { return own }
        let difference = time.nanoseconds.subtractingSaturated(now.time.nanoseconds)
        guard abs(max(difference, -.max)) <= Self.agreement else { return now }
        self[sensor].isOffBeat = false
        self[sensor].strays = 0
        self[sensor].epoch = now.epoch
        return SampleStamp(epoch: now.epoch, time: time)
    }

    /// A sample whose time does not come, though time has passed, was stamped by another clock.
    private mutating func checkClock(of sensor: Sensor, at arrival: BootTime) {
        guard let head = self[sensor].queue.first, let now = self[driver].newest, head.stamp > now else { return }
        let waited = arrival.nanoseconds.subtractingSaturated(head.arrival.nanoseconds)
        guard waited > Self.disagreement.addingSaturated(latency) else { return }
        self[sensor].isOffBeat = true
        self[sensor].newest = now
        self[sensor].queue.restamp(now)
    }

    // MARK: What goes out

    /// The sensor whose samples make states.
    private var driver: Sensor {
        if !gyroscope.queue.isEmpty { return .gyroscope }
        let isThere =
            gyroscope.isExpected && !gyroscope.isLost && !gyroscope.isSilent(at: newestArrival, latency: latency)
        return isThere ? .gyroscope : .accelerometer
    }

    /// The next step; nil when it takes more samples to go on.
    mutating func next() -> Step? {
        while true {
            if let stamp = settling {
                if let item = take(.accelerometer, upTo: stamp) { return .accelerometer(item.value, item.stamp.time) }
                if let item = take(.magnetometer, upTo: stamp) { return .magnetometer(item.value, item.stamp.time) }
                settling = nil
                settled = stamp
                return .state(stamp.time)
            }
            let driver = driver
            guard let head = self[driver].queue.first else { break }
            if let settled, head.stamp <= settled {
                // The other sensor has made states for later times already.
                self[driver].queue.removeFirst()
                if driver == .accelerometer { return .accelerometer(head.value, head.stamp.time) }
                continue
            }
            guard isReady(head, of: driver) else { break }
            settling = head.stamp
            guard driver == .gyroscope else { continue }
            self[driver].queue.removeFirst()
            return .gyroscope(head.value, head.stamp.time)
        }
        isReleasing = false
        return nil
    }

    /// True when the state of the sample needs nothing more, or has waited long enough.
    private func isReady(_ head: SampleQueue.Item, of driver: Sensor) -> Bool {
        if isReleasing || self[driver].isLost || !self[driver].isExpected { return true }
        if let last = self[driver].queue.last, last.arrival > head.arrival || last.stamp.epoch != head.stamp.epoch {
            return true
        }
        if self[driver].queue.count > Self.limit { return true }
        return !Sensor.allCases.contains { $0.rawValue > driver.rawValue && isDue($0, by: head) }
    }

    /// True when the sensor may still give a sample of that time or before.
    private func isDue(_ sensor: Sensor, by head: SampleQueue.Item) -> Bool {
        let track = self[sensor]
        guard track.isExpected, !track.isLost, !track.isOffBeat else { return false }
        if let newest = track.newest, newest >= head.stamp { return false }
        if track.isSilent(at: head.arrival, latency: latency) { return false }
        guard let newest = track.newest, newest.epoch == head.stamp.epoch, let interval = track.interval else {
            return true
        }
        // A tenth early still is in time.
        let due = newest.time.nanoseconds.addingSaturated(interval - interval / 10)
        return head.stamp.time.nanoseconds >= due
    }

    /// The oldest sample of a sensor when it belongs to that state or before.
    private mutating func take(_ sensor: Sensor, upTo stamp: SampleStamp) -> SampleQueue.Item? {
        while let head = self[sensor].queue.first, head.stamp <= stamp {
            self[sensor].queue.removeFirst()
            guard isStray(head.stamp) else {
                self[sensor].strays = 0
                return head
            }
            self[sensor].strays += 1
            if self[sensor].strays >= Self.maximumStrays { self[sensor].isOffBeat = true }
        }
        return nil
    }

    /// True for a sample that is too old to be of use.
    private func isStray(_ stamp: SampleStamp) -> Bool {
        guard let settled else { return false }
        if stamp.epoch != settled.epoch { return stamp.epoch < settled.epoch }
        let age = settled.time.nanoseconds.subtractingSaturated(stamp.time.nanoseconds)
        return age > Self.disagreement
    }
}
