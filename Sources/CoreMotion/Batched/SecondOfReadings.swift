// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Groups readings by their time stamps into arrays of a second, however the source hands them over.
struct SecondOfReadings: ReadingShaper {
    /// Seconds of readings in an array.
    static let length = 1.0
    /// Readings a second that are asked for at most, as on Apple's hardware; a faster sensor gives this many.
    static let greatestRate = 800.0
    /// More than this a second do not wait to be complete, whatever their time stamps say.
    static let limit = 2 * Int(greatestRate)

    private var readings: [MotionReading] = []

    mutating func take(_ batch: MotionBatch, into mailbox: inout Mailbox<[MotionReading]>) {
        for index in 0..<batch.count {
            let reading = MotionReading(value: batch.values[index], time: batch.times[index])
            if let first = readings.first {
                let seconds = reading.time.seconds(since: first.time)
                if seconds >= Self.length || seconds < 0 || readings.count >= Self.limit {
                    mailbox.add(readings)
                    readings = []
                    readings.reserveCapacity(min(Self.limit, batch.count + 64))
                }
            }
            readings.append(reading)
        }
    }
}
