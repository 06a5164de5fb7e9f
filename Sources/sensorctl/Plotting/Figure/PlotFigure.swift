// SPDX-License-Identifier: Apache-2.0

/// A page of charts over one or several traces.
package struct PlotFigure: Sendable {
    package var title: String
    /// What stands below the title: when, how long.
    package var subtitle: String
    /// The names of the traces, in the order of their numbers.
    package var traces: [String]
    package var track: TrackChart?
    package var skies: [SkyChart] = []
    package var charts: [TimeChart] = []
    package var intervals: [IntervalChart] = []
    /// What went wrong, and when.
    package var spans: [PlotSpan] = []
    /// Seconds that charts over time show.
    package var range: ClosedRange<Double>
    package var clock: PlotClock = .elapsed

    package init(title: String, subtitle: String, traces: [String], range: ClosedRange<Double>) {
        (self.title, self.subtitle, self.traces, self.range) = (title, subtitle, traces, range)
    }

    package var isEmpty: Bool { track == nil && skies.isEmpty && charts.isEmpty && intervals.isEmpty }

    /// True where colours and dashes tell traces.
    var isOfTraces: Bool { traces.count > 1 }

    /// The charts over time as they are drawn: where there are several traces, each line has a chart of its own, in which
    /// they lie over one another.
    var timeCharts: [TimeChart] {
        guard isOfTraces else { return charts }
        return charts.flatMap { chart in
            var names: [String] = []
            for line in chart.lines where !names.contains(line.name) && !line.isDoubtful { names.append(line.name) }
            guard names.count > 1 else { return [chart] }
            return names.map { name in
                var part = chart
                part.lines = chart.lines.filter { $0.name == name || $0.isDoubtful }
                part.title += ", \(name)"
                part.name += ".\(name)"
                part.height = min(chart.height, 84)
                return part
            }
        }
    }
}

/// A part of a figure from its left to its right side, whose top is at 0.
struct FigureRow {
    var height: Double
    /// How much of it may become less where a page is short.
    var stretch: Double
    /// - Parameter stretch: what is left of it.
    var draw: @Sendable (_ stretch: Double, _ svg: inout SVGWriter) -> Void
}
