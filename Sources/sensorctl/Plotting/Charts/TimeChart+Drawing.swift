// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The time axis that all time charts of a figure share.
struct TimeAxis {
    var range: ClosedRange<Double>
    var clock: PlotClock
    var spans: [PlotSpan]
    /// The horizontal extent of the charts, in pixels.
    var left: Double
    var right: Double
    /// True if line styles distinguish traces, or false if they distinguish the lines of a single trace.
    var stylesIdentifyTraces: Bool

    var scale: Scale { Scale(range, from: left, to: right) }
    var ticks: TimeTicks {
        let width = right - left
        if case .civil = clock { return TimeTicks(range, count: Int(width / 70), clock: clock) }
        return TimeTicks(range, count: Int(width / 58), clock: clock)
    }
}

/// A marked time interval, such as the duration of a fault.
package struct PlotSpan: Sendable {
    package var start: Double
    /// The end in seconds, or infinity if the interval is open-ended.
    package var end: Double
    package var label: String
    /// The index of the affected trace, or nil if all traces are affected.
    package var trace: Int?

    package init(start: Double, end: Double, label: String, trace: Int? = nil) {
        (self.start, self.end, self.label, self.trace) = (start, end, label, trace)
    }

    /// Returns the start and end of the interval in pixels, or nil if the interval lies outside the axis.
    func extent(on times: Scale) -> (left: Double, right: Double)? {
        guard start <= times.domain.upperBound, end >= times.domain.lowerBound else { return nil }
        return (times(max(start, times.domain.lowerBound)), times(min(end, times.domain.upperBound)))
    }
}

extension TimeChart {
    static let headerHeight = 19.0
    static let footerHeight = 31.0

    /// Draws the chart in the box `frame`. Only the last chart in a column has time labels. The page's style sheet uses
    /// the elements' classes, and the page's script also uses the elements' `data-` attributes.
    func draw(_ drawings: [Drawing], in frame: Frame, axis: TimeAxis, isLast: Bool, to svg: inout SVGWriter) {
        let window = window
        let values = Scale(window.domain, from: frame.bottom, to: frame.y)
        let times = axis.scale
        let marks = ticks(window, height: frame.height)
        svg.group([
            "class": "chart", "data-name": .string(name), "data-x": .string(times.description),
            "data-y": .string(values.description), "data-unit": .string(unit),
            // The page's script shows two more digits than the axis.
            "data-decimals": .number(Double(max(0, marks.decimals - marks.exponent + 2))),
            "data-of": traceName.map { .string($0) } ?? .none,
        ]) { svg in
            let isBandSeen = showsBands(drawings)
            let bandExceedsAxis = !isBandSeen && drawings.contains { $0.strokes.contains { !$0.bands.isEmpty } }
            let note = bandExceedsAxis ? "the accuracy exceeds the axis" : ""
            heading(
                drawings, frame, marks, note: note, hasSeveralTraces: axis.stylesIdentifyTraces && trace == nil, &svg)
            grid(frame, axis, values, marks, isLast: isLast, &svg)
            svg.clipped(to: frame) { svg in
                for span in axis.spans { Self.shade(span, frame, times, &svg) }
                for gap in Self.visibleGaps(drawings, times) { Self.gap(gap, frame, &svg) }
                if isBandSeen { for drawing in drawings { drawing.bands(values, times, window, &svg) } }
                for drawing in drawings { drawing.lines(values, times, window, &svg) }
            }
            svg.box(frame)
        }
    }

    /// True if an edge of an accuracy band is inside the chart. If not, no bands are drawn, because they would only
    /// fill the chart.
    func showsBands(_ drawings: [Drawing]) -> Bool {
        let domain = window.domain
        return drawings.lazy.flatMap(\.strokes).flatMap(\.bands).joined().contains {
            domain.contains($0.range.lowerBound) || domain.contains($0.range.upperBound)
        }
    }

    private func heading(
        _ drawings: [Drawing], _ frame: Frame, _ marks: Ticks, note: String, hasSeveralTraces: Bool,
        _ svg: inout SVGWriter
    ) {
        let baseline = frame.y - 6
        let unit = PlotText.unit(unit, exponent: marks.exponent)
        svg.heading(title, note.isEmpty ? unit : "\(unit); \(note)", frame.x, baseline)
        var entries: [(name: String, style: PlotStyle)] = []
        for drawing in drawings where !drawing.line.name.isEmpty {
            // If line styles distinguish traces, the figure's header explains the styles, so only unreliable lines are
            // listed here.
            guard !hasSeveralTraces || drawing.line.isUnreliable else { continue }
            if !entries.contains(where: { $0.name == drawing.line.name }) {
                entries.append((drawing.line.name, drawing.style))
            }
        }
        svg.legend(entries, right: frame.right, baseline: baseline, sample: frame.isNarrow ? 12 : 24)
    }

    private func grid(
        _ frame: Frame, _ axis: TimeAxis, _ values: Scale, _ marks: Ticks, isLast: Bool, _ svg: inout SVGWriter
    ) {
        let times = axis.ticks
        svg.group(["class": "grid", "stroke": .string(PlotStyle.grid), "stroke-width": 0.6]) { svg in
            for value in marks.values { svg.line(frame.x, values(value), frame.right, values(value)) }
            for time in times.ticks.values { svg.line(axis.scale(time), frame.y, axis.scale(time), frame.bottom) }
        }
        for (value, label) in zip(marks.values, marks.labels) {
            // Keeps a label from overlapping the heading of the next chart.
            let y = min(max(values(value) + 3.5, frame.y + 6), frame.bottom + 1)
            svg.label(label, frame.x - 5, y, anchor: "end")
        }
        guard isLast else { return }
        for (time, label) in zip(times.ticks.values, times.ticks.labels) {
            svg.mark(label, axis.scale(time), below: frame)
        }
        svg.label(times.title, (frame.x + frame.right) / 2, frame.bottom + 27, anchor: "middle", faint: true)
    }

