// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Makes of a sensor's readings what a program is told.
protocol ReadingShaper: Sendable {
    /// What is told in one call.
    associatedtype Value: Sendable

    /// Takes readings as they come in; adds each value that they complete.
    mutating func take(_ batch: MotionBatch, into mailbox: inout Mailbox<Value>)
}

/// Each reading is told by itself.
struct EachReading: ReadingShaper {
    mutating func take(_ batch: MotionBatch, into mailbox: inout Mailbox<MotionReading>) {
        for index in 0..<batch.count {
            mailbox.add(MotionReading(value: batch.values[index], time: batch.times[index]))
        }
    }
}
