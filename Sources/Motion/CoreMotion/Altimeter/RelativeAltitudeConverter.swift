// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// A converter of pressure to height relative to the first value.
struct RelativeAltitudeConverter: ReadingConverter {
    /// A height and the pressure from which it was computed.
    struct Value: Sendable {
        /// The height, in metres.
        var altitude: Double
        /// The pressure, in kilopascals.
        var pressure: Double
        var time: BootTime
    }

    private var mean = PressureAverager()
    private var reference: Double?

    mutating func process(_ batch: MotionBatch, into mailbox: inout PendingMotionCallbacks<Value>) {
        for index in 0..<batch.count {
            guard let event = mean.process(batch.values[index].x, at: batch.times[index]) else { continue }
            let reference = reference ?? event.pressure
            self.reference = reference
            mailbox.append(
                Value(
                    altitude: BarometricFormula.height(pressure: event.pressure, reference: reference),
                    pressure: event.pressure, time: event.time))
        }
    }
}

/// The international barometric formula for the troposphere of the standard atmosphere (ISO 2533:1975, ICAO Doc 7488).
///
/// h = T/L · (1 - (p/p₀)^(R·L/g)) with T = 288.15 K at the reference, L = 0.0065 K/m, R = 287.05287 J/(kg·K) and
/// g = 9.80665 m/s², which is 44330.77 m · (1 - (p/p₀)^0.190263). If the air at the reference is 10 K colder or warmer
/// than 15 °C, heights are 3.5 % too large or too small.
enum BarometricFormula {
    private static let temperature = 288.15
    private static let lapseRate = 0.0065
    private static let exponent = 287.05287 * lapseRate / 9.80665

    /// Returns the height above the level at which the pressure equals the reference, in metres.
    static func height(pressure: Double, reference: Double) -> Double {
        temperature / lapseRate * (1 - pow(pressure / reference, exponent))
    }

    /// Returns the height that corresponds to a small difference in pressure, in metres.
    static func height(ofDifference difference: Double, at pressure: Double) -> Double {
        temperature / lapseRate * exponent * difference / pressure
    }
}
