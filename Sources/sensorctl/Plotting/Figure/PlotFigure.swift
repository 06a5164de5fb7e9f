// SPDX-License-Identifier: Apache-2.0

/// The contents of a figure that charts one or more traces. Extensions write the figure as SVG, HTML or JSON.
package struct PlotFigure: Sendable {
    package var title: String
    /// The text below the title, such as the date and duration.
    package var subtitle: String
    /// The names of the traces. Charts refer to traces by index.
    package var traces: [String]
    package var track: TrackChart?
    package var skies: [SkyChart] = []
    package var charts: [TimeChart] = []
    /// The histograms of the intervals between readings, one per stream.
    package var intervals: [IntervalChart] = []
    /// The faults to mark.
    package var spans: [PlotSpan] = []
    /// The visible range of the time charts, in seconds from the origin that `clock` defines.
    package var range: ClosedRange<Double>
    package var clock: PlotClock = .elapsed
    /// The width of the layout, in pixels.
    var width = FigurePage.width

    package init(title: String, subtitle: String, traces: [String], range: ClosedRange<Double>) {
        (self.title, self.subtitle, self.traces, self.range) = (title, subtitle, traces, range)
    }

    package var isEmpty: Bool { track == nil && skies.isEmpty && charts.isEmpty && intervals.isEmpty }

    /// True if colours and dash patterns distinguish traces, or false if they distinguish the lines of a single trace.
    var hasSeveralTraces: Bool { traces.count > 1 }

    /// The layout for the screen of a phone. In 366 pixels, the smallest font size is 11 pixels.
    var narrow: PlotFigure {
        var figure = self
        figure.width = 290
        figure.title = PlotText.name(title, upTo: 28)
        figure.subtitle = PlotText.name(subtitle, upTo: 44)
        return figure
    }

    var isNarrow: Bool { width < FigurePage.width }

    /// The maximum number of traces whose lines are drawn in the same time chart.
    private static let maximumOverlay = 3

    /// The time charts to draw. If there are several traces, a chart whose lines have different names is split into one
    /// chart per name. Each of these charts shows the lines of that name from all traces, and the unreliable lines,
    /// which have no chart of their own. If there are more than three traces, the lines would hide each other, so each
    /// trace has charts of its own with a common value axis.
    var timeCharts: [TimeChart] {
        guard hasSeveralTraces else { return charts }
        guard traces.count <= Self.maximumOverlay else { return charts.flatMap(separated) }
        return charts.flatMap { chart in
            var names: [String] = []
            for line in chart.lines where !names.contains(line.name) && !line.isUnreliable { names.append(line.name) }
            guard names.count > 1 else { return [chart] }
            return names.map { name in
                var part = chart
                part.lines = chart.lines.filter { $0.name == name || $0.isUnreliable }
                part.title += ", \(name)"
                part.name += ".\(name)"  // Written by `writeNumbers`, such as "attitude.roll".
                part.height = min(chart.height, 84)  // In pixels. A chart of one line needs less height.
                return part
            }
        }
    }

    /// Splits a chart into one chart per trace.
    private func separated(_ chart: TimeChart) -> [TimeChart] {
        traces.indices.compactMap { trace in
            var part = chart
            part.lines = chart.lines.filter { $0.trace == trace && $0.series.count > 0 }
            guard !part.lines.isEmpty else { return nil }
            (part.trace, part.traceName) = (trace, traces[trace])
            part.commonLines = chart.lines
            part.title += ", \(PlotText.name(traces[trace], upTo: 24))"
            part.height = min(chart.height, 60)
            return part
        }
    }
}

/// A row of a figure. The y coordinates are relative to the top edge of the row.
struct FigureRow {
    var height: Double
    /// The part of the height, in pixels, that can shrink to fit the figure on a page.
    var flexibleHeight: Double
    /// Draws the row. `flexibleHeight` is the height of the flexible part after fitting, in pixels.
    var draw: @Sendable (_ flexibleHeight: Double, _ svg: inout SVGWriter) -> Void
}
