// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// Heights above the place where updates began, from pressure alone.
struct RelativeAltitude: ReadingShaper {
    /// What one event tells.
    struct Value: Sendable {
        /// Metres.
        var altitude: Double
        /// Kilopascal.
        var pressure: Double
        var time: BootTime
    }

    private var mean = MeanPressure()
    private var reference: Double?

    mutating func take(_ batch: MotionBatch, into mailbox: inout Mailbox<Value>) {
        for index in 0..<batch.count {
            guard let event = mean.take(batch.values[index].x, at: batch.times[index]) else { continue }
            let reference = reference ?? event.pressure
            self.reference = reference
            mailbox.add(
                Value(
                    altitude: BarometricFormula.height(pressure: event.pressure, reference: reference),
                    pressure: event.pressure, time: event.time))
        }
    }
}
