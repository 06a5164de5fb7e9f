// SPDX-License-Identifier: Apache-2.0

/// The visible range of a linear or circular value axis.
///
/// A circular axis is cut at a direction without values. If a heading oscillates around north, for example, north is in
/// the middle of the axis. Only a line that goes around the full circle leaves the chart at one edge and enters at the
/// other.
struct ValueWindow {
    let domain: ClosedRange<Double>
    /// The angle above which values are shown 360° lower, or nil for a full circle or a linear quantity.
    private let cut: Double?
    private let circle: ClosedRange<Double>?

    /// True if a line can leave the chart at one edge and enter at the other.
    var isFullCircle: Bool { circle != nil && cut == nil }

    /// The minimum width of an empty sector in which the circle is cut, in degrees.
    private static let gap = 40

    init(_ series: [SeriesDecimator], _ quantity: PlotQuantity) {
        circle = quantity.circle
        guard let circle = quantity.circle, !series.allSatisfy(\.cells.isEmpty) else {
            cut = nil
            domain = Scale.domain(Self.shown(series) { $0 }, quantity)
            return
        }
        guard let cut = Self.emptyDirection(series, circle) else {
            cut = nil
            // Adds a margin, so that a line along the edge is visible.
            domain = circle.lowerBound - 8...circle.upperBound + 8
            return
        }
        self.cut = cut
        domain = Scale.domain(Self.shown(series) { $0 > cut ? $0 - 360 : $0 }, .plain)
    }

    func position(of value: Double) -> Double { cut.map { value > $0 ? value - 360 : value } ?? value }

    /// Returns the value that labels a position on the axis.
    func labelValue(_ place: Double) -> Double {
        guard let circle else { return place }
        let turned = (place - circle.lowerBound).truncatingRemainder(dividingBy: 360)
        let named = circle.lowerBound + (turned < 0 ? turned + 360 : turned)
        // The two ends of a full circle have different labels. On other axes, ±180° is labeled 180 as in Core Motion,
        // and north is labeled 0.
        if isFullCircle, place == circle.upperBound { return place }
        return !isFullCircle && circle.lowerBound < 0 && named == circle.lowerBound ? circle.upperBound : named
    }

    /// Returns the range of the values. It includes the accuracy bands as far as the values remain readable.
    private static func shown(_ series: [SeriesDecimator], _ shown: (Double) -> Double) -> ClosedRange<Double>? {
        var (values, bands): (ClosedRange<Double>?, ClosedRange<Double>?)
        for cell in series.lazy.flatMap(\.cells) {
            for point in [cell.minimum, cell.maximum] {
                let value = shown(point.value)
                values = union(values, value...value)
                guard let band = cell.band else { continue }
                bands = union(bands, band.lowerBound - point.unwound + value...band.upperBound - point.unwound + value)
            }
        }
        guard let values, let bands else { return values }
        let size = max(abs(values.lowerBound), abs(values.upperBound))
        let length = values.upperBound - values.lowerBound
        // If all values are zero, the accuracy band is not limited.
        let room = length > size * 1e-9 ? length * 1.5 : size > 0 ? size * 0.5 : .infinity
        let low = max(bands.lowerBound, values.lowerBound - room)
        return min(low, values.lowerBound)...max(values.upperBound, min(bands.upperBound, values.upperBound + room))
    }

    /// Returns the center of the widest sector without values, or nil if no sector is at least `gap` wide.
    private static func emptyDirection(_ series: [SeriesDecimator], _ circle: ClosedRange<Double>) -> Double? {
        var isTaken = [Bool](repeating: false, count: 360)
        for cell in series.lazy.flatMap(\.cells) {
            let start = Int((cell.minimum.unwound - circle.lowerBound).rounded(.down))
            let end = Int((cell.maximum.unwound - circle.lowerBound).rounded(.down))
            guard end - start < 360 else { return nil }
            for degree in start...max(end, start) { isTaken[(degree % 360 + 360) % 360] = true }
        }
        // A line between two cells takes the shorter way around the circle.
        for series in series {
            for (one, two) in zip(series.cells, series.cells.dropFirst()) {
                let ends = [one.last.unwound, two.first.unwound].map { Int(($0 - circle.lowerBound).rounded(.down)) }
                guard let low = ends.min(), let high = ends.max(), high - low < 360 else { return nil }
                for degree in low...high { isTaken[(degree % 360 + 360) % 360] = true }
            }
        }
        var best = (length: 0, end: 0)
        var length = 0
        for place in 0..<720 {
            length = isTaken[place % 360] ? 0 : min(length + 1, 360)
            if length > best.length { best = (length, place) }
        }
        guard best.length >= gap else { return nil }
        let middle = Double(best.end) - Double(best.length - 1) / 2
        return circle.lowerBound + middle.truncatingRemainder(dividingBy: 360)
    }
}
