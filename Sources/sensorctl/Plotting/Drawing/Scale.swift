// SPDX-License-Identifier: Apache-2.0

/// A linear mapping from values to the picture's coordinates.
struct Scale {
    let domain: ClosedRange<Double>
    /// The coordinates of the ends of the domain. `start` may be greater than `end`.
    let start: Double
    let end: Double

    init(_ domain: ClosedRange<Double>, from start: Double, to end: Double) {
        (self.domain, self.start, self.end) = (domain, start, end)
    }

    func callAsFunction(_ value: Double) -> Double {
        start + (value - domain.lowerBound) / (domain.upperBound - domain.lowerBound) * (end - start)
    }

    /// The coordinates of the axis ends, followed by the values at these ends. Intended for programs that parse the
    /// picture.
    var description: String {
        "\(PlotText.coordinate(start)) \(PlotText.coordinate(end)) \(domain.lowerBound) \(domain.upperBound)"
    }

    /// Returns the visible range of an axis: the extent of the values plus a margin.
    static func domain(_ extent: ClosedRange<Double>?, _ quantity: PlotQuantity) -> ClosedRange<Double> {
        guard let extent else { return quantity.circle ?? 0...1 }
        let (least, greatest) = (extent.lowerBound, extent.upperBound)
        let size = max(abs(least), abs(greatest))
        var margin = (greatest - least) * 0.06
        // A range smaller than rounding errors is treated as a single value.
        if greatest - least <= size * 1e-9 { margin = size > 0 ? size * 0.1 : 1 }
        var (low, high) = (least - margin, greatest + margin)
        if case .amount = quantity {
            // Extends the axis slightly below zero to keep a line at zero visible.
            if low < 0 || least < greatest * 0.5 {
                high = max(high, greatest * 1.06)
                low = -0.03 * max(high, 0)
            }
            if greatest <= 0 { (low, high) = (-0.03, 1) }
        }
        return low...max(high, low.nextUp)
    }
}

struct Frame {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    var right: Double { x + width }
    var bottom: Double { y + height }
    /// True if headings and legends must be short.
    var isNarrow: Bool { width < 300 }
}
