// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// A line in a chart. It shows one quantity from one trace.
package struct TimeLine: Sendable {
    /// The name in the legend, such as "x".
    package var name: String
    /// The index of the trace in `PlotFigure.traces`.
    package var trace: Int
    /// True if the line shows headings that have a negative accuracy and must not be trusted. `writeNumbers` marks the
    /// line as "doubtful".
    package var isUnreliable: Bool
    package var series: SeriesDecimator
    /// The maximum interval between two connected readings, in seconds, or nil if the line is never interrupted. A
    /// longer interval interrupts the line.
    package var gap: Double?

    package init(name: String, trace: Int, isUnreliable: Bool = false, series: SeriesDecimator, gap: Double?) {
        (self.name, self.trace, self.isUnreliable, self.series, self.gap) = (name, trace, isUnreliable, series, gap)
    }
}

/// A chart of one or more lines over time, with a common value axis.
package struct TimeChart: Sendable {
    /// The name of the chart on the command line and in the output of `writeNumbers`.
    package var name: String
    package var title: String
    package var unit: String
    package var quantity: PlotQuantity
    package var lines: [TimeLine]
    /// The preferred height of the box, in pixels.
    package var height: Double
    /// The index of the trace to which the chart is limited, or nil if it shows the lines of all traces.
    var trace: Int?
    /// The name of `trace`, for the page's script.
    var traceName: String?
    /// The lines that determine the value axis, or nil for the lines of the chart.
    var commonLines: [TimeLine]?

    package init(
        name: String, title: String, unit: String, quantity: PlotQuantity, lines: [TimeLine], height: Double = 96
    ) {
        (self.name, self.title, self.unit, self.quantity) = (name, title, unit, quantity)
        (self.lines, self.height) = (lines, height)
    }

    /// Returns the chart with all values multiplied by a factor.
    package func scaled(by factor: Double, unit: String) -> TimeChart {
        guard factor != 1 else { return self }
        var chart = self
        chart.unit = unit
        for index in lines.indices { chart.lines[index].series.scale(by: factor) }
        return chart
    }

    /// An uninterrupted part of a line.
    struct Stroke {
        var points: [PlotPoint]
        /// On a circular axis, the interpolated points at which the line enters and leaves the chart. They are not
        /// readings.
        var entry: PlotPoint?
        var exit: PlotPoint?
        var bands: [[(time: Double, range: ClosedRange<Double>)]] = []
    }

    struct Drawing {
        let line: TimeLine
        let quantity: PlotQuantity
        let style: PlotStyle
        var strokes: [Stroke] = []
        var gaps: [ClosedRange<Double>] = []
    }

    /// Prepares the lines for drawing. If `hasSeveralTraces` is true, line styles distinguish traces. If it is false,
    /// they distinguish the lines of a single trace.
    func drawings(columns: Int, over duration: Double, hasSeveralTraces: Bool) -> [Drawing] {
        var names: [String] = []
        let window = window
        let hasSeveralNames = Set(lines.lazy.filter { !$0.isUnreliable }.map(\.name)).count > 1
        let stylesIdentifyTraces = hasSeveralTraces && (trace == nil || !hasSeveralNames)
        return lines.filter { $0.series.count > 0 }.map { line in
            if !names.contains(line.name), !line.isUnreliable { names.append(line.name) }
            let number = stylesIdentifyTraces ? line.trace : names.firstIndex(of: line.name) ?? 0
            var drawing = Drawing(
                line: line, quantity: quantity,
                style: PlotStyle(
                    number: number, isUnreliable: line.isUnreliable,
                    isUnderlay: hasSeveralTraces && trace == nil && number == 0))
            drawing.trace(line.series.decimated(to: columns, over: duration), window)
            return drawing
        }
    }

    var window: ValueWindow { ValueWindow((commonLines ?? lines).map(\.series), quantity) }

    func ticks(_ window: ValueWindow, height: Double) -> Ticks {
        let count = max(3, Int(height / 18))
        guard quantity.circle != nil else { return .numbers(window.domain, count: count) }
        var ticks = Ticks.degrees(window.domain, count: count)
        if ticks.exponent == 0 {
            let decimals = ticks.decimals
            ticks.labels = ticks.values.map { PlotText.number(window.labelValue($0), decimals: decimals) }
        }
        return ticks
    }
}

extension TimeChart.Drawing {
    fileprivate mutating func trace(_ series: SeriesDecimator, _ window: ValueWindow) {
        var stroke = TimeChart.Stroke(points: [])
        for cell in series.cells {
            if let previous = stroke.points.last {
                let pause = cell.first.time - previous.time
                let isGap = line.gap.map { pause > $0 } ?? false || pause < 0
                if isGap {
                    if pause > 0 { gaps.append(previous.time...cell.first.time) }
                    strokes.append(stroke)
                    stroke = TimeChart.Stroke(points: [])
                }
            }
            for point in cell.points { extend(&stroke, to: point, window) }
            stroke.addBand(of: cell, window)
        }
        if !stroke.points.isEmpty { strokes.append(stroke) }
    }

    /// Extends the line to a reading. If the line crosses the end of a circular axis, the line is split there.
    private mutating func extend(_ stroke: inout TimeChart.Stroke, to point: PlotPoint, _ window: ValueWindow) {
        if window.isFullCircle, let previous = stroke.points.last, previous.turnCount != point.turnCount,
            let circle = quantity.circle
        {
            let rises = point.turnCount > previous.turnCount
            let (far, near) = rises ? (circle.upperBound, circle.lowerBound) : (circle.lowerBound, circle.upperBound)
            let step = point.unwrapped - previous.unwrapped
            let distance = far - previous.value
            let share = step == 0 ? 0 : min(max(distance / step, 0), 1)
            let time = previous.time + share * (point.time - previous.time)
            stroke.exit = PlotPoint(time: time, value: far)
            strokes.append(stroke)
            // If the value went round the circle more than once between the two readings, adds a line across the whole
            // axis.
            if abs(point.turnCount - previous.turnCount) > 1 {
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
    fileprivate mutating func addBand(of cell: SeriesDecimator.Cell, _ window: ValueWindow) {
        guard let band = cell.band else {
            // A reading without an accuracy interrupts the accuracy band.
            if bands.last?.isEmpty == false { bands.append([]) }
            return
        }
        if bands.isEmpty { bands.append([]) }
        let shift = window.position(of: cell.last.value) - cell.last.unwrapped
        let range = band.lowerBound + shift...band.upperBound + shift
        bands[bands.count - 1].append((cell.first.time, range))
        if cell.last.time > cell.first.time { bands[bands.count - 1].append((cell.last.time, range)) }
    }
}
