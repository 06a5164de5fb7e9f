// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Sorts gyroscope, accelerometer and magnetometer samples by measurement time.
///
/// The aligner produces one state for each sample of the driving sensor, which is the gyroscope, or the accelerometer
/// if there is no gyroscope. Each state waits for samples from the other sensors, but only until the driving sensor's
/// next sample arrives. As a result, the order in which simultaneous samples arrive does not matter. A sample that
/// arrives too late is processed before the next state, with its original time.
///
/// The aligner does not wait for a sensor that is lost or silent. If a sensor's clock disagrees with the other clocks,
/// its samples are processed on arrival. After each change, call `next()` until it returns nil:
///
/// ```swift
/// aligner.add(.gyroscope, values: values, times: times, arrival: now)
/// while let step = aligner.next() { … }
/// ```
struct SampleAligner: Sendable {
    enum Step: Sendable, Hashable {
        case gyroscope(SIMD3<Double>, BootTime)
        case accelerometer(SIMD3<Double>, BootTime)
        case magnetometer(SIMD3<Double>, BootTime)
        case state(BootTime)
    }

    /// The sensors, in the order in which simultaneous samples are processed.
    enum Sensor: Int, Sendable, CaseIterable {
        case gyroscope, accelerometer, magnetometer

        init?(_ kind: SensorKind) {
            switch kind {
            case .gyroscope: self = .gyroscope
            case .accelerometer: self = .accelerometer
            case .magnetometer: self = .magnetometer
            default: return nil
            }
        }
    }

    private static let maximumQueuedSamples = 2048
    /// The difference from the other clocks above which a sensor's timestamps are no longer used, in nanoseconds.
    private static let maximumClockDifference: Int64 = 1_000_000_000
    /// The difference from the other clocks below which a sensor's timestamps are used again, in nanoseconds.
    private static let restoredClockDifference: Int64 = 500_000_000
    private static let maximumLateSamples = 10

    /// The maximum time that the source may buffer samples, in nanoseconds.
    var latency: Int64 = 0
    // The arrays are indexed by `Sensor.rawValue`.
    private var timings = InlineArray<3, SensorTiming>(repeating: SensorTiming())
    private var queues = InlineArray<3, SampleQueue>(repeating: SampleQueue())
    /// True if `recordArrival` may have to set a sensor's `awaitedSince`.
    private var mayNeedAwaitStart = true
    private static let gyroscope = Sensor.gyroscope.rawValue
    private static let accelerometer = Sensor.accelerometer.rawValue
    private static let magnetometer = Sensor.magnetometer.rawValue
    /// `currentState` is the time of the state whose accelerometer and magnetometer samples `next()` is returning.
    /// `lastState` is the time of the last complete state.
    private var currentState: SampleStamp?
    private var lastState: SampleStamp?
    private var isFlushing = false
    private var newestArrival = BootTime(nanoseconds: .min)

    // MARK: Input

    mutating func setExpected(_ sensor: Sensor, _ isExpected: Bool) {
        guard timings[sensor.rawValue].isExpected != isExpected else { return }
        mayNeedAwaitStart = true
        timings[sensor.rawValue].isExpected = isExpected
        timings[sensor.rawValue].restartWaiting()
    }

    mutating func recordLoss(of sensor: Sensor) { timings[sensor.rawValue].isLost = true }

    mutating func recordRecovery(of sensor: Sensor) {
        mayNeedAwaitStart = true
        timings[sensor.rawValue].restartWaiting()
    }

    mutating func restart() {
        for sensor in Sensor.allCases {
            timings[sensor.rawValue].restart()
            queues[sensor.rawValue].removeAll()
        }
        (currentState, lastState) = (nil, nil)
        isFlushing = false
        mayNeedAwaitStart = true
        newestArrival = BootTime(nanoseconds: .min)
    }

