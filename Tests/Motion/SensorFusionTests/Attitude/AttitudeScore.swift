// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion
import TestSupport

/// Root mean square errors in degrees, as defined by the BROAD benchmark (D. Laidig et al., Data 6(7):72, 2021). With e
/// = estimate · truth*, over the motion phase: total 2 acos|w|, heading 2 atan|z/w|, inclination 2 acos √(w² + z²).
struct AttitudeScore: Sendable, CustomStringConvertible {
    private(set) var total = 0.0
    private(set) var heading = 0.0
    private(set) var inclination = 0.0
    /// The fraction of the samples whose heading error is within the filter's bound, and the mean bound.
    private(set) var withinBound = 0.0
    private(set) var meanBound = 0.0
    private var count = 0.0

    var description: String {
        String(format: "%.3f/%.3f/%.3f, %.3f within %.1f", total, heading, inclination, withinBound, meanBound)
    }

    /// The modifications of a recording before it is passed to the filter.
    struct Treatment: Sendable {
        /// The fraction of rows that are dropped, for all three sensors. A row is dropped if the next number of
        /// SplitMix64 with this seed, scaled to below 1 (the upper 53 bits), is below the fraction. One number is drawn
        /// per row, in order.
        var drops = 0.0
        var seed: UInt64 = 1
        /// The bias on each axis, in degrees per second.
        var bias = 0.0
        /// The amplitude of a bias on each axis that oscillates with a period of two minutes, in degrees per second.
        var swing = 0.0
        /// The number of seconds that are dropped in every ten seconds, for all three sensors.
        var gap = 0.0
        /// The unit to which timestamps are rounded, in seconds; 0 for no rounding.
        var rounding = 0.0
        /// The start of the recording, in seconds before the motion phase; nil for the whole recording.
        var start: Double?
        /// The number of consecutive rows that are averaged into one; odd.
        var block = 1
        /// The number of samples generated per row by linear interpolation between rows; 1 or 3.
        var density = 1
        /// The maximum jitter of a sample as a fraction of the interval. The values are interpolated to the shifted
        /// time.
        var jitter = 0.0
    }

    /// Returns the mean over the trials.
    static func mean(
        _ treatment: Treatment = Treatment(), of trials: [AttitudeTrial] = AttitudeTrial.all,
        filter: AttitudeFilter = AttitudeFilter()
    ) -> AttitudeScore {
        let scores = trials.map { AttitudeScore($0, treatment, filter: filter) }
        var mean = AttitudeScore()
        for score in scores {
            mean.total += score.total / Double(scores.count)
            mean.heading += score.heading / Double(scores.count)
            mean.inclination += score.inclination / Double(scores.count)
            mean.withinBound += score.withinBound / Double(scores.count)
            mean.meanBound += score.meanBound / Double(scores.count)
        }
        return mean
    }

    private init() {}

    init(_ trial: AttitudeTrial, _ treatment: Treatment = Treatment(), filter: AttitudeFilter = AttitudeFilter()) {
        var filter = filter
        var random = SeededGenerator(seed: treatment.seed)
        let constant = SIMD3(repeating: treatment.bias * .pi / 180)
        let motion = trial.truth.first?.row ?? 0
        var row = treatment.start.map { max(0, motion - Int($0 / AttitudeTrial.interval)) } ?? 0
        var next = trial.truth.startIndex
        while row + treatment.block <= trial.rates.count {
            defer { row += treatment.block }
            let middle = row + treatment.block / 2
            while next < trial.truth.endIndex, trial.truth[next].row < middle { next += 1 }
            if treatment.drops > 0, Double(random.next() >> 11) * 0x1p-53 < treatment.drops { continue }
            if trial.time(row) >= 10, trial.time(row).truncatingRemainder(dividingBy: 10) < treatment.gap { continue }
            let bias = constant + treatment.swing * .pi / 180 * sin(2 * .pi * trial.time(row) / 120)
            if treatment.density == 3, row > 0, row + 1 < trial.rates.count {
                Self.update(&filter, trial, row - 1, 2 / 3.0, bias)
            }
            defer {
                if treatment.density == 3, row + 1 < trial.rates.count {
                    Self.update(&filter, trial, row, 1 / 3.0, bias)
                }
            }
            var shift = 0.0
            if treatment.jitter > 0 {
                shift = (Double(random.next() >> 11) * 0x1p-53 * 2 - 1) * treatment.jitter * Double(treatment.block)
            }
            var time = trial.time(middle) + shift * AttitudeTrial.interval
            if treatment.rounding > 0 { time = (time / treatment.rounding).rounded() * treatment.rounding }
            let rate = Self.value(trial.rates, row, treatment.block, shift)
            filter.updateGyroscope(rate + bias, timestamp: time)
            filter.updateAccelerometer(Self.value(trial.accelerations, row, treatment.block, shift), timestamp: time)
            filter.updateMagnetometer(Self.value(trial.fields, row, treatment.block, shift), timestamp: time)
            guard next < trial.truth.endIndex, trial.truth[next].row == middle, let attitude = filter.magneticAttitude
            else { continue }
            // The attitude at the time of the reference.
            let back = -shift * AttitudeTrial.interval * filter.rotationRate
            let rotation = Quaternion(x: back.x / 2, y: back.y / 2, z: back.z / 2, w: 1).normalized
            add(attitude * rotation, trial.truth[next].attitude, bound: filter.headingUncertainty ?? 0)
        }
        total = (total / count).squareRoot() * 180 / .pi
        heading = (heading / count).squareRoot() * 180 / .pi
        inclination = (inclination / count).squareRoot() * 180 / .pi
        withinBound /= count
        meanBound *= 180 / .pi / count
    }

    /// Updates the filter with a sample that is later than a row by a fraction of the interval.
    private static func update(
        _ filter: inout AttitudeFilter, _ trial: AttitudeTrial, _ row: Int, _ shift: Double, _ bias: SIMD3<Double>
    ) {
        let time = trial.time(row) + shift * AttitudeTrial.interval
        filter.updateGyroscope(value(trial.rates, row, 1, shift) + bias, timestamp: time)
        filter.updateAccelerometer(value(trial.accelerations, row, 1, shift), timestamp: time)
        filter.updateMagnetometer(value(trial.fields, row, 1, shift), timestamp: time)
    }

    private mutating func add(_ estimate: Quaternion, _ truth: Quaternion, bound: Double) {
        let e = (estimate * truth.conjugate).components
        let all = 2 * acos(min(1, abs(e.w)))
        let headingError = 2 * atan2(abs(e.z), abs(e.w))
        let tilted = 2 * acos(min(1, (e.w * e.w + e.z * e.z).squareRoot()))
        total += all * all
        heading += headingError * headingError
        inclination += tilted * tilted
        if headingError <= bound { withinBound += 1 }
        meanBound += bound
        count += 1
    }

    /// Returns the mean of several rows, or one row shifted by a fraction of the interval.
    private static func value(_ values: [SIMD3<Double>], _ row: Int, _ block: Int, _ shift: Double) -> SIMD3<Double> {
        guard block == 1 else {
            var sum = SIMD3<Double>.zero
            for index in row..<row + block { sum += values[index] }
            return sum / Double(block)
        }
        guard shift != 0 else { return values[row] }
        let other = min(max(row + (shift < 0 ? -1 : 1), 0), values.count - 1)
        return values[row] + abs(shift) * (values[other] - values[row])
    }
}
