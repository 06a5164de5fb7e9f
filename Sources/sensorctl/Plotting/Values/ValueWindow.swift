// SPDX-License-Identifier: Apache-2.0

/// The part of a line, or of a circle, that an axis of values shows.
///
/// Angles are shown where they are: a compass that swings about north has north in the middle of its axis, and not at both
/// ends. Only what goes all the way round leaves at one edge and enters at the other.
struct ValueWindow {
    let domain: ClosedRange<Double>
    /// Angles above that are shown 360 degrees lower; nil where the whole circle is shown, and for what does not come round.
    private let cut: Double?
    private let circle: ClosedRange<Double>?

    /// True where lines go out at an edge and come in at the other.
    var isWhole: Bool { circle != nil && cut == nil }

    /// How many degrees have to be empty for the circle to be cut open.
    private static let gap = 40

    init(_ series: [SeriesThinner], _ quantity: PlotQuantity) {
        circle = quantity.circle
        guard let circle = quantity.circle, !series.allSatisfy(\.cells.isEmpty) else {
            cut = nil
            domain = Scale.domain(Self.shown(series) { $0 }, quantity)
            return
        }
        guard let cut = Self.emptyDirection(series, circle) else {
            cut = nil
            // What goes along an edge is to be seen.
            domain = circle.lowerBound - 8...circle.upperBound + 8
            return
        }
        self.cut = cut
        domain = Scale.domain(Self.shown(series) { $0 > cut ? $0 - 360 : $0 }, .plain)
    }

    /// The value as it stands at the axis.
    func shown(_ value: Double) -> Double { cut.map { value > $0 ? value - 360 : value } ?? value }

    /// What a place of the axis is called.
    func named(_ place: Double) -> Double {
        guard let circle else { return place }
        let turned = (place - circle.lowerBound).truncatingRemainder(dividingBy: 360)
        let named = circle.lowerBound + (turned < 0 ? turned + 360 : turned)
        // Both ends of the whole circle have names. Elsewhere its end is called 180, as Core Motion does, and north 0.
        if isWhole, place == circle.upperBound { return place }
        return !isWhole && circle.lowerBound < 0 && named == circle.lowerBound ? circle.upperBound : named
    }

    /// The values, and of what lies around them as much as leaves them their room.
    private static func shown(_ series: [SeriesThinner], _ shown: (Double) -> Double) -> ClosedRange<Double>? {
        var (values, bands): (ClosedRange<Double>?, ClosedRange<Double>?)
        for cell in series.lazy.flatMap(\.cells) {
            for point in [cell.least, cell.greatest] {
                let value = shown(point.value)
                values = joined(values, value...value)
                guard let band = cell.band else { continue }
                bands = joined(bands, band.lowerBound - point.unwound + value...band.upperBound - point.unwound + value)
            }
        }
        guard let values, let bands else { return values }
        let size = max(abs(values.lowerBound), abs(values.upperBound))
        let length = values.upperBound - values.lowerBound
        // A line that is zero all along has no size that its surroundings could be too large for.
        let room = length > size * 1e-9 ? length * 1.5 : size > 0 ? size * 0.5 : .infinity
        let low = max(bands.lowerBound, values.lowerBound - room)
        return min(low, values.lowerBound)...max(values.upperBound, min(bands.upperBound, values.upperBound + room))
    }

    /// The middle of the widest part of the circle that no line comes to, from its lower end on; nil where all is taken.
    private static func emptyDirection(_ series: [SeriesThinner], _ circle: ClosedRange<Double>) -> Double? {
        var isTaken = [Bool](repeating: false, count: 360)
        for cell in series.lazy.flatMap(\.cells) {
            let start = Int((cell.least.unwound - circle.lowerBound).rounded(.down))
            let end = Int((cell.greatest.unwound - circle.lowerBound).rounded(.down))
            guard end - start < 360 else { return nil }
            for degree in start...max(end, start) { isTaken[(degree % 360 + 360) % 360] = true }
        }
        // Between two cells a line goes the shorter way.
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
