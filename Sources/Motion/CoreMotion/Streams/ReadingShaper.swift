// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Makes of what a source measures what a program is told.
protocol ReadingShaper: Sendable {
    /// What comes in at once.
    associatedtype Input: Sendable
    /// What is told in one call.
    associatedtype Value: Sendable

    /// Takes input as it comes in; adds each value that it completes, and errors in their place among them.
    mutating func take(_ input: Input, into mailbox: inout Mailbox<Value>)
}

/// Each reading is told by itself.
struct EachReading: ReadingShaper {
    mutating func take(_ batch: MotionBatch, into mailbox: inout Mailbox<MotionReading>) {
        for index in 0..<batch.count {
            mailbox.add(MotionReading(value: batch.values[index], time: batch.times[index]))
        }
    }
}

/// A value of a sensor, in its own units and the device's axes, with the time at which it was measured.
struct MotionReading: Sendable {
    var value: SIMD3<Double>
    var time: BootTime
}

/// Where a stream's input comes from and what becomes of it.
struct StreamPlan<Shaper: ReadingShaper>: Sendable {
    let source: StreamSource<Shaper.Input>
    /// Makes the shaper for a start, which begins with nothing.
    let makeShaper: @Sendable () -> Shaper
}