    mutating func add(_ sensor: Sensor, values: [SIMD3<Double>], times: [BootTime], arrival: BootTime) {
        recordArrival(arrival)
        if timings[sensor.rawValue].newestTime == nil, let reference = referenceSensor(for: sensor) {
            timings[sensor.rawValue].epoch = timings[reference.rawValue].epoch
        }
        if !timings[sensor.rawValue].isExpected { mayNeedAwaitStart = true }
        timings[sensor.rawValue].isExpected = true
        timings[sensor.rawValue].isLost = false
        timings[sensor.rawValue].newestArrival = arrival
        for index in 0..<min(values.count, times.count) {
            guard timings[sensor.rawValue].record(times[index]) else { continue }
            let stamp = stamp(of: sensor, times[index])
            timings[sensor.rawValue].newest = stamp
            queues[sensor.rawValue].append(SampleQueue.Item(value: values[index], stamp: stamp, arrival: arrival))
            if queues[sensor.rawValue].count > Self.maximumQueuedSamples, sensor != drivingSensor {
                queues[sensor.rawValue].removeFirst()
            }
        }
        if sensor == drivingSensor {
            for other in Sensor.allCases where other != sensor { checkClock(of: other, at: arrival) }
        }
    }

    /// Records the current time. Called even if no new samples have arrived.
    mutating func recordArrival(_ arrival: BootTime) {
        newestArrival = max(newestArrival, arrival)
        guard mayNeedAwaitStart else { return }
        mayNeedAwaitStart = false
        for sensor in Sensor.allCases
        where timings[sensor.rawValue].isExpected && timings[sensor.rawValue].awaitedSince == nil {
            timings[sensor.rawValue].awaitedSince = arrival
        }
    }

    /// Makes `next()` complete all waiting states, even if further samples are expected. Remains in effect until
    /// `next()` returns nil.
    mutating func flush() { isFlushing = true }

    // The getters are mutating so that they access the samples in place instead of copying them.

    /// The arrival time of the oldest sample that is waiting for a state, or nil if none is waiting.
    var waitingSince: BootTime? {
        mutating get {
            guard let first = queues[Self.gyroscope].firstArrival else {
                return queues[Self.accelerometer].firstArrival
            }
            return queues[Self.accelerometer].firstArrival.map { min($0, first) } ?? first
        }
    }

    /// Returns true if the sensor has delivered samples and is not lost or silent.
    func isPresent(_ sensor: Sensor) -> Bool {
        timings[sensor.rawValue].isExpected && !timings[sensor.rawValue].isLost
            && timings[sensor.rawValue].newest != nil
            && !timings[sensor.rawValue].isSilent(at: newestArrival, latency: latency)
    }

    /// The driving sensor's shortest recent interval, in nanoseconds.
    var interval: Int64? { mutating get { timings[drivingSensor.rawValue].interval } }

    // MARK: Clocks

    private func referenceSensor(for sensor: Sensor) -> Sensor? {
        Sensor.allCases.first { $0 != sensor && timings[$0.rawValue].newest != nil }
    }

    private mutating func stamp(of sensor: Sensor, _ time: BootTime) -> SampleStamp {
        let own = SampleStamp(epoch: timings[sensor.rawValue].epoch, time: time)
        guard timings[sensor.rawValue].hasForeignClock, sensor != drivingSensor,
            let now = timings[drivingSensor.rawValue].newest
        else { return own }
        let difference = time.nanoseconds.subtractingSaturated(now.time.nanoseconds)
        guard abs(max(difference, -.max)) <= Self.restoredClockDifference else { return now }  // `abs(.min)` traps
        timings[sensor.rawValue].hasForeignClock = false
        timings[sensor.rawValue].lateSampleCount = 0
        timings[sensor.rawValue].epoch = now.epoch
        return SampleStamp(epoch: now.epoch, time: time)
    }

