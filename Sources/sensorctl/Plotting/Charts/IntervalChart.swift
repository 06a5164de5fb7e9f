// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// A histogram of the intervals between a stream's readings. Each trace's histogram is drawn as a separate outline.
package struct IntervalChart: Sendable {
    package var name: String
    package var counters: [(trace: Int, counter: IntervalCounter)]

    package init(name: String, counters: [(trace: Int, counter: IntervalCounter)]) {
        (self.name, self.counters) = (name, counters)
    }

    /// True if every stream has a constant rate, so that a histogram would be a single bar.
    package var isRegular: Bool { counters.allSatisfy(\.counter.isRegular) }

    var histograms: [(trace: Int, bars: IntervalHistogram)] {
        guard let axis = IntervalHistogram.axis(for: counters.map(\.counter)) else { return [] }
        return counters.filter { $0.counter.count > 0 }.map { ($0.trace, IntervalHistogram($0.counter, axis: axis)) }
    }

    func draw(in frame: Frame, to svg: inout SVGWriter) {
        let all = histograms
        guard let first = all.first?.bars else { return }
        let greatest = all.flatMap(\.bars.counts).max() ?? 1
        // A logarithmic scale keeps rare intervals visible among thousands of typical ones. The scale begins below
        // log10(1), so that the bar for a single interval is visible.
        let top = log10(Double(max(greatest, 2)) * 1.5)
        let heights = Scale(-0.3...top, from: frame.bottom, to: frame.y)
        let isShort = first.end < 2
        let factor = isShort ? 1e3 : 1
        let widths = Scale(first.start * factor...first.end * factor, from: frame.x, to: frame.right)
        svg.group([
            "class": "chart", "data-name": .string("intervals \(name)"), "data-x": .string(widths.description),
            "data-y": .string(heights.description), "data-unit": isShort ? "ms" : "s",
        ]) { svg in
            let notes = notes(of: all)
            let baseline = frame.y - 6 - Double(notes.count) * 12
            svg.heading("Intervals", name, frame.x, baseline)
            for (index, note) in notes.enumerated() {
                svg.label(
                    note, frame.x, frame.y - 6 - Double(notes.count - 1 - index) * 12, size: PlotFont.small, faint: true
                )
            }
            axes(frame, widths, heights, greatest, unit: isShort ? "ms" : "s", &svg)
            for (trace, bars) in all { draw(bars, trace, factor, widths, heights, frame, isOnly: all.count == 1, &svg) }
            svg.box(frame)
        }
    }

    private func draw(
        _ bars: IntervalHistogram, _ trace: Int, _ factor: Double, _ widths: Scale, _ heights: Scale, _ frame: Frame,
        isOnly: Bool, _ svg: inout SVGWriter
    ) {
        let style = PlotStyle(number: trace)
        var path = SVGPath()
        var level = frame.bottom
        for (index, count) in bars.counts.enumerated() {
            let x = widths((bars.start + bars.width * Double(index)) * factor)
            let y = count > 0 ? heights(log10(Double(count))) : frame.bottom
            if path.isEmpty { path.move(x, level) } else { path.line(x, level) }
            if y != level { path.line(x, y) }
            level = y
        }
        path.line(frame.right, level)
        path.line(frame.right, frame.bottom)
        svg.path([
            "class": .string(isOnly ? "bar \(style.name)" : style.name), "data-trace": .number(Double(trace)),
            "data-counts": .string(bars.counts.map(String.init).joined(separator: " ")),
            "data-before": .number(Double(bars.countBelow)), "data-beyond": .number(Double(bars.countAbove)),
            "d": .string(path.data), "fill": isOnly ? .string(style.color) : "none", "fill-opacity": "0.35",
            "stroke": .string(style.color), "stroke-width": 1, "stroke-linejoin": "miter",
            "stroke-dasharray": style.dashes,
        ])
    }

    private func axes(
        _ frame: Frame, _ widths: Scale, _ heights: Scale, _ greatest: Int, unit: String, _ svg: inout SVGWriter
    ) {
        let marks = Ticks.numbers(widths.domain, count: max(2, Int(frame.width / 44)))
        let counts = Ticks.logarithmicCounts(upTo: greatest, count: max(2, Int(frame.height / 18)))
        svg.group(["class": "grid", "stroke": .string(PlotStyle.grid), "stroke-width": 0.6]) { svg in
            for value in marks.values { svg.line(widths(value), frame.y, widths(value), frame.bottom) }
            for value in counts.values { svg.line(frame.x, heights(log10(value)), frame.right, heights(log10(value))) }
        }
        for (value, label) in zip(marks.values, marks.labels) { svg.mark(label, widths(value), below: frame) }
        for (value, label) in zip(counts.values, counts.labels) {
            svg.label(label, frame.x - 5, heights(log10(value)) + 3.5, anchor: "end")
        }
        let title = PlotText.unit(unit, exponent: marks.exponent)
        svg.label("Interval (\(title))", (frame.x + frame.right) / 2, frame.bottom + 27, anchor: "middle", faint: true)
    }

    /// The height of the header, in pixels.
    static let headerHeight = 43.0

    private func notes(of all: [(trace: Int, bars: IntervalHistogram)]) -> [String] {
        let count = counters.reduce(0) { $0 + $1.counter.count }
        var first = "\(PlotText.grouped(Double(count))) in all"
        if counters.count == 1, let median = counters.first?.counter.median {
            first += ", median \(PlotText.seconds(median))"
        }
        var others: [String] = []
        let beyond = all.reduce(0) { $0 + $1.bars.countAbove }
        if beyond > 0 {
            let longest = counters.compactMap { $0.counter.sorted.last?.interval }.max() ?? 0
            others.append("\(PlotText.grouped(Double(beyond))) longer, up to \(PlotText.seconds(longest))")
        }
        let before = all.reduce(0) { $0 + $1.bars.countBelow }
        if before > 0 { others.append("\(PlotText.grouped(Double(before))) back in time") }
        return [first] + (others.isEmpty ? [] : [others.joined(separator: ", ")])
    }
}

extension PlotText {
    /// Formats a duration with up to four significant digits, such as `12.5 ms`.
    static func seconds(_ seconds: Double) -> String {
        switch seconds {
        case ..<1: "\(digits(seconds * 1e3)) ms"
        case ..<600: "\(digits(seconds)) s"
        case ..<7200: "\(digits(seconds / 60)) min"
        default: "\(digits(seconds / 3600)) h"
        }
    }

    /// Formats a duration with at most two units, such as `5 min 30 s`.
    package static func length(_ seconds: Double) -> String {
        guard seconds.isFinite, abs(seconds) < 1e12 else { return "?" }
        let rounded = seconds < 60 ? (seconds * 10).rounded() / 10 : seconds.rounded()
        guard rounded >= 60 else { return "\(number(rounded, decimals: rounded == rounded.rounded() ? 0 : 1)) s" }
        let whole = Int(rounded)
        let parts = [(whole / 86_400, "d"), (whole / 3600 % 24, "h"), (whole / 60 % 60, "min"), (whole % 60, "s")]
        return parts.filter { $0.0 > 0 }.prefix(2).map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }

    private static func digits(_ value: Double) -> String {
        let decimals = value >= 100 || value == value.rounded() ? 0 : value >= 10 ? 1 : 2
        return number(value, decimals: decimals)
    }
}
