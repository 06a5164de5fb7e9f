// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// A converter of pressure to height relative to the first value.
struct RelativeAltitudeConverter: ReadingConverter {
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

/// A converter of pressure to altitude above mean sea level: the altitude of a position fix, updated with the change of
/// pressure since that fix.
///
/// Pressure alone does not determine the altitude, because the weather changes it by the equivalent of tens of metres.
/// Values are therefore produced only after a fix with an altitude and an error estimate. Their accuracy is the sum of
///
/// - the error of the fix,
/// - 10 metres for each hour since the fix, about the fastest common change of pressure by weather (1.2 hPa), and
/// - 4 % of the height gained or lost since the fix, the error of the formula in air that is 10 K off the standard.
///
/// A new fix replaces the current one if its error does not exceed this accuracy.
struct AbsoluteAltitudeConverter: ReadingConverter {
    /// An altitude and its errors, in metres.
    struct Value: Sendable {
        var altitude: Double
        var accuracy: Double
        /// The standard deviation of the averaged readings; negative if there was only one reading.
        var precision: Double
        var time: BootTime
    }

    /// A fix and the pressure at the time of the fix.
    private struct Anchor {
        var altitude: Double
        var error: Double
        var pressure: Double
        var time: BootTime

        func accuracy(at time: BootTime, height: Double) -> Double {
            error + AbsoluteAltitudeConverter.drift * max(0, time.seconds(since: self.time)) / 3600
                + AbsoluteAltitudeConverter.formulaError * abs(height)
        }
    }

    /// The error that weather adds, in metres per hour.
    static let drift = 10.0
    /// The relative error of heights that the barometric formula computes.
    static let formulaError = 0.04
    /// The maximum time between a fix and the pressure of an anchor, in seconds.
    static let maximumTimeDifference = 2.0

    private let lastFix: @Sendable () -> PositionFix?
    private var mean = PressureAverager()
    private var anchor: Anchor?

    init(lastFix: @escaping @Sendable () -> PositionFix?) { self.lastFix = lastFix }

    mutating func process(_ batch: MotionBatch, into mailbox: inout PendingMotionCallbacks<Value>) {
        for index in 0..<batch.count {
            guard let event = mean.process(batch.values[index].x, at: batch.times[index]) else { continue }
            updateAnchor(event)
            guard let anchor else { continue }
            let height = BarometricFormula.height(pressure: event.pressure, reference: anchor.pressure)
            let scatter = BarometricFormula.height(ofDifference: event.deviation, at: event.pressure)
            mailbox.append(
                Value(
                    altitude: anchor.altitude + height,
                    accuracy: anchor.accuracy(at: event.time, height: height),
                    precision: scatter >= 0 ? scatter : -1,
                    time: event.time))
        }
    }

    private mutating func updateAnchor(_ event: PressureAverager.Value) {
        // In a 2D fix, the altitude is the last known one or a guess.
        guard let report = lastFix()?.report, report.mode == .threeDimensional, report.verticalError >= 0,
            abs(event.time.seconds(since: report.arrival)) <= Self.maximumTimeDifference
        else { return }
        guard report.altitude.isFinite, report.verticalError.isFinite else { return }
        if let anchor {
            let height = BarometricFormula.height(pressure: event.pressure, reference: anchor.pressure)
            guard report.verticalError <= anchor.accuracy(at: event.time, height: height) else { return }
        }
        anchor = Anchor(
            altitude: report.altitude, error: report.verticalError, pressure: event.pressure, time: event.time)
    }
}
