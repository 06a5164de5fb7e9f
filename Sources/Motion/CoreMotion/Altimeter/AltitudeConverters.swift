// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// Converts pressure readings to heights relative to the first averaged reading.
struct RelativeAltitudeConverter: ReadingConverter {
    struct Value: Sendable {
        /// The altitude is in metres, the pressure in kilopascals.
        var altitude: Double
        var pressure: Double
        var time: BootTime
    }

    private var averager = PressureAverager()
    private var reference: Double?

    mutating func process(_ batch: MotionBatch, into callbacks: inout PendingMotionCallbacks<Value>) {
        for index in 0..<batch.count {
            guard let event = averager.process(batch.values[index].x, at: batch.times[index]) else { continue }
            let reference = reference ?? event.pressure
            self.reference = reference
            callbacks.append(
                Value(
                    altitude: BarometricFormula.height(pressure: event.pressure, reference: reference),
                    pressure: event.pressure, time: event.time))
        }
    }
}

/// The international barometric formula for the troposphere of the standard atmosphere (ISO 2533:1975, ICAO Doc 7488):
/// h = T/L · (1 - (p/p₀)^(R·L/g)). T = 288.15 K is the temperature at the reference level, L = 0.0065 K/m, R =
/// 287.05287 J/(kg·K) and g = 9.80665 m/s². Heights are 3.5 % too large if the air at the reference level is 10 K
/// colder than 15 °C, and 3.5 % too small if it is 10 K warmer.
enum BarometricFormula {
    private static let temperature = 288.15
    private static let lapseRate = 0.0065
    private static let exponent = 287.05287 * lapseRate / 9.80665

    /// Returns the height in metres above the level with the reference pressure.
    static func height(pressure: Double, reference: Double) -> Double {
        temperature / lapseRate * (1 - pow(pressure / reference, exponent))
    }

    /// Returns the height in metres that corresponds to a small pressure difference.
    static func height(ofDifference difference: Double, at pressure: Double) -> Double {
        temperature / lapseRate * exponent * difference / pressure
    }
}

/// Computes altitudes above mean sea level. An altitude is the sum of a position fix's altitude and the height that
/// corresponds to the pressure change since the fix.
///
/// Pressure alone does not determine the altitude, because weather changes the pressure by the equivalent of tens of
/// metres. Therefore, a fix with an altitude and an error estimate is required. The accuracy of an altitude is the sum
/// of
///
/// - the error of the fix,
/// - 10 metres for each hour since the fix, because weather may change the pressure by as much, and
/// - 4 % of the height gained or lost since the fix, because the air may be 10 K colder or warmer than in the standard
///   atmosphere.
///
/// A new fix replaces the current one if its error does not exceed this accuracy.
struct AbsoluteAltitudeConverter: ReadingConverter {
    /// An altitude and its errors, in metres.
    struct Value: Sendable {
        var altitude: Double
        var accuracy: Double
        /// The standard deviation of the averaged readings, or a negative value if there was only one reading.
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

    /// The rate at which weather increases the error, in metres per hour.
    static let drift = 10.0
    static let formulaError = 0.04
    /// The maximum time difference, in seconds, between a fix and the averaged pressure used with it.
    static let maximumTimeDifference = 2.0

    private let lastFix: @Sendable () -> PositionFix?
    private var averager = PressureAverager()
    private var anchor: Anchor?

    init(lastFix: @escaping @Sendable () -> PositionFix?) { self.lastFix = lastFix }

    mutating func process(_ batch: MotionBatch, into callbacks: inout PendingMotionCallbacks<Value>) {
        for index in 0..<batch.count {
            guard let event = averager.process(batch.values[index].x, at: batch.times[index]) else { continue }
            updateAnchor(event)
            guard let anchor else { continue }
            let height = BarometricFormula.height(pressure: event.pressure, reference: anchor.pressure)
            // NaN if only one reading was averaged. The comparison below is then false.
            let scatter = BarometricFormula.height(ofDifference: event.deviation, at: event.pressure)
            callbacks.append(
                Value(
                    altitude: anchor.altitude + height, accuracy: anchor.accuracy(at: event.time, height: height),
                    precision: scatter >= 0 ? scatter : -1, time: event.time))
        }
    }

    private mutating func updateAnchor(_ event: PressureAverager.Value) {
        // A 2D fix is not used, because its altitude is outdated or guessed.
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
