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

        /// Returns nil for a kind that the attitude filter does not use.
        init?(_ kind: SensorKind) {
            switch kind {
            case .gyroscope: self = .gyroscope
            case .accelerometer: self = .accelerometer
            case .magnetometer: self = .magnetometer
            default: return nil
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
    /// By the sensors' raw values.
    private var tracks = InlineArray<3, SampleTrack>(repeating: SampleTrack())
    /// Of the same sensors.
    private var queues = InlineArray<3, SampleQueue>(repeating: SampleQueue())
    /// True when a sensor may be expected whose first sample is not awaited yet.
    private var hasToAwait = true
    private static let gyroscope = Sensor.gyroscope.rawValue
    private static let accelerometer = Sensor.accelerometer.rawValue
    private static let magnetometer = Sensor.magnetometer.rawValue
    /// The time of the state that is being made.
    private var settling: SampleStamp?
    /// The time of the last state.
    private var settled: SampleStamp?
    private var isReleasing = false
    private var newestArrival = BootTime(nanoseconds: .min)

    // MARK: What comes in

    /// Says whether samples of a sensor are to be expected.
    mutating func expect(_ sensor: Sensor, _ isExpected: Bool) {
        guard tracks[sensor.rawValue].isExpected != isExpected else { return }
        hasToAwait = true
        tracks[sensor.rawValue].isExpected = isExpected
        tracks[sensor.rawValue].awaitAnew()
    }

    /// The sensor gives nothing for now.
    mutating func lose(_ sensor: Sensor) { tracks[sensor.rawValue].isLost = true }

    /// The sensor is back.
    mutating func regain(_ sensor: Sensor) {
        hasToAwait = true
        tracks[sensor.rawValue].awaitAnew()
    }

    /// Forgets all samples and times.
    mutating func restart() {
        for sensor in Sensor.allCases {
            tracks[sensor.rawValue].restart()
            queues[sensor.rawValue].removeAll()
        }
        (settling, settled) = (nil, nil)
        isReleasing = false
        hasToAwait = true
        newestArrival = BootTime(nanoseconds: .min)
    }

    /// Takes samples of a sensor.
    mutating func add(_ sensor: Sensor, values: [SIMD3<Double>], times: [BootTime], arrival: BootTime) {
        note(arrival: arrival)
        if tracks[sensor.rawValue].newestTime == nil, let master = master(of: sensor) {
            tracks[sensor.rawValue].epoch = tracks[master.rawValue].epoch
        }
        if !tracks[sensor.rawValue].isExpected { hasToAwait = true }
        tracks[sensor.rawValue].isExpected = true
        tracks[sensor.rawValue].isLost = false
        tracks[sensor.rawValue].newestArrival = arrival
        for index in 0..<min(values.count, times.count) {
            guard tracks[sensor.rawValue].note(times[index]) else { continue }
            let stamp = stamp(of: sensor, times[index])
            tracks[sensor.rawValue].newest = stamp
            queues[sensor.rawValue].append(SampleQueue.Item(value: values[index], stamp: stamp, arrival: arrival))
            if queues[sensor.rawValue].count > Self.limit, sensor != driver {
                queues[sensor.rawValue].removeFirst()
            }
        }
        if sensor == driver {
            for other in Sensor.allCases where other != sensor { checkClock(of: other, at: arrival) }
        }
    }

    /// Time has passed without samples.
    mutating func note(arrival: BootTime) {
        newestArrival = max(newestArrival, arrival)
        guard hasToAwait else { return }
        hasToAwait = false
        for sensor in Sensor.allCases
        where tracks[sensor.rawValue].isExpected && tracks[sensor.rawValue].awaitedSince == nil {
            tracks[sensor.rawValue].awaitedSince = arrival
        }
    }

    /// Nothing is to be waited for any longer: the steps that follow, until there is none, are for all states that can be
    /// made.
    mutating func release() { isReleasing = true }

    // Who looks changes nothing. It is mutating so that it looks at the samples where they lie, and not at copies.

    /// When the oldest sample came in of those that wait for a state; nil when none does.
    var waitingSince: BootTime? {
        mutating get {
            guard let first = queues[Self.gyroscope].firstArrival else {
                return queues[Self.accelerometer].firstArrival
            }
            return queues[Self.accelerometer].firstArrival.map { min($0, first) } ?? first
        }
    }

    /// True while samples of the sensor can be counted on.
    func isPresent(_ sensor: Sensor) -> Bool {
        tracks[sensor.rawValue].isExpected && !tracks[sensor.rawValue].isLost && tracks[sensor.rawValue].newest != nil
            && !tracks[sensor.rawValue].isSilent(at: newestArrival, latency: latency)
    }

    /// Nanoseconds between states at the pace of late; nil when not known.
    var interval: Int64? { mutating get { tracks[driver.rawValue].interval } }

    // MARK: Clocks

    private func master(of sensor: Sensor) -> Sensor? {
        Sensor.allCases.first { $0 != sensor && tracks[$0.rawValue].newest != nil }
    }

    private mutating func stamp(of sensor: Sensor, _ time: BootTime) -> SampleStamp {
        let own = SampleStamp(epoch: tracks[sensor.rawValue].epoch, time: time)
        guard tracks[sensor.rawValue].isOffBeat, sensor != driver, let now = tracks[driver.rawValue].newest else {
            return own
        }
        let difference = time.nanoseconds.subtractingSaturated(now.time.nanoseconds)
        guard abs(max(difference, -.max)) <= Self.agreement else { return now }
        tracks[sensor.rawValue].isOffBeat = false
        tracks[sensor.rawValue].strays = 0
        tracks[sensor.rawValue].epoch = now.epoch
        return SampleStamp(epoch: now.epoch, time: time)
    }

    /// A sample whose time does not come, though time has passed, was stamped by another clock.
    private mutating func checkClock(of sensor: Sensor, at arrival: BootTime) {
        guard let stamp = queues[sensor.rawValue].firstStamp, let now = tracks[driver.rawValue].newest, stamp > now,
            let since = queues[sensor.rawValue].firstArrival
        else { return }
        let waited = arrival.nanoseconds.subtractingSaturated(since.nanoseconds)
        guard waited > Self.disagreement.addingSaturated(latency) else { return }
        tracks[sensor.rawValue].isOffBeat = true
        tracks[sensor.rawValue].newest = now
        queues[sensor.rawValue].restamp(now)
    }

    // MARK: What goes out

    /// The sensor whose samples make states.
    @inline(__always)
    private var driver: Sensor {
        mutating get {
            if !queues[Self.gyroscope].isEmpty { return .gyroscope }
            let isThere =
                tracks[Self.gyroscope].isExpected && !tracks[Self.gyroscope].isLost
                && !tracks[Self.gyroscope].isSilent(at: newestArrival, latency: latency)
            return isThere ? .gyroscope : .accelerometer
        }
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
            guard let stamp = queues[driver.rawValue].firstStamp else { break }
            if let settled, stamp <= settled {
                // The other sensor has made states for later times already.
                guard let head = queues[driver.rawValue].takeFirst() else { break }
                if driver == .accelerometer { return .accelerometer(head.value, head.stamp.time) }
                continue
            }
            guard isReady(stamp, of: driver) else { break }
            settling = stamp
            guard driver == .gyroscope, let head = queues[driver.rawValue].takeFirst() else { continue }
            return .gyroscope(head.value, head.stamp.time)
        }
        isReleasing = false
        return nil
    }

    /// True when the state of the sample needs nothing more, or has waited long enough.
    private mutating func isReady(_ stamp: SampleStamp, of driver: Sensor) -> Bool {
        if isReleasing || tracks[driver.rawValue].isLost || !tracks[driver.rawValue].isExpected { return true }
        guard let arrival = queues[driver.rawValue].firstArrival,
            !queues[driver.rawValue].hasLater(than: arrival, stamp.epoch)
        else { return true }
        if queues[driver.rawValue].count > Self.limit { return true }
        if driver == .gyroscope, tracks[Self.accelerometer].isDue(by: stamp, arrival, latency: latency) { return false }
        return !tracks[Self.magnetometer].isDue(by: stamp, arrival, latency: latency)
    }

    /// The oldest sample of a sensor when it belongs to that state or before.
    private mutating func take(_ sensor: Sensor, upTo stamp: SampleStamp) -> SampleQueue.Item? {
        while let first = queues[sensor.rawValue].firstStamp, first <= stamp,
            let head = queues[sensor.rawValue].takeFirst()
        {
            guard isStray(head.stamp) else {
                tracks[sensor.rawValue].strays = 0
                return head
            }
            tracks[sensor.rawValue].strays += 1
            if tracks[sensor.rawValue].strays >= Self.maximumStrays { tracks[sensor.rawValue].isOffBeat = true }
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
