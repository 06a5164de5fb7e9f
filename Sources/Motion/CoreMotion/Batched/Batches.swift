// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine
import SensorFusion

/// The duration and limits of the batches that `CMBatchedSensorManager` delivers.
enum Batches {
    /// The duration of a batch, in seconds.
    static let duration = 1.0
    /// The maximum number of batches queued for a handler. If there are more, the oldest are dropped.
    static let maximumQueuedBatches = 16
    /// The maximum rate of accelerometer readings, in hertz, as on Apple's hardware. Faster sensors are limited to this
    /// rate.
    static let maximumAccelerometerRate = 800.0
    /// The maximum rate of device motion, in hertz, as on Apple's hardware.
    static let maximumDeviceMotionRate = 200.0

    static var accelerometerInterval: Double { 1 / maximumAccelerometerRate }
    static var deviceMotionInterval: Double { 1 / maximumDeviceMotionRate }
}

extension Device {
    /// Returns the sensor's maximum rate in values per second, or its measured rate if the maximum is unknown. The
    /// result is at most `limit`. Returns 0 if neither rate is known.
    func batchFrequency(of kind: SensorKind, limit: Double) -> Int {
        guard let sensor = sensor(kind) else { return 0 }
        guard let rate = sensor.rates.maximum ?? motionSource.measuredRate(of: sensor.id), rate.isFinite else {
            return 0
        }
        return Int(max(0, min(rate, limit)).rounded())
    }
}

/// Groups values by timestamp into one-second arrays, regardless of how the source batches them.
struct BatchCollector<Value: Sendable>: Sendable {
    private var values: [Value] = []
    private var start = BootTime.zero
    /// The maximum number of values in an array. An array of this length is complete, even if it spans less than a
    /// second.
    private let maximumValues: Int

    /// - Parameter rate: The maximum expected number of values per second.
    init(rate: Double) { maximumValues = 2 * Int(rate) }

    /// Adds a value. If the value begins a new array, returns the previous array. Otherwise, returns nil.
    mutating func append(_ value: Value, at time: BootTime) -> [Value]? {
        var complete: [Value]?
        if !values.isEmpty {
            let seconds = time.seconds(since: start)
            if seconds >= Batches.duration || seconds < 0 || values.count >= maximumValues {
                complete = values
                values = []
                values.reserveCapacity(min(maximumValues, (complete?.count ?? 0) + 16))
            }
        }
        if values.isEmpty { start = time }
        values.append(value)
        return complete
    }
}

/// Groups accelerometer readings into arrays that each cover one second.
struct AccelerometerBatches: ReadingConverter {
    private var collector = BatchCollector<ConvertedReading>(rate: Batches.maximumAccelerometerRate)

    /// Returns a configuration that allows the kernel to buffer readings for one second.
    static func configuration(for device: Device) -> StreamConfiguration<AccelerometerBatches> {
        StreamConfiguration(source: .sensor(.accelerometer, of: device, latency: Batches.duration)) {
            AccelerometerBatches()
        }
    }

    mutating func process(_ batch: MotionBatch, into callbacks: inout PendingMotionCallbacks<[ConvertedReading]>) {
        for index in 0..<batch.count {
            let reading = ConvertedReading(value: batch.values[index], time: batch.times[index])
            if let readings = collector.append(reading, at: reading.time) { callbacks.append(readings) }
        }
    }
}

/// Groups device motion into arrays that each cover one second. The reference frame is `xArbitraryZVertical`.
struct DeviceMotionBatches: ReadingConverter {
    private var collector = BatchCollector<FusedMotionReading>(rate: Batches.maximumDeviceMotionRate)
    private var axis = HeadingAxis()

    /// Returns a configuration that allows the kernel to buffer readings for one second.
    static func configuration(for device: Device) -> StreamConfiguration<DeviceMotionBatches> {
        StreamConfiguration(source: .attitude(of: device, withNorth: false, latency: Batches.duration)) {
            DeviceMotionBatches()
        }
    }

    mutating func process(_ states: [FusedState], into callbacks: inout PendingMotionCallbacks<[FusedMotionReading]>) {
        for state in states where state.usesGyroscope {
            guard let values = MotionConversion.deviceMotion(state, in: .defaultFrame, correctedFrom: 0, axis: &axis)
            else {
                continue
            }
            let motion = FusedMotionReading(values: values, time: state.time)
            if let motions = collector.append(motion, at: motion.time) { callbacks.append(motions) }
        }
    }
}
