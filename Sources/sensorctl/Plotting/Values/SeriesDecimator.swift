// SPDX-License-Identifier: Apache-2.0

/// Stores a time series of any length in bounded memory and preserves all peaks.
///
/// Readings that are too close together to be distinguished are merged into a cell. A cell stores its first, smallest,
/// largest and last reading, and the accuracy band of all its readings. The longer the series, the longer each cell.
package struct SeriesDecimator: Sendable {
    package struct Cell: Sendable {
        package fileprivate(set) var first: PlotPoint
        /// The reading with the smallest value. Angles are unwrapped before they are compared.
        package fileprivate(set) var minimum: PlotPoint
        package fileprivate(set) var maximum: PlotPoint
        package fileprivate(set) var last: PlotPoint
        /// The accuracy band: the range of the readings, extended by their uncertainties, or nil if no uncertainty is
        /// known. Angles are unwrapped, so they may lie outside the circle.
        package fileprivate(set) var band: ClosedRange<Double>?

        /// The cell's stored readings in chronological order, without duplicates.
        package var points: [PlotPoint] {
            var points = [first]
            let extremes = minimum.time <= maximum.time ? [minimum, maximum] : [maximum, minimum]
            for point in extremes + [last] where point != points.last { points.append(point) }
            return points
        }

        fileprivate mutating func add(_ other: Cell) {
            if other.minimum.unwrapped < minimum.unwrapped { minimum = other.minimum }
            if other.maximum.unwrapped > maximum.unwrapped { maximum = other.maximum }
            last = other.last
            band = union(band, other.band)
        }
    }

    static let limit = 6144

    package let quantity: PlotQuantity
    package private(set) var cells: [Cell] = []
    package private(set) var count = 0
    /// The duration of a cell in seconds, or 0 if each reading has its own cell.
    private var width = 0.0

    package init(_ quantity: PlotQuantity = .plain) { self.quantity = quantity }

    /// - Parameter margin: The uncertainty in each direction. Unknown if nil or negative.
    package mutating func add(_ point: PlotPoint, margin: Double? = nil) {
        // On a circular axis, values outside the circle's range are invalid.
        guard point.isDrawable, quantity.circle?.contains(point.value) ?? true else { return }
        var point = point
        if quantity.circle != nil, let previous = cells.last?.last {
            let step = point.value - previous.value
            point.turnCount = previous.turnCount + (step < -180 ? 1 : step > 180 ? -1 : 0)
        }
        var cell = Cell(first: point, minimum: point, maximum: point, last: point)
        if let margin, margin >= 0, margin < 1e100 { cell.band = point.unwrapped - margin...point.unwrapped + margin }
        count += 1
        append(cell)
        if cells.count > Self.limit { decimate() }
    }

    /// Returns a copy of the series with about `columns` cells, for a chart of limited width.
    package func decimated(to columns: Int, over duration: Double) -> SeriesDecimator {
        guard cells.count > columns, duration > 0 else { return self }
        var result = self
        result.width = max(width, duration / Double(columns))
        result.regroup()
        return result
    }

    mutating func scale(by factor: Double) {
        for index in cells.indices {
            for point in [\Cell.first, \.minimum, \.maximum, \.last] { cells[index][keyPath: point].value *= factor }
            cells[index].band = cells[index].band.map { $0.lowerBound * factor...$0.upperBound * factor }
        }
    }

    private mutating func append(_ cell: Cell) {
        guard width > 0, let last = cells.last, interval(of: last) == interval(of: cell) else {
            return cells.append(cell)
        }
        cells[cells.count - 1].add(cell)
    }

    private func interval(of cell: Cell) -> Double { (cell.first.time / width).rounded(.down) }

    private mutating func decimate() {
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
        // If the clock jumps back and forth, successive readings never share a cell, however long the cells are. Merges
        // adjacent cells to limit memory use.
        while cells.count > Self.limit / 2 { mergeAdjacentCells() }
    }

    private mutating func regroup() {
        let previous = cells
        cells = []
        for cell in previous { append(cell) }
    }

    private mutating func mergeAdjacentCells() {
        var joined: [Cell] = []
        for (index, cell) in cells.enumerated() {
            if index % 2 == 0 { joined.append(cell) } else { joined[joined.count - 1].add(cell) }
        }
        cells = joined
    }
}

/// Returns the smallest range that contains both ranges. If one range is nil, returns the other.
func union(_ one: ClosedRange<Double>?, _ two: ClosedRange<Double>?) -> ClosedRange<Double>? {
    guard let one else { return two }
    guard let two else { return one }
    return min(one.lowerBound, two.lowerBound)...max(one.upperBound, two.upperBound)
}

extension SeriesDecimator {
    package var extent: ClosedRange<Double>? {
        guard let least = cells.lazy.map({ min($0.minimum.value, $0.maximum.value) }).min(),
            let greatest = cells.lazy.map({ max($0.minimum.value, $0.maximum.value) }).max()
        else { return nil }
        return least...greatest
    }

    /// The earliest and latest times in seconds, or nil if there are no readings.
    package var span: ClosedRange<Double>? {
        guard let first = cells.lazy.map({ min($0.first.time, $0.last.time) }).min(),
            let last = cells.lazy.map({ max($0.first.time, $0.last.time) }).max()
        else { return nil }
        return first...last
    }
}

package struct PlotPoint: Sendable, Hashable {
    /// The time in seconds since the start of the time axis.
    package var time: Double
    package var value: Double
    /// The number of full turns since the first reading. The value is assumed to take the shorter way round the circle
    /// between consecutive readings.
    package internal(set) var turnCount = 0

    package init(time: Double, value: Double) { (self.time, self.value) = (time, value) }

    /// True if the time and the value are finite and small enough for an axis.
    package var isDrawable: Bool { abs(time) < 1e12 && abs(value) < 1e100 }

    var unwrapped: Double { value + 360 * Double(turnCount) }
}

package enum PlotQuantity: Sendable {
    case plain
    /// A nonnegative number, such as a speed.
    case amount
    /// An angle in degrees, -180...180.
    case angle
    /// An angle in degrees, 0...360, clockwise from north.
    case bearing

    /// The ends of a circular axis, or nil for linear quantities.
    package var circle: ClosedRange<Double>? {
        switch self {
        case .plain, .amount: nil
        case .angle: -180...180
        case .bearing: 0...360
        }
    }
}
