// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Rounds `least` up to 1, 2 or 5 times a power of ten. To allow for rounding errors, the result may be less than
/// `least` by up to one part in 10⁹. Returns 1 if `least` is not a positive finite number.
package func niceStep(atLeast least: Double) -> Double {
    guard least > 0, least.isFinite else { return 1 }
    let exponent = Int(floor(log10(least)))
    for factor in [1.0, 2, 5] {
        let step = powerOfTen(exponent, times: factor)
        if step >= least * (1 - 1e-9) { return step }
    }
    return powerOfTen(exponent + 1, times: 1)
}

/// Returns `factor` times a power of ten, correctly rounded.
func powerOfTen(_ exponent: Int, times factor: Double) -> Double {
    // Powers of ten up to 10²² are exact, so dividing by them gives a correctly rounded result.
    if exponent < 0, exponent >= -22 { return factor / pow(10, Double(-exponent)) }
    return factor * pow(10, Double(exponent))
}

/// The ticks of an axis and their labels. In the functions below, `count` is the approximate maximum number of ticks.
package struct Ticks: Sendable, Equatable {
    package var values: [Double]
    package var labels: [String]
    /// The exponent of the power of ten that the labels omit.
    package var exponent = 0
    /// The number of decimals of the labels.
    var decimals: Int { labels.first?.split(separator: ".").dropFirst().first?.count ?? 0 }

    /// Returns ticks spaced by 1, 2 or 5 times a power of ten. If `mayScale` is true, the labels of very large or very
    /// small values omit a power of ten.
    package static func numbers(_ range: ClosedRange<Double>, count: Int, mayScale: Bool = true) -> Ticks {
        let length = range.upperBound - range.lowerBound
        guard length > 0, length.isFinite, count > 0 else { return Ticks(values: [], labels: []) }
        var step = niceStep(atLeast: length / Double(count))
        var values = multiples(of: step, in: range)
        // If there are fewer than three ticks, uses a smaller step, because a single tick does not show the scale. The
        // number of ticks may therefore exceed `count`.
        for share in [0.5, 0.25] where values.count < min(3, count) {
            step = niceStep(atLeast: length / Double(count) * share)
            values = multiples(of: step, in: range)
        }
        let greatest = values.map(abs).max() ?? 0
        // For large and small numbers, the labels omit a power of ten whose exponent is a multiple of three.
        let isLong = greatest >= 1e5 || (greatest > 0 && greatest < 1e-2)
        let exponent = mayScale && isLong ? Int(floor(log10(greatest) / 3)) * 3 : 0
        let scale = powerOfTen(exponent, times: 1)
        let decimals = Self.decimals(step / scale)
        return Ticks(
            values: values, labels: values.map { PlotText.number($0 / scale, decimals: decimals) }, exponent: exponent)
    }

    /// Returns ticks in whole degrees, with a step that divides 180° evenly. No such step suits a range of at most
    /// `count` degrees or more than 180 · `count` degrees, so ``numbers(_:count:mayScale:)`` is used instead.
    package static func degrees(_ range: ClosedRange<Double>, count: Int) -> Ticks {
        let length = range.upperBound - range.lowerBound
        let steps: [Double] = [1, 2, 5, 10, 15, 30, 45, 90, 180]
        guard length > Double(count), let step = steps.first(where: { length / $0 <= Double(count) }) else {
            return numbers(range, count: count)
        }
        let values = multiples(of: step, in: range)
        return Ticks(values: values, labels: values.map { PlotText.number($0, decimals: 0) })
    }

    /// Returns ticks for a logarithmic axis of counts. If `greatest` is 20 or more, the ticks are powers of ten. If it
    /// is smaller, `count` is ignored, and the ticks are 1 and 2, plus 5 and 10 if they do not exceed `greatest`.
    package static func logarithmicCounts(upTo greatest: Int, count: Int) -> Ticks {
        if greatest < 20 {
            let values = [1.0, 2, 5, 10].filter { $0 <= Double(max(greatest, 2)) }
            return Ticks(values: values, labels: values.map { PlotText.number($0, decimals: 0) })
        }
        var powers: [Double] = []
        var power = 1.0
        while power <= Double(greatest) {
            powers.append(power)
            power *= 10
        }
        let stride = max(1, (powers.count + count - 1) / max(count, 1))
        let values = powers.enumerated().filter { $0.offset % stride == 0 }.map(\.element)
        return Ticks(values: values, labels: values.map { PlotText.grouped($0) })
    }

    /// Returns the multiples of `step` in `range`, or an empty array if there are more than 1000.
    static func multiples(of step: Double, in range: ClosedRange<Double>) -> [Double] {
        let slack = 1e-9
        let first = (range.lowerBound / step - slack).rounded(.up)
        let last = (range.upperBound / step + slack).rounded(.down)
        guard first <= last, last - first < 1000 else { return [] }
        // Dividing by an integer avoids the rounding error of multiplying by a fractional step. For example, 3 * 0.1 is
        // not 0.3.
        let inverse = (1 / step).rounded()
        let isFraction = step < 1 && abs(inverse * step - 1) < 1e-12
        return (0...Int(last - first)).map { index in
            let multiple = first + Double(index)
            // Avoids the label -0.
            return multiple == 0 ? 0 : isFraction ? multiple / inverse : multiple * step
        }
    }

    /// Returns the number of decimals, at most 12, that labels with the given step require.
    static func decimals(_ step: Double) -> Int {
        guard step > 0, step.isFinite else { return 0 }
        return min(max(0, -Int(floor(log10(step) + 1e-9))), 12)
    }
}