    private static func shade(_ span: PlotSpan, _ frame: Frame, _ times: Scale, _ svg: inout SVGWriter) {
        guard let (left, right) = span.extent(on: times) else { return }
        svg.rect([
            "class": "fault", "x": .number(left), "y": .number(frame.y), "width": .number(max(right - left, 1)),
            "height": .number(frame.height), "fill": .string(PlotStyle.fault), "fill-opacity": "0.13",
        ])
        // `c1` is the class of the second line style, which has the same colour as a fault. The dark theme changes this
        // colour.
        svg.group(["class": "c1", "stroke": .string(PlotStyle.fault), "stroke-width": 0.8, "stroke-dasharray": "3 2"]) {
            svg in
            for x in right > left + 1 ? [left, right] : [left] where x > frame.x && x < frame.right {
                svg.line(x, frame.y, x, frame.bottom)
            }
        }
    }

    private static func gap(_ gap: ClosedRange<Double>, _ frame: Frame, _ svg: inout SVGWriter) {
        svg.rect([
            "class": "gap", "x": .number(gap.lowerBound), "y": .number(frame.y),
            "width": .number(gap.upperBound - gap.lowerBound), "height": .number(frame.height),
            "fill": .string(PlotStyle.shade), "fill-opacity": "0.14",
        ])
    }

    /// Returns the gaps to draw, in pixels. Omits gaps no wider than 3 pixels and gaps in which another line has
    /// readings. Returns an empty array if there are several traces or more than 60 gaps.
    static func visibleGaps(_ drawings: [Drawing], _ times: Scale) -> [ClosedRange<Double>] {
        guard Set(drawings.map(\.line.trace)).count == 1, let longest = drawings.max(by: { $0.readings < $1.readings })
        else { return [] }
        let others = drawings.filter {
            $0.line.isUnreliable != longest.line.isUnreliable || $0.line.name != longest.line.name
        }
        let gaps = longest.gaps.filter { gap in
            // Omits a gap if another line, such as the line of unreliable values, has readings in it.
            others.allSatisfy { other in
                !other.strokes.contains { stroke in
                    stroke.points.contains { $0.time > gap.lowerBound && $0.time < gap.upperBound }
                }
            }
        }
        let visible = gaps.map { times($0.lowerBound)...times($0.upperBound) }.filter {
            $0.upperBound - $0.lowerBound > 3
        }
        return visible.count > 60 ? [] : visible
    }
}

extension TimeChart.Drawing {
    fileprivate var readings: Int { strokes.reduce(0) { $0 + $1.points.count } }

    fileprivate func lines(_ values: Scale, _ times: Scale, _ window: ValueWindow, _ svg: inout SVGWriter) {
        var path = SVGPath()
        let showsDots = readings <= 60
        var dots = SVGPath()
        for stroke in strokes {
            let points =
                [stroke.entry].compactMap(\.self)
                + stroke.points.map { PlotPoint(time: $0.time, value: window.position(of: $0.value)) }
                + [stroke.exit].compactMap(\.self)
            path.line(through: points.map { SIMD2(times($0.time), values($0.value)) })
            guard showsDots || points.count == 1 else { continue }
            for point in stroke.points {
                dots.move(times(point.time), values(window.position(of: point.value)))
                dots.dot()
            }
        }
        svg.path([
            "class": .string(style.name), "data-line": .string(line.name), "data-trace": .number(Double(line.trace)),
            "data-doubtful": line.isUnreliable ? "true" : .none, "d": .string(path.data), "fill": "none",
            "stroke": .string(style.color), "stroke-width": .number(style.width), "stroke-linejoin": "round",
            "stroke-linecap": style.isDashed ? "butt" : "round", "stroke-dasharray": style.dashes,
        ])
        guard !dots.isEmpty else { return }
        svg.path([
            "class": .string(style.name), "d": .string(dots.data), "fill": "none", "stroke": .string(style.color),
            "stroke-width": showsDots ? 2.6 : 1.4, "stroke-linecap": "round",
        ])
    }

    fileprivate func bands(_ values: Scale, _ times: Scale, _ window: ValueWindow, _ svg: inout SVGWriter) {
        var path = SVGPath()
        for band in strokes.flatMap(\.bands) where !band.isEmpty {
            var shifts = [0.0]
            if let circle = quantity.circle, window.isFullCircle {
                // If a band extends beyond one end of the circular axis, draws it again, shifted by 360°, so that the
                // rest appears at the other end.
                if band.contains(where: { $0.range.lowerBound < circle.lowerBound }) { shifts.append(360) }
                if band.contains(where: { $0.range.upperBound > circle.upperBound }) { shifts.append(-360) }
            }
            for shift in shifts {
                let lower = band.map { SIMD2(times($0.time), values($0.range.lowerBound + shift)) }
                let upper = band.reversed().map { SIMD2(times($0.time), values($0.range.upperBound + shift)) }
                path.line(through: lower + upper)
                path.close()
            }
        }
        guard !path.isEmpty else { return }
        svg.path([
            "class": .string("band \(style.name)"), "data-line": .string(line.name), "d": .string(path.data),
            "fill": .string(style.color), "fill-opacity": "0.18", "stroke": "none",
        ])
    }
}

extension PlotStyle { var isDashed: Bool { if case .none = dashes { false } else { true } } }
