// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// Heights above mean sea level: the altitude of a fix, carried on by the change of pressure since.
///
/// Pressure alone does not tell the altitude, since the weather changes it by tens of metres. So there is no event
/// before a fix with an altitude and an error estimate has come in, and the accuracy counts what may have happened since:
/// the error of the fix; 10 metres for each hour, about the fastest that weather commonly changes pressure (1.2 hPa); and
/// 4 per cent of the height since, which is what air 10 K off the standard does to the formula. A new fix takes the place
/// of the former one as soon as it tells the altitude better than that.
struct AbsoluteAltitude: ReadingShaper {
    /// What one event tells, in metres.
    struct Value: Sendable {
        var altitude: Double
        var accuracy: Double
        /// The scatter of the readings in the event; negative when there was but one.
        var precision: Double
        var time: BootTime
    }

    /// A fix and the pressure that belonged to it.
    private struct Anchor {
        var altitude: Double
        var error: Double
        var pressure: Double
        var time: BootTime

        func accuracy(at time: BootTime, height: Double) -> Double {
            error + AbsoluteAltitude.drift * max(0, time.seconds(since: self.time)) / 3600
                + AbsoluteAltitude.formulaError * abs(height)
        }
    }

    /// Metres an hour.
    static let drift = 10.0
    /// The part of a height that the formula may be wrong by.
    static let formulaError = 0.04
    /// A fix and a pressure belong together when they are no further apart than this, in seconds.
    static let closeness = 2.0

    private let lastFix: @Sendable () -> PositionFix?
    private var mean = MeanPressure()
    private var anchor: Anchor?

    init(lastFix: @escaping @Sendable () -> PositionFix?) { self.lastFix = lastFix }

    mutating func take(_ batch: MotionBatch, into mailbox: inout Mailbox<Value>) {
        for index in 0..<batch.count {
            guard let event = mean.take(batch.values[index].x, at: batch.times[index]) else { continue }
            adjustAnchor(event)
            guard let anchor else { continue }
            let height = BarometricFormula.height(pressure: event.pressure, reference: anchor.pressure)
            let scatter = BarometricFormula.height(ofDifference: event.deviation, at: event.pressure)
            mailbox.add(
                Value(
                    altitude: anchor.altitude + height,
                    accuracy: anchor.accuracy(at: event.time, height: height),
                    precision: scatter >= 0 ? scatter : -1,
                    time: event.time))
        }
    }

    private mutating func adjustAnchor(_ event: MeanPressure.Value) {
        // In a 2D fix the altitude is the last one known or a guess.
        guard let report = lastFix()?.report, report.mode == .threeDimensional, report.verticalError >= 0,
            abs(event.time.seconds(since: report.arrival)) <= Self.closeness
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
