// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// A number of 1, 2 or 5 times a power of ten that is not below the given one.
package func niceStep(atLeast least: Double) -> Double {
    guard least > 0, least.isFinite else { return 1 }
    let exponent = Int(floor(log10(least)))
    for (factor, power) in [(1.0, exponent), (2, exponent), (5, exponent), (1, exponent + 1)] {
        let step = powerOfTen(power, times: factor)
        if step >= least * (1 - 1e-9) { return step }
    }
    return powerOfTen(exponent + 2, times: 1)
}

/// Correctly rounded, as a number with so few digits is written.
func powerOfTen(_ exponent: Int, times factor: Double) -> Double {
    // Powers up to 22 are exact, so that the quotient is the nearest number.
    if exponent < 0, exponent >= -22 { return factor / pow(10, Double(-exponent)) }
    return factor * pow(10, Double(exponent))
}

/// The marks of an axis.
package struct Ticks: Sendable, Equatable {
    /// Where they are, rising.
    package var values: [Double]
    /// What is written there.
    package var labels: [String]
    /// By which power of ten the labels are smaller than the values.
    package var exponent = 0

    /// The marks of numbers, at 1, 2 or 5 times a power of ten.
    ///
    /// - Parameters:
    ///   - count: how many there should be at most.
    ///   - mayScale: false where labels are the values themselves, however many zeros these have.
    package static func numbers(_ range: ClosedRange<Double>, count: Int, mayScale: Bool = true) -> Ticks {
        let length = range.upperBound - range.lowerBound
        guard length > 0, length.isFinite, count > 0 else { return Ticks(values: [], labels: []) }
        var step = niceStep(atLeast: length / Double(count))
        var values = multiples(of: step, in: range)
        // A single mark says nothing: a few more than asked for are better.
        for share in [0.5, 0.25] where values.count < min(3, count) {
            step = niceStep(atLeast: length / Double(count) * share)
            values = multiples(of: step, in: range)
        }
        let greatest = values.map(abs).max() ?? 0
        // Labels of many zeros are written with a power of ten of their own, in steps of three.
        let isLong = greatest >= 1e5 || (greatest > 0 && greatest < 1e-2)
        let exponent = mayScale && isLong ? Int(floor(log10(greatest) / 3)) * 3 : 0
        let scale = powerOfTen(exponent, times: 1)
        let decimals = Self.decimals(step / scale)
        return Ticks(
            values: values, labels: values.map { PlotText.number($0 / scale, decimals: decimals) }, exponent: exponent)
    }

    /// The marks of degrees: parts of the circle from one degree on.
    package static func degrees(_ range: ClosedRange<Double>, count: Int) -> Ticks {
        let length = range.upperBound - range.lowerBound
        let steps: [Double] = [1, 2, 5, 10, 15, 30, 45, 90, 180]
        guard length > Double(count), let step = steps.first(where: { length / $0 <= Double(count) }) else {
            return numbers(range, count: count)
        }
        let values = multiples(of: step, in: range)
        return Ticks(values: values, labels: values.map { PlotText.number($0, decimals: 0) })
    }

    /// The marks of numbers of things, on an axis of logarithms that begins at a half.
    package static func counts(upTo greatest: Int, count: Int) -> Ticks {
        if greatest < 20 {
            let values = [1.0, 2, 5, 10, 20].filter { $0 <= Double(max(greatest, 2)) }
            return Ticks(values: values, labels: values.map { PlotText.number($0, decimals: 0) })
        }
        var powers: [Double] = []
        var power = 1.0
        while power <= Double(max(greatest, 1)) {
            powers.append(power)
            power *= 10
        }
        let stride = max(1, (powers.count + count - 1) / max(count, 1))
        let values = powers.enumerated().filter { $0.offset % stride == 0 }.map(\.element)
        return Ticks(values: values, labels: values.map { PlotText.grouped($0) })
    }

    static func multiples(of step: Double, in range: ClosedRange<Double>) -> [Double] {
        let slack = 1e-9
        let first = (range.lowerBound / step - slack).rounded(.up)
        let last = (range.upperBound / step + slack).rounded(.down)
        guard first <= last, last - first < 1000 else { return [] }
        // Divided where the step is a fraction: 3 * 0.1 is not 0.3.
        let inverse = (1 / step).rounded()
        let isFraction = step < 1 && abs(inverse * step - 1) < 1e-12
        return (0...Int(last - first)).map { place in
            let multiple = first + Double(place)
            // No mark is called -0.
            return multiple == 0 ? 0 : isFraction ? multiple / inverse : multiple * step
        }
    }

    /// How many decimals numbers of that distance need.
    static func decimals(_ step: Double) -> Int {
        guard step > 0, step.isFinite else { return 0 }
        return min(max(0, -Int(floor(log10(step) + 1e-9))), 12)
    }
}
