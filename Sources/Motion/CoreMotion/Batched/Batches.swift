// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine
import SensorFusion

/// What batches have in common.
enum Batches {
    /// Seconds of values in a batch.
    static let length = 1.0
    /// More batches than this do not wait: the oldest are dropped.
    static let limit = 16
    /// Accelerometer readings a second that are asked for at most, as on Apple's hardware; a faster sensor gives this many.
    static let accelerometerRate = 800.0
    /// Device motions a second that are asked for at most, as on Apple's hardware.
    static let deviceMotionRate = 200.0

    static var accelerometerInterval: Double { 1 / accelerometerRate }
    static var deviceMotionInterval: Double { 1 / deviceMotionRate }
}

extension Device {
    /// The values a second in batches: the sensor's greatest rate up to the limit, else what was measured.
    func batchFrequency(of kind: SensorKind, limit: Double) -> Int {
        guard let sensor = sensor(kind) else { return 0 }
        guard let rate = sensor.rates.greatest ?? motionSource.measuredRate(of: sensor.id), rate.isFinite else {
            return 0
        }
        return Int(max(0, min(rate, limit)).rounded())
    }
}

/// Groups values by their time stamps into arrays of a second, however the source hands them over.
struct SecondCollector<Value: Sendable>: Sendable {
    private var values: [Value] = []
    private var start = BootTime.zero
    /// More than this do not wait to be complete, whatever their time stamps say.
    private let limit: Int

    /// - Parameter rate: The values a second that are expected at most.
    init(rate: Double) { limit = 2 * Int(rate) }

    /// Takes a value; returns the array before it when it belongs to the next.
    mutating func take(_ value: Value, at time: BootTime) -> [Value]? {
        var complete: [Value]?
        if !values.isEmpty {
            let seconds = time.seconds(since: start)
            if seconds >= Batches.length || seconds < 0 || values.count >= limit {
                complete = values
                values = []
                values.reserveCapacity(min(limit, (complete?.count ?? 0) + 16))
            }
        }
        if values.isEmpty { start = time }
        values.append(value)
        return complete
    }
}

/// Groups the readings of the accelerometer into arrays of a second.
struct SecondOfReadings: ReadingShaper {
    private var collector = SecondCollector<MotionReading>(rate: Batches.accelerometerRate)

    /// What batches of the accelerometer come from. Readings may wait in the kernel until there is a second of them.
    static func plan(_ device: Device) -> StreamPlan<SecondOfReadings> {
        StreamPlan(source: .sensor(.accelerometer, of: device, latency: Batches.length)) { SecondOfReadings() }
    }

    mutating func take(_ batch: MotionBatch, into mailbox: inout Mailbox<[MotionReading]>) {
        for index in 0..<batch.count {
            let reading = MotionReading(value: batch.values[index], time: batch.times[index])
            if let readings = collector.take(reading, at: reading.time) { mailbox.add(readings) }
        }
    }
}

/// Groups device motions, in the frame that needs no magnetometer, into arrays of a second.
struct SecondOfMotions: ReadingShaper {
    private var collector = SecondCollector<DeviceMotionReading>(rate: Batches.deviceMotionRate)
    private var axis = HeadingAxis()

    /// What batches of device motion come from. Readings may wait in the kernel until there is a second of them.
    static func plan(_ device: Device) -> StreamPlan<SecondOfMotions> {
        StreamPlan(source: .attitude(of: device, withNorth: false, latency: Batches.length)) { SecondOfMotions() }
    }

    mutating func take(_ states: [FusedState], into mailbox: inout Mailbox<[DeviceMotionReading]>) {
        for state in states where state.usesGyroscope {
            guard let values = MotionConversion.deviceMotion(state, in: .standard, correctedFrom: 0, axis: &axis) else {
                continue
            }
            let motion = DeviceMotionReading(values: values, time: state.time)
            if let motions = collector.take(motion, at: motion.time) { mailbox.add(motions) }
        }
    }
}
