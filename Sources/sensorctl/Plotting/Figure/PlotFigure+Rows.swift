// SPDX-License-Identifier: Apache-2.0

/// The layout of the rows. All lengths are in pixels.
extension PlotFigure {
    func rows() -> [FigureRow] {
        let sheet = track?.sheet
        let drawn = timeCharts.map { chart in
            DrawnChart(
                chart: chart,
                drawings: chart.drawings(columns: columns, over: duration, hasSeveralTraces: hasSeveralTraces))
        }
        var rows = [header]
        rows += placeRows(sheet)
        for sky in skies where sky.sky.sorted.contains(where: { $0.strengths > 0 }) { rows.append(signalRow(sky)) }
        rows += timeRows(drawn)
        rows += intervalRows
        rows.append(footer(sheet, drawn))
        return rows
    }

    private struct DrawnChart {
        let chart: TimeChart
        let drawings: [TimeChart.Drawing]
    }

    private var header: FigureRow {
        let entries = hasSeveralTraces ? traces.enumerated().map { ($1, PlotStyle(number: $0)) } : []
        // Wraps the trace names onto several lines if necessary.
        var lines: [[(name: String, style: PlotStyle)]] = [[]]
        var width = 0.0
        for (name, style) in entries {
            // `SVGWriter.legend` adds 41 pixels to each name for the sample and spacing.
            let own = PlotText.width(name, size: PlotFont.label) + 41
            if width + own > self.width - 20, lines.last?.isEmpty == false {
                lines.append([])
                width = 0
            }
            width += own
            lines[lines.count - 1].append((name, style))
        }
        let rows = lines.filter { !$0.isEmpty }
        let (title, subtitle) = (title, subtitle)
        return FigureRow(height: 44 + Double(rows.count) * 16, flexibleHeight: 0) { _, svg in
            svg.label(title, 10, 20, size: PlotFont.title, bold: true)
            svg.label(subtitle, 10, 36, faint: true)
            for (index, entries) in rows.enumerated() {
                // Excludes the 12 pixels of spacing after the last name.
                let width = entries.reduce(0) { $0 + PlotText.width($1.name, size: PlotFont.label) + 41 } - 12
                svg.legend(entries, right: 10 + width, baseline: 53 + Double(index) * 16)
            }
        }
    }

    /// A single sky chart is placed beside the track. Several sky charts are placed below the tracks.
    private func placeRows(_ sheet: TrackChart.Sheet?) -> [FigureRow] {
        let discs = skies.filter { $0.sky.sorted.contains { !$0.path.isEmpty } }
        guard let sheet else { return discRows(discs) }
        let disc = discs.count == 1 && !isNarrow ? discs.first : nil
        let (head, left, discWidth) = (TimeChart.headerHeight, 52.0, 214.0)
        let foot = TrackChart.footerHeight + 22 + (isNarrow ? TrackChart.legendLine : 0)
        let width = self.width - left - FigurePage.right - (disc == nil ? 0 : discWidth + 12)
        let extent = sheet.maximum - sheet.minimum
        // The track's aspect ratio determines the height, within fixed limits.
        let wanted = width * extent.y / max(extent.x, 1e-9)
        let height = min(max(wanted, disc == nil ? 180 : 230), 380)
        let (hasSeveralTraces, spans) = (hasSeveralTraces, spans)
        let row = FigureRow(height: head + height + foot, flexibleHeight: height) { height, svg in
            let frame = Frame(x: left, y: head, width: width, height: height)
            sheet.draw(in: frame, spans: spans, hasSeveralTraces: hasSeveralTraces, to: &svg)
            let side = Frame(x: left + width + 16, y: head, width: discWidth - 4, height: height + foot - 8)
            disc?.drawSky(in: side, to: &svg)
        }
        return [row] + (disc == nil ? discRows(discs) : [])
    }

    private func discRows(_ discs: [SkyChart]) -> [FigureRow] {
        let perRow = isNarrow ? 1 : min(max(discs.count, 1), 3)
        let width = min((self.width - 10 - FigurePage.right) / Double(perRow), 250)
        return stride(from: 0, to: discs.count, by: perRow).map { first in
            let row = discs[first..<min(first + perRow, discs.count)]
            return FigureRow(height: TimeChart.headerHeight + width + 50, flexibleHeight: 0) { _, svg in
                for (index, disc) in row.enumerated() {
                    disc.drawSky(
                        in: Frame(
                            x: 10 + width * Double(index), y: TimeChart.headerHeight, width: width - 14,
                            height: width + 42), to: &svg)
                }
            }
        }
    }

    private func signalRow(_ sky: SkyChart) -> FigureRow {
        let right = width - FigurePage.right
        let labelHeight = sky.signalLabelHeight(width: right - 52)
        return FigureRow(height: TimeChart.headerHeight + 76 + labelHeight, flexibleHeight: 76) { height, svg in
            sky.drawSignals(left: 52, right: right, top: TimeChart.headerHeight, height: height, to: &svg)
        }
    }

