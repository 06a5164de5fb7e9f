// SPDX-License-Identifier: Apache-2.0

/// The visible range of a value axis, which is linear or circular.
///
/// A circular axis is cut at a direction without values. For example, if a heading oscillates around north, the axis is
/// cut near south, so that north is in the middle. If there are values in all directions, the axis shows the full
/// circle. In that case, a line can leave the chart at one edge and re-enter at the other.
struct ValueWindow {
    let domain: ClosedRange<Double>
    /// The angle at which a circular axis is cut, or nil for a full circle or a linear axis. Values above this angle
    /// are drawn 360° lower.
    private let cut: Double?
    private let circle: ClosedRange<Double>?

    /// True if a line can leave the chart at one edge and re-enter at the other.
    var isFullCircle: Bool { circle != nil && cut == nil }

    /// The minimum width, in degrees, of the empty sector in which a circular axis may be cut.
    private static let gap = 40

    init(_ series: [SeriesDecimator], _ quantity: PlotQuantity) {
        circle = quantity.circle
        guard let circle = quantity.circle, !series.allSatisfy(\.cells.isEmpty) else {
            cut = nil
            domain = Scale.domain(Self.range(series) { $0 }, quantity)
            return
        }
        guard let cut = Self.emptyDirection(series, circle) else {
            cut = nil
            // The margin keeps a line along the edge visible.
            domain = circle.lowerBound - 8...circle.upperBound + 8
            return
        }
        self.cut = cut
        domain = Scale.domain(Self.range(series) { $0 > cut ? $0 - 360 : $0 }, .plain)
    }

    func position(of value: Double) -> Double { cut.map { value > $0 ? value - 360 : value } ?? value }

    /// Returns the value for the label at a position on the axis.
    func labelValue(_ position: Double) -> Double {
        guard let circle else { return position }
        let offset = (position - circle.lowerBound).truncatingRemainder(dividingBy: 360)
        let label = circle.lowerBound + (offset < 0 ? offset + 360 : offset)
        // If the axis shows the full circle, its two ends have different labels, such as 0 and 360. If the axis is cut,
        // ±180° is labelled 180, as in Core Motion, and north is labelled 0.
        if isFullCircle, position == circle.upperBound { return position }
        return !isFullCircle && circle.lowerBound < 0 && label == circle.lowerBound ? circle.upperBound : label
    }

    /// Returns the range of the values, extended to show the accuracy bands. The extension is limited to keep the
    /// values readable.
    private static func range(_ series: [SeriesDecimator], _ position: (Double) -> Double) -> ClosedRange<Double>? {
        var (values, bands): (ClosedRange<Double>?, ClosedRange<Double>?)
        for cell in series.lazy.flatMap(\.cells) {
            for point in [cell.minimum, cell.maximum] {
                let value = position(point.value)
                values = union(values, value...value)
                guard let band = cell.band else { continue }
                bands = union(
                    bands, band.lowerBound - point.unwrapped + value...band.upperBound - point.unwrapped + value)
            }
        }
        guard let values, let bands else { return values }
        let size = max(abs(values.lowerBound), abs(values.upperBound))
        let length = values.upperBound - values.lowerBound
        // If all values are zero, the accuracy band is shown in full.
        let limit = length > size * 1e-9 ? length * 1.5 : size > 0 ? size * 0.5 : .infinity
        let low = max(bands.lowerBound, values.lowerBound - limit)
        return min(low, values.lowerBound)...max(values.upperBound, min(bands.upperBound, values.upperBound + limit))
    }

    /// Returns the centre of the widest sector without values, or nil if no such sector is at least `gap` wide.
    private static func emptyDirection(_ series: [SeriesDecimator], _ circle: ClosedRange<Double>) -> Double? {
        var isOccupied = [Bool](repeating: false, count: 360)
        for cell in series.lazy.flatMap(\.cells) {
            let start = Int((cell.minimum.unwrapped - circle.lowerBound).rounded(.down))
            let end = Int((cell.maximum.unwrapped - circle.lowerBound).rounded(.down))
            guard end - start < 360 else { return nil }
            for degree in start...max(end, start) { isOccupied[(degree % 360 + 360) % 360] = true }
        }
        // The line between two cells takes the shorter way round the circle. Marks the sector it crosses as occupied.
        for series in series {
            for (one, two) in zip(series.cells, series.cells.dropFirst()) {
                let ends = [one.last.unwrapped, two.first.unwrapped].map {
                    Int(($0 - circle.lowerBound).rounded(.down))
                }
                guard let low = ends.min(), let high = ends.max(), high - low < 360 else { return nil }
                for degree in low...high { isOccupied[(degree % 360 + 360) % 360] = true }
            }
        }
        var best = (length: 0, end: 0)
        var length = 0
        // Goes round the circle twice to find sectors that span its start.
        for index in 0..<720 {
            length = isOccupied[index % 360] ? 0 : min(length + 1, 360)
            if length > best.length { best = (length, index) }
        }
        guard best.length >= gap else { return nil }
        let middle = Double(best.end) - Double(best.length - 1) / 2
        return circle.lowerBound + middle.truncatingRemainder(dividingBy: 360)
    }
}
