// SPDX-License-Identifier: Apache-2.0

/// A line of any number of readings in bounded memory, of which no peak is lost.
///
/// Readings of a stretch of time that is too short to be seen become one cell, of which the first, the least, the greatest
/// and the last one are kept, and what lies around them (``Cell/band``). Stretches grow as readings come.
package struct SeriesThinner: Sendable {
    package struct Cell: Sendable {
        package fileprivate(set) var first: PlotPoint
        /// Of angles the furthest in both directions, however often that is round.
        package fileprivate(set) var least: PlotPoint
        package fileprivate(set) var greatest: PlotPoint
        package fileprivate(set) var last: PlotPoint
        /// From the least value less its margin to the greatest one with it, unwound; nil where no reading has a margin.
        package fileprivate(set) var band: ClosedRange<Double>?

        /// Its readings in the order of time, each once.
        package var points: [PlotPoint] {
            var points = [first]
            let extremes = least.time <= greatest.time ? [least, greatest] : [greatest, least]
            for point in extremes + [last] where point != points.last { points.append(point) }
            return points
        }

        fileprivate mutating func add(_ other: Cell) {
            if other.least.unwound < least.unwound { least = other.least }
            if other.greatest.unwound > greatest.unwound { greatest = other.greatest }
            last = other.last
            band = joined(band, other.band)
        }
    }

    /// The most cells that are kept.
    static let limit = 6144

    /// What comes round, and where.
    package let quantity: PlotQuantity
    package private(set) var cells: [Cell] = []
    /// How many readings have come.
    package private(set) var count = 0
    /// Seconds of a cell; 0 while each reading is one.
    private var width = 0.0

    package init(_ quantity: PlotQuantity = .plain) { self.quantity = quantity }

    /// - Parameter margin: how far the true value may be on both sides; nil, or below zero, when nobody knows.
    package mutating func add(_ point: PlotPoint, margin: Double? = nil) {
        // What is on no circle is no angle.
        guard point.isDrawable, quantity.circle?.contains(point.value) ?? true else { return }
        var point = point
        if quantity.circle != nil, let former = cells.last?.last {
            let step = point.value - former.value
            point.turn = former.turn + (step < -180 ? 1 : step > 180 ? -1 : 0)
        }
        var cell = Cell(first: point, least: point, greatest: point, last: point)
        if let margin, margin >= 0, margin < 1e100 { cell.band = point.unwound - margin...point.unwound + margin }
        count += 1
        append(cell)
        if cells.count > Self.limit { thin() }
    }

    /// The same in about so many cells at most, for a chart that has no room for more.
    package func thinned(to columns: Int, over duration: Double) -> SeriesThinner {
        guard cells.count > columns, duration > 0 else { return self }
        var result = self
        result.width = max(width, duration / Double(columns))
        result.regroup()
        return result
    }

    private mutating func append(_ cell: Cell) {
        guard width > 0, let last = cells.last, stretch(of: last) == stretch(of: cell) else {
            return cells.append(cell)
        }
        cells[cells.count - 1].add(cell)
    }

    private func stretch(of cell: Cell) -> Double { (cell.first.time / width).rounded(.down) }

    private mutating func thin() {
        var longest = width
        if let first = cells.first, let last = cells.last {
            longest = max(longest, abs(last.first.time - first.first.time) / Double(Self.limit))
        }
        width = max(longest, .leastNonzeroMagnitude)
        var tries = 0
        while cells.count > Self.limit / 2, tries < 64 {
            width *= 2
            tries += 1
            regroup()
        }
        // A clock that goes to and fro puts neighbours into cells far apart.
        while cells.count > Self.limit / 2 { join() }
    }

    private mutating func regroup() {
        let former = cells
        cells = []
        for cell in former { append(cell) }
    }

    private mutating func join() {
        var joined: [Cell] = []
        for (place, cell) in cells.enumerated() {
            if place % 2 == 0 { joined.append(cell) } else { joined[joined.count - 1].add(cell) }
        }
        cells = joined
    }
}

/// What reaches over both; one of them where the other is nothing.
func joined(_ one: ClosedRange<Double>?, _ two: ClosedRange<Double>?) -> ClosedRange<Double>? {
    guard let one else { return two }
    guard let two else { return one }
    return min(one.lowerBound, two.lowerBound)...max(one.upperBound, two.upperBound)
}

extension SeriesThinner {
    /// The least and the greatest value; nil without one.
    package var extent: ClosedRange<Double>? {
        guard let least = cells.lazy.map({ min($0.least.value, $0.greatest.value) }).min(),
            let greatest = cells.lazy.map({ max($0.least.value, $0.greatest.value) }).max()
        else { return nil }
        return least...greatest
    }

    /// The earliest and the latest reading; nil without one.
    package var span: ClosedRange<Double>? {
        guard let first = cells.lazy.map({ min($0.first.time, $0.last.time) }).min(),
            let last = cells.lazy.map({ max($0.first.time, $0.last.time) }).max()
        else { return nil }
        return first...last
    }
}
