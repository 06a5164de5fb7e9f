// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

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