    private func timeRows(_ drawn: [DrawnChart]) -> [FigureRow] {
        guard !drawn.isEmpty else { return [] }
        // All charts share a left edge, so their time axes are aligned.
        let labels = drawn.flatMap { $0.chart.ticks($0.chart.window, height: $0.chart.height).labels }
        let longest = labels.map { PlotText.width($0, size: PlotFont.label) }.max() ?? 0
        let axis = TimeAxis(
            range: range, clock: clock, spans: spans, left: min(max(52, longest + 12), 120),
            right: self.width - FigurePage.right, stylesIdentifyTraces: hasSeveralTraces)
        var rows: [FigureRow] = []
        if !spans.isEmpty { rows.append(FaultStrip(spans: spans).row(axis)) }
        for (index, one) in drawn.enumerated() {
            let (chart, drawings) = (one.chart, one.drawings)
            let isLast = index == drawn.count - 1
            rows.append(
                FigureRow(
                    height: TimeChart.headerHeight + chart.height + (isLast ? TimeChart.footerHeight : 4),
                    flexibleHeight: chart.height
                ) { height, svg in
                    let frame = Frame(
                        x: axis.left, y: TimeChart.headerHeight, width: axis.right - axis.left, height: height)
                    chart.draw(drawings, in: frame, axis: axis, isLast: isLast, to: &svg)
                })
        }
        return rows
    }

    private var intervalRows: [FigureRow] {
        let charts = intervals.filter { !$0.isRegular && !$0.histograms.isEmpty }
        let perRow = isNarrow ? 1 : charts.count == 3 || charts.count > 4 ? 3 : 2
        let gap = 10.0
        let width = (self.width - FigurePage.right + gap) / Double(perRow)
        return regularIntervalRows
            + stride(from: 0, to: charts.count, by: perRow).map { first in
                let row = charts[first..<min(first + perRow, charts.count)]
                return FigureRow(
                    height: IntervalChart.headerHeight + 92 + TimeChart.footerHeight + 4, flexibleHeight: 92
                ) {
                    height, svg in
                    for (index, chart) in row.enumerated() {
                        let frame = Frame(
                            x: width * Double(index) + 52, y: IntervalChart.headerHeight, width: width - 52 - gap,
                            height: height)
                        chart.draw(in: frame, to: &svg)
                    }
                }
            }
    }

    /// A line of text for each stream with a constant rate, for which a histogram would be a single bar.
    private var regularIntervalRows: [FigureRow] {
        let lines = intervals.filter(\.isRegular).flatMap { chart in
            chart.counters.flatMap { trace, counter in
                let trace = hasSeveralTraces && traces.indices.contains(trace) ? ", \(traces[trace])" : ""
                return PlotText.wrapped(
                    "\(chart.name)\(trace): \(counter.summary)", to: width - 20, size: PlotFont.label)
            }
        }
        guard !lines.isEmpty else { return [] }
        return [
            FigureRow(height: TimeChart.headerHeight + Double(lines.count) * 14 + 6, flexibleHeight: 0) { _, svg in
                svg.heading("Intervals", "at a constant rate", 10, TimeChart.headerHeight - 6)
                for (index, line) in lines.enumerated() {
                    svg.label(line, 10, TimeChart.headerHeight + 9 + Double(index) * 14)
                }
            }
        ]
    }

    /// Returns a row of notes that explain marks not covered by a legend.
    private func footer(_ sheet: TrackChart.Sheet?, _ drawn: [DrawnChart]) -> FigureRow {
        var notes: [String] = []
        let scale = Scale(range, from: 0, to: Double(columns))
        let hasGaps = drawn.contains { !TimeChart.visibleGaps($0.drawings, scale).isEmpty }
        if hasGaps { notes.append("Grey: no readings for more than three usual intervals.") }
        let hasUnseen = sheet?.drawings.contains { drawing in
            drawing.positions.indices.contains { $0 > 0 && drawing.isBehindGap($0) }
        }
        if hasUnseen == true { notes.append("Grey dashes on the track: no positions in between.") }
        if drawn.contains(where: { $0.chart.showsBands($0.drawings) }) { notes.append("Bands: the reported accuracy.") }
        // A row above the time charts shows the faults. If there are no time charts, the footer lists them instead.
        if drawn.isEmpty, !spans.isEmpty {
            notes.append(PlotText.name("Faults: " + spans.map(\.label).joined(separator: ", ") + ".", upTo: 110))
        }
        let lines = PlotText.wrapped(notes.joined(separator: " "), to: width - 20, size: PlotFont.small)
        return FigureRow(height: 8 + Double(lines.count) * 12, flexibleHeight: 0) { _, svg in
            for (index, line) in lines.enumerated() {
                svg.label(line, 10, 12 + Double(index) * 12, size: PlotFont.small, faint: true)
            }
        }
    }
}

/// A row above the time charts that shows a bar and a name for each of the first `limit` visible faults.
struct FaultStrip: Sendable {
    static let limit = 12
    let spans: [PlotSpan]

    func row(_ axis: TimeAxis) -> FigureRow {
        let visibleSpans = spans.filter { $0.extent(on: axis.scale) != nil }.prefix(Self.limit)
        return FigureRow(height: TimeChart.headerHeight + Double(visibleSpans.count) * 15 + 2, flexibleHeight: 0) {
            _, svg in
            svg.label("Faults", axis.left, TimeChart.headerHeight - 6, size: PlotFont.heading, bold: true)
            for (index, span) in visibleSpans.enumerated() {
                guard let (left, right) = span.extent(on: axis.scale) else { continue }
                let y = TimeChart.headerHeight + Double(index) * 15
                svg.rect([
                    "class": "fault strip", "data-fault": .string(span.label), "x": .number(left), "y": .number(y + 1),
                    "width": .number(max(right - left, 2)), "height": 12, "fill": .string(PlotStyle.fault),
                    "fill-opacity": "0.45",
                ])
                let width = PlotText.width(span.label, size: PlotFont.label)
                let isInside = right - left > width + 8
                let fits = right + 6 + width <= axis.right
                let x = isInside ? left + 4 : fits ? right + 6 : left - 6
                svg.label(span.label, x, y + 10.5, anchor: isInside || fits ? "start" : "end")
            }
        }
    }
}
