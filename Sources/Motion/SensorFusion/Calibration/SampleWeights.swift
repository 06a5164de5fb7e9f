// SPDX-License-Identifier: Apache-2.0

/// The weights of the samples in a fit. A sample with a larger error has a smaller weight, as proposed by Geman and
/// McClure.
struct SampleWeights: Sendable {
    /// The error, in standard deviations, at which a sample's weight falls to a quarter.
    static let outlierDeviations = 5.0
    /// The weights that the samples would have if their errors were zero.
    var base: [Double]
    var values: [Double]
    /// The standard deviation of one component. It is computed from the median, which is insensitive to outliers.
    var deviation = 0.1
    private var absolute: [Double] = []

    init(capacity: Int) {
        base = [Double](repeating: 0, count: capacity)
        values = base
        absolute.reserveCapacity(capacity)
    }

    /// - Parameter median: The median of the absolute errors, in standard deviations.
    mutating func updateDeviation(_ errors: ArraySlice<Double>, median: Double) {
        deviation = max(1e-3, self.median(of: errors) / median)
    }

    /// Returns the median of the absolute values, using C. A. R. Hoare's selection algorithm (Communications of the ACM
    /// 4, 1961).
    private mutating func median(of errors: ArraySlice<Double>) -> Double {
        absolute.removeAll(keepingCapacity: true)
        for error in errors { absolute.append(abs(error)) }
        let wanted = absolute.count / 2
        var (first, last) = (0, absolute.count - 1)
        while first < last {
            let pivot = absolute[wanted]
            var (low, high) = (first, last)
            while low <= high {
                while low < last, absolute[low] < pivot { low += 1 }
                while high > first, pivot < absolute[high] { high -= 1 }
                guard low <= high else { break }
                absolute.swapAt(low, high)
                low += 1
                high -= 1
            }
            if high < wanted { first = low }
            if wanted < low { last = high }
        }
        return absolute[wanted]
    }

    mutating func update(_ errors: ArraySlice<Double>) {
        let limit = Self.outlierDeviations * deviation
        for (index, error) in errors.enumerated() {
            let ratio = error / limit
            let part = 1 / (1 + ratio * ratio)
            values[index] = base[index] * part * part
        }
    }

    /// Returns the root mean square error per component. Errors are clamped to the outlier limit.
    func rootMeanSquare(_ errors: ArraySlice<Double>, components: Double = 1) -> Double {
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
