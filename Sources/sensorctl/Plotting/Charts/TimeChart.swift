// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// A line over time.
package struct TimeLine: Sendable {
    /// What the legend calls it, such as x.
    package var name: String
    /// The number of its trace.
    package var trace: Int
    /// True for values that nobody vouches for.
    package var isDoubtful: Bool
    package var series: SeriesThinner
    /// From how many seconds on a pause is a gap; nil where there is none.
    package var gap: Double?

    package init(name: String, trace: Int, isDoubtful: Bool = false, series: SeriesThinner, gap: Double?) {
        (self.name, self.trace, self.isDoubtful, self.series, self.gap) = (name, trace, isDoubtful, series, gap)
    }
}

/// Lines over time, on one axis of values.
package struct TimeChart: Sendable {
    /// What the command line calls it.
    package var name: String
    package var title: String
    package var unit: String
    package var quantity: PlotQuantity
    package var lines: [TimeLine]
    /// How high it is, where there is room.
    package var height: Double

    package init(
        name: String, title: String, unit: String, quantity: PlotQuantity, lines: [TimeLine], height: Double = 96
    ) {
        (self.name, self.title, self.unit, self.quantity) = (name, title, unit, quantity)
        (self.lines, self.height) = (lines, height)
    }

    /// A piece of a line without a gap.
    struct Stroke {
        var points: [PlotPoint]
        /// Where it comes in at the edge of the circle, and where it goes out; these are no readings.
        var entry: PlotPoint?
        var exit: PlotPoint?
        /// What lies around it, as long as that is known.
        var bands: [[(time: Double, range: ClosedRange<Double>)]] = []
    }

    /// A line as it is drawn.
    struct Drawing {
        let line: TimeLine
        let quantity: PlotQuantity
        let style: PlotStyle
        var strokes: [Stroke] = []
        var gaps: [ClosedRange<Double>] = []
    }

    /// The lines as they are drawn.
    ///
    /// - Parameters:
    ///   - columns: how many points one can tell from another.
    ///   - ofTraces: true where lines differ by their trace, and not by their name.
    func drawings(columns: Int, over duration: Double, ofTraces: Bool) -> [Drawing] {
        var names: [String] = []
        let window = window
        return lines.filter { $0.series.count > 0 }.map { line in
            if !names.contains(line.name), !line.isDoubtful { names.append(line.name) }
            let number = ofTraces ? line.trace : names.firstIndex(of: line.name) ?? 0
            var drawing = Drawing(
                line: line, quantity: quantity,
                style: PlotStyle(number: number, isDoubtful: line.isDoubtful, isBelow: ofTraces && number == 0))
            drawing.trace(line.series.thinned(to: columns, over: duration), window)
            return drawing
        }
    }

    /// What the axis of values shows.
    var window: ValueWindow { ValueWindow(lines.map(\.series), quantity) }

    func ticks(_ window: ValueWindow, height: Double) -> Ticks {
        let count = max(3, Int(height / 18))
        guard quantity.circle != nil else { return .numbers(window.domain, count: count) }
        var ticks = Ticks.degrees(window.domain, count: count)
        // Of angles the names say where on the circle they are.
        if ticks.exponent == 0 {
            let decimals = ticks.labels.first?.split(separator: ".").dropFirst().first?.count ?? 0
            ticks.labels = ticks.values.map { PlotText.number(window.named($0), decimals: decimals) }
        }
        return ticks
    }
}

extension TimeChart.Drawing {
    fileprivate mutating func trace(_ series: SeriesThinner, _ window: ValueWindow) {
        var stroke = TimeChart.Stroke(points: [])
        for cell in series.cells {
            if let former = stroke.points.last {
                let pause = cell.first.time - former.time
                let isGap = line.gap.map { pause > $0 } ?? false || pause < 0
                if isGap {
                    if pause > 0 { gaps.append(former.time...cell.first.time) }
                    strokes.append(stroke)
                    stroke = TimeChart.Stroke(points: [])
                }
            }
            for point in cell.points { go(on: &stroke, to: point, window) }
            stroke.addBand(of: cell, window)
        }
        if !stroke.points.isEmpty { strokes.append(stroke) }
    }

    /// Goes on to a reading, and round the edge of the circle where that is on the way.
    private mutating func go(on stroke: inout TimeChart.Stroke, to point: PlotPoint, _ window: ValueWindow) {
        if window.isWhole, let former = stroke.points.last, former.turn != point.turn, let circle = quantity.circle {
            let rises = point.turn > former.turn
            let (far, near) = rises ? (circle.upperBound, circle.lowerBound) : (circle.lowerBound, circle.upperBound)
            let step = point.unwound - former.unwound
            let way = far - former.value
            let share = step == 0 ? 0 : min(max(way / step, 0), 1)
            let time = former.time + share * (point.time - former.time)
            stroke.exit = PlotPoint(time: time, value: far)
            strokes.append(stroke)
            // More than once round between two points: it has been everywhere.
            if abs(point.turn - former.turn) > 1 {
                var all = TimeChart.Stroke(points: [])
                all.entry = PlotPoint(time: time, value: near)
                all.exit = PlotPoint(time: time, value: far)
                strokes.append(all)
            }
            stroke = TimeChart.Stroke(points: [])
            stroke.entry = PlotPoint(time: time, value: near)
        }
        stroke.points.append(point)
    }
}

extension TimeChart.Stroke {
    fileprivate mutating func addBand(of cell: SeriesThinner.Cell, _ window: ValueWindow) {
        guard let band = cell.band else {
            // Between readings with a margin and those without nothing is known.
            if bands.last?.isEmpty == false { bands.append([]) }
            return
        }
        if bands.isEmpty { bands.append([]) }
        let shift = window.shown(cell.last.value) - cell.last.unwound
        let range = band.lowerBound + shift...band.upperBound + shift
        bands[bands.count - 1].append((cell.first.time, range))
        if cell.last.time > cell.first.time { bands[bands.count - 1].append((cell.last.time, range)) }
    }
}
