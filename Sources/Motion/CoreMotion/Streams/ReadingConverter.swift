// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A converter of a source's input to the values that a handler receives.
protocol ReadingConverter: Sendable {
    /// The input of one event of the source.
    associatedtype Input: Sendable
    /// The value that is passed to the handler in one call.
    associatedtype Value: Sendable

    /// Processes input. Appends completed values and errors to the handler's queue, in order.
    mutating func process(_ input: Input, into mailbox: inout PendingMotionCallbacks<Value>)
}

/// A converter that passes on each reading as a separate value.
struct SingleReadings: ReadingConverter {
    mutating func process(_ batch: MotionBatch, into mailbox: inout PendingMotionCallbacks<ConvertedReading>) {
        for index in 0..<batch.count {
            mailbox.append(ConvertedReading(value: batch.values[index], time: batch.times[index]))
        }
    }
}

/// A reading of a sensor, in the sensor's units and the device's axes, with the time of the measurement.
struct ConvertedReading: Sendable {
    var value: SIMD3<Double>
    var time: BootTime
}

/// The source of a stream and the converter of its input.
struct StreamConfiguration<Shaper: ReadingConverter>: Sendable {
    let source: StreamSource<Shaper.Input>
    /// Creates a converter without state. Called for each start of updates.
    let makeConverter: @Sendable () -> Shaper
}
