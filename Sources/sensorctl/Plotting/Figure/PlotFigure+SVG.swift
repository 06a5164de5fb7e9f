// SPDX-License-Identifier: Apache-2.0

extension PlotFigure {
    /// Returns the rows of the figure and their heights, fitted to one page if possible.
    func fittedRows() -> [(height: Double, draw: @Sendable (inout SVGWriter) -> Void)] {
        let rows = rows()
        let natural = rows.reduce(0) { $0 + $1.height }
        let stretch = rows.reduce(0) { $0 + $1.flexibleHeight }
        let share = stretch > 0 ? 1 - (natural - FigurePage.height) / stretch : 1
        // A figure that does not fit on a page keeps its preferred heights and becomes longer.
        let factor = share >= 1 || share < FigurePage.minimumScale ? 1 : share
        return rows.map { row in
            let rest = row.flexibleHeight * factor
            return (row.height - row.flexibleHeight + rest, { svg in row.draw(rest, &svg) })
        }
    }

    /// Returns the figure as an SVG document.
    package func svg() -> String {
        let rows = fittedRows()
        let height = rows.reduce(0) { $0 + $1.height } + 8
        var svg = SVGWriter()
        svg.element(
            "svg",
            [
                "xmlns": "http://www.w3.org/2000/svg", "width": "190mm",
                "height": .string("\(PlotText.coordinate(height * 190 / FigurePage.width))mm"),
                "viewBox": .string("0 0 \(PlotText.coordinate(FigurePage.width)) \(PlotText.coordinate(height))"),
                "role": "img", "font-family": .string(PlotFont.family),
            ]
        ) { svg in
            svg.element("title", text: title)
            svg.element("desc", text: summary)
            svg.element(
                "rect",
                [
                    "width": .number(FigurePage.width), "height": .number(height), "fill": .string(PlotStyle.paper),
                    "class": "paper",
                ])
            var y = 0.0
            for row in rows {
                svg.element("g", ["transform": .string("translate(0 \(PlotText.coordinate(y)))")], row.draw)
                y += row.height
            }
        }
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + svg.text
    }

    /// The description of the figure for screen readers.
    var summary: String {
        var parts: [String] = []
        if let track { parts.append("track of \(track.tracks.reduce(0) { $0 + $1.simplifier.count }) positions") }
        if !skies.isEmpty { parts.append("sky") }
        for chart in charts {
            let count = chart.lines.reduce(0) { $0 + $1.series.count }
            let extent = chart.lines.compactMap { $0.series.extent }
            guard let least = extent.map(\.lowerBound).min(), let greatest = extent.map(\.upperBound).max() else {
                continue
            }
            parts.append("\(chart.title) from \(least) to \(greatest) \(chart.unit), \(count) values")
        }
        for chart in intervals { parts.append("intervals of \(chart.name)") }
        return subtitle + ". " + parts.joined(separator: "; ") + "."
    }
}