    /// Checks whether a sensor's clock disagrees with the other clocks. It is assumed to disagree if the sensor's
    /// oldest waiting sample arrived long ago, yet has a later timestamp than the driving sensor's newest sample.
    private mutating func checkClock(of sensor: Sensor, at arrival: BootTime) {
        guard let stamp = queues[sensor.rawValue].firstStamp, let now = timings[drivingSensor.rawValue].newest,
            stamp > now, let since = queues[sensor.rawValue].firstArrival
        else { return }
        let waited = arrival.nanoseconds.subtractingSaturated(since.nanoseconds)
        guard waited > Self.maximumClockDifference.addingSaturated(latency) else { return }
        timings[sensor.rawValue].hasForeignClock = true
        timings[sensor.rawValue].newest = now
        queues[sensor.rawValue].restamp(now)
    }

    // MARK: Output

    /// The sensor whose samples trigger state updates.
    @inline(__always) private var drivingSensor: Sensor {
        mutating get {
            if !queues[Self.gyroscope].isEmpty { return .gyroscope }
            return timings[Self.gyroscope].isExpected && !timings[Self.gyroscope].isLost
                && !timings[Self.gyroscope].isSilent(at: newestArrival, latency: latency) ? .gyroscope : .accelerometer
        }
    }

    mutating func next() -> Step? {
        while true {
            if let stamp = currentState {
                if let item = removeFirst(.accelerometer, upTo: stamp) {
                    return .accelerometer(item.value, item.stamp.time)
                }
                if let item = removeFirst(.magnetometer, upTo: stamp) {
                    return .magnetometer(item.value, item.stamp.time)
                }
                currentState = nil
                lastState = stamp
                return .state(stamp.time)
            }
            let driver = drivingSensor
            guard let stamp = queues[driver.rawValue].firstStamp else { break }
            if let lastState, stamp <= lastState {
                // The sample is too late to trigger a state, because the previous driving sensor has already triggered
                // later ones.
                guard let head = queues[driver.rawValue].popFirst() else { break }
                if driver == .accelerometer { return .accelerometer(head.value, head.stamp.time) }
                continue
            }
            guard isReady(stamp, of: driver) else { break }
            currentState = stamp
            guard driver == .gyroscope, let head = queues[driver.rawValue].popFirst() else { continue }
            return .gyroscope(head.value, head.stamp.time)
        }
        isFlushing = false
        return nil
    }

    private mutating func isReady(_ stamp: SampleStamp, of driver: Sensor) -> Bool {
        if isFlushing || timings[driver.rawValue].isLost || !timings[driver.rawValue].isExpected { return true }
        guard let arrival = queues[driver.rawValue].firstArrival,
            !queues[driver.rawValue].hasSample(after: arrival, stamp.epoch)
        else { return true }
        if queues[driver.rawValue].count > Self.maximumQueuedSamples { return true }
        if driver == .gyroscope, timings[Self.accelerometer].isDue(by: stamp, arrival, latency: latency) {
            return false
        }
        return !timings[Self.magnetometer].isDue(by: stamp, arrival, latency: latency)
    }

    /// Removes and returns a sensor's oldest sample, unless the sample is later than `stamp`. Discards samples that are
    /// too old.
    private mutating func removeFirst(_ sensor: Sensor, upTo stamp: SampleStamp) -> SampleQueue.Item? {
        while let first = queues[sensor.rawValue].firstStamp, first <= stamp,
            let head = queues[sensor.rawValue].popFirst()
        {
            guard isTooOld(head.stamp) else {
                timings[sensor.rawValue].lateSampleCount = 0
                return head
            }
            timings[sensor.rawValue].lateSampleCount += 1
            if timings[sensor.rawValue].lateSampleCount >= Self.maximumLateSamples {
                timings[sensor.rawValue].hasForeignClock = true
            }
        }
        return nil
    }

    private func isTooOld(_ stamp: SampleStamp) -> Bool {
        guard let lastState else { return false }
        if stamp.epoch != lastState.epoch { return stamp.epoch < lastState.epoch }
        let age = lastState.time.nanoseconds.subtractingSaturated(stamp.time.nanoseconds)
        return age > Self.maximumClockDifference
    }
}
