// SPDX-License-Identifier: Apache-2.0

package import JSONBytes

extension PlotFigure {
    /// Writes the values of all points in the figure as JSON objects, one per line. plot-page.js reads the keys and
    /// expects the tracks in the order they are drawn.
    package func writeNumbers(to writer: inout JSONWriter) {
        for drawing in track?.sheet?.drawings ?? [] {
            writer.object { writer in
                writer.member("chart", "track")
                writer.member("trace", name(drawing.trace))
                writer.member("points", drawing.positions.map { [$0.time, $0.latitude, $0.longitude, $0.accuracy] })
            }
            writer.newline()
        }
        for chart in timeCharts {
            for drawing in chart.drawings(columns: columns, over: duration, hasSeveralTraces: hasSeveralTraces) {
                writer.object { write(chart, drawing, to: &$0) }
                writer.newline()
            }
        }
        for sky in skies { writeNumbers(of: sky, to: &writer) }
        for chart in intervals { for (trace, bars) in chart.histograms { write(chart, trace, bars, to: &writer) } }
    }

    /// The maximum number of points that can be distinguished along the horizontal axis.
    var columns: Int { Int(width - FigurePage.right - 52) }
    var duration: Double { range.upperBound - range.lowerBound }

    private func name(_ trace: Int) -> String { traces.indices.contains(trace) ? traces[trace] : "" }

    func write(_ chart: TimeChart, _ drawing: TimeChart.Drawing, to writer: inout JSONWriter) {
        writer.member("chart", chart.name)
        writer.member("line", drawing.line.name)
        writer.member("trace", name(drawing.line.trace))
        writer.member("unit", chart.unit)
        writer.member("readings", drawing.line.series.count)
        if drawing.line.isUnreliable { writer.member("doubtful", true) }
        // Writes a list of points for each part of the line between gaps or wraparounds.
        writer.member("strokes", drawing.strokes.map { $0.points.map { [$0.time, $0.value] } })
    }

    private func writeNumbers(of sky: SkyChart, to writer: inout JSONWriter) {
        for track in sky.sky.sorted {
            writer.object { writer in
                writer.member("chart", "sky")
                writer.member("trace", name(sky.trace))
                writer.member("satellite", track.name)
                writer.member("used", track.uses)
                writer.member("seen", track.views)
                if let mean = track.mean {
                    writer.member("weakest", track.weakest)
                    writer.member("mean", mean)
                    writer.member("strongest", track.strongest)
                }
                writer.member("path", track.path.map { [$0.azimuth, $0.elevation] })
            }
            writer.newline()
        }
    }

    private func write(_ chart: IntervalChart, _ trace: Int, _ bars: IntervalHistogram, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("chart", "intervals")
            writer.member("line", chart.name)
            writer.member("trace", name(trace))
            writer.member("unit", "s")
            writer.member("start", bars.start)
            writer.member("width", bars.width)
            writer.member("counts", bars.counts)
            writer.member("before", bars.countBelow)
            writer.member("beyond", bars.countAbove)
        }
        writer.newline()
    }
}
