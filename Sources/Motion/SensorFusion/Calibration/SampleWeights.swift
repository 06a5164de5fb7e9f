// SPDX-License-Identifier: Apache-2.0

/// How much each sample counts in a fit: the less, the worse it fits (Geman and McClure's weights).
struct SampleWeights: Sendable {
    /// Deviations at which a sample has a quarter of its weight.
    static let outlierDeviations = 5.0

    /// What samples count that fit well.
    var base: [Double]
    var values: [Double]
    /// Of one component, from the median, which outliers do not move.
    var deviation = 0.1
    private var sorted: [Double] = []

    init(capacity: Int) {
        base = [Double](repeating: 0, count: capacity)
        values = base
        sorted.reserveCapacity(capacity)
    }

    /// - Parameter median: That of the absolute errors, in deviations.
    mutating func updateDeviation(_ errors: ArraySlice<Double>, median: Double) {
        sorted.removeAll(keepingCapacity: true)
        for error in errors { sorted.append(abs(error)) }
        sorted.sort()
        deviation = max(1e-3, sorted[sorted.count / 2] / median)
    }

    mutating func update(_ errors: ArraySlice<Double>) {
        let limit = Self.outlierDeviations * deviation
        for (index, error) in errors.enumerated() {
            let ratio = error / limit
            let part = 1 / (1 + ratio * ratio)
            values[index] = base[index] * part * part
        }
    }

    /// Root mean square of an error's components, where no sample counts for more than an outlier.
    func remainder(_ errors: ArraySlice<Double>, components: Double = 1) -> Double {
        let limit = Self.outlierDeviations * deviation
        var (squares, total) = (0.0, 0.0)
        for (index, error) in errors.enumerated() {
            let error = min(abs(error), limit)
            squares += base[index] * error * error
            total += base[index]
        }
        return (squares / (components * total)).squareRoot()
    }
}
