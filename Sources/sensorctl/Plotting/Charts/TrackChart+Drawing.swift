// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Draws the map. plot-page.js reads the `data-` attributes.
extension TrackChart.Sheet {
    func draw(in frame: Frame, spans: [PlotSpan], hasSeveralTraces: Bool, to svg: inout SVGWriter) {
        let domains = self.domains(width: frame.width, height: frame.height)
        let marked: [(label: String, segments: [[SIMD2<Double>]])] = drawings.flatMap { drawing in
            spans.filter { $0.trace ?? drawing.trace == drawing.trace }
                .map { (label: $0.label, segments: drawing.section(during: $0)) }
        }.filter { !$0.segments.isEmpty }
        let x = Scale(domains.x, from: frame.x, to: frame.right)
        let y = Scale(domains.y, from: frame.bottom, to: frame.y)
        svg.group([
            "class": "chart", "data-name": "track", "data-x": .string(x.description), "data-y": .string(y.description),
            "data-unit": "m", "data-origin": .string("\(origin.latitude) \(origin.longitude)"),
        ]) { svg in
            // In a narrow chart, the label of the vertical axis takes the space of the origin's coordinates.
            svg.heading("Track", frame.isNarrow ? "" : "from \(Self.text(origin))", frame.x, frame.y - 6)
            grid(frame, x, y, &svg)
            svg.clipped(to: frame) { svg in
                for drawing in drawings { drawing.circles(x, y, frame, hasSeveralTraces: hasSeveralTraces, &svg) }
                for (label, segments) in marked { Self.fault(label, segments, x, y, &svg) }
                for drawing in drawings { drawing.line(x, y, hasSeveralTraces: hasSeveralTraces, &svg) }
                for drawing in drawings { drawing.drawEndMarks(x, y, hasSeveralTraces: hasSeveralTraces, &svg) }
            }
            legend(frame, x, hasFaults: !marked.isEmpty, &svg)
            svg.box(frame)
        }
    }

    /// Formats the origin with six decimals, which is the usual resolution of receivers.
    private static func text(_ position: TrackPoint) -> String {
        let latitude = PlotText.number(abs(position.latitude), decimals: 6)
        let longitude = PlotText.number(abs(position.longitude), decimals: 6)
        return "\(latitude)° \(position.latitude < 0 ? "S" : "N"), \(longitude)° \(position.longitude < 0 ? "W" : "E")"
    }

    private func grid(_ frame: Frame, _ x: Scale, _ y: Scale, _ svg: inout SVGWriter) {
        let length = x.domain.upperBound - x.domain.lowerBound
        let shown = length >= 10 * units.long.metres ? units.long : units.short
        let (factor, unit) = (shown.metres, shown.name)
        // Both directions use the same step, so the grid consists of squares.
        let step = niceStep(atLeast: length / factor / (frame.width / 52))
        let decimals = Ticks.decimals(step)
        func marks(_ domain: ClosedRange<Double>) -> [Double] {
            Ticks.multiples(of: step, in: domain.lowerBound / factor...domain.upperBound / factor)
        }
        svg.group(["class": "grid", "stroke": .string(PlotStyle.grid), "stroke-width": 0.6]) { svg in
            for mark in marks(x.domain) { svg.line(x(mark * factor), frame.y, x(mark * factor), frame.bottom) }
            for mark in marks(y.domain) { svg.line(frame.x, y(mark * factor), frame.right, y(mark * factor)) }
        }
        for mark in marks(x.domain) {
            svg.mark(PlotText.number(mark, decimals: decimals), x(mark * factor), below: frame)
        }
        for mark in marks(y.domain) {
            let height = min(max(y(mark * factor) + 3.5, frame.y + 6), frame.bottom + 1)
            svg.label(PlotText.number(mark, decimals: decimals), frame.x - 5, height, anchor: "end")
        }
        svg.label("East (\(unit))", (frame.x + frame.right) / 2, frame.bottom + 27, anchor: "middle", faint: true)
        svg.label("North (\(unit))", frame.right, frame.y - 6, anchor: "end", faint: true)
    }

    /// Draws a scale bar, a north arrow and a legend below the box, where they cannot overlap the track.
    private func legend(_ frame: Frame, _ scale: Scale, hasFaults: Bool, _ svg: inout SVGWriter) {
        let perMetre = frame.width / (scale.domain.upperBound - scale.domain.lowerBound)
        let unit = niceStep(atLeast: 40 / perMetre) >= units.long.metres ? units.long : units.short
        var step = niceStep(atLeast: 40 / perMetre / unit.metres)
        if step * unit.metres * perMetre > 90 { step /= 2 }
        let length = step * unit.metres
        var y = frame.bottom + 42
        svg.group(["class": "axis", "stroke": .string(PlotStyle.faint), "stroke-width": 1.4]) { svg in
            let end = frame.x + length * perMetre
            svg.line(frame.x, y, end, y)
            svg.line(frame.x, y - 3, frame.x, y + 3)
            svg.line(end, y - 3, end, y + 3)
        }
        var x = frame.x + length * perMetre + 6
        let name = "\(PlotText.singleDigit(step)) \(unit.name)"
        svg.label(name, x, y + 3.5)
        x += PlotText.width(name, size: PlotFont.label) + 16
        svg.path([
            "class": "inkfill", "fill": .string(PlotStyle.ink),
            "d": .string("M\(PlotText.coordinate(x)),\(PlotText.coordinate(y + 6))l4,-13l4,13l-4,-3Z"),
        ])
        svg.label("N", x + 11, y + 3.5, bold: true)
        x += 34
        if frame.isNarrow { (x, y) = (frame.x, y + TrackChart.legendLine) }
        for (mark, word) in [("○", "start"), ("■", "end")] {
            TrackChart.mark(mark, x + 4, y, PlotStyle(number: 4), &svg)
            svg.label(word, x + 13, y + 3.5)
            x += 20 + PlotText.width(word, size: PlotFont.label) + 6
        }
        if accuracy > 0 {
            svg.circle([
                "class": "band c0", "cx": .number(x + 5), "cy": .number(y), "r": 5,
                "fill": .string(PlotStyle(number: 0).color), "fill-opacity": "0.2",
            ])
            svg.label("accuracy", x + 14, y + 3.5)
            x += 26 + PlotText.width("accuracy", size: PlotFont.label)
        }
        guard hasFaults else { return }
        Self.faultLine("M\(PlotText.coordinate(x + 4)),\(PlotText.coordinate(y))h10", &svg)
        svg.label("fault", x + 22, y + 3.5)
    }

    private static func fault(
        _ label: String, _ segments: [[SIMD2<Double>]], _ x: Scale, _ y: Scale, _ svg: inout SVGWriter
    ) {
        var path = SVGPath()
        for segment in segments { path.line(through: segment.map { SIMD2(x($0.x), y($0.y)) }) }
        faultLine(path.data, label: label, &svg)
    }

    private static func faultLine(_ path: String, label: String? = nil, _ svg: inout SVGWriter) {
        svg.path([
            "class": "fault way", "data-fault": label.map(SVGValue.string) ?? SVGValue.none, "d": .string(path),
            "fill": "none", "stroke": .string(PlotStyle.fault), "stroke-opacity": "0.4", "stroke-width": 8,
            "stroke-linecap": "round", "stroke-linejoin": "round",
        ])
    }
}

extension TrackChart {
    static let footerHeight = 31.0
    /// The height of a line of the legend. In a narrow chart, the legend has two lines.
    static let legendLine = 17.0

    static func mark(_ kind: String, _ x: Double, _ y: Double, _ style: PlotStyle, _ svg: inout SVGWriter) {
        if kind == "○" {
            svg.circle([
                "class": .string("hollow \(style.name)"), "cx": .number(x), "cy": .number(y), "r": 3.6,
                "fill": .string(PlotStyle.paper), "stroke": .string(style.color), "stroke-width": 1.6,
            ])
        } else {
            svg.rect([
                "class": .string("solid \(style.name)"), "x": .number(x - 3.4), "y": .number(y - 3.4), "width": 6.8,
                "height": 6.8, "fill": .string(style.color), "stroke": .string(PlotStyle.paper), "stroke-width": 0.8,
            ])
        }
    }
}

extension PlotText {
    /// Formats a number that has only one nonzero digit, such as 0.02.
    static func singleDigit(_ value: Double) -> String { number(value, decimals: Ticks.decimals(value)) }
}

extension TrackChart.Drawing {
    private func style(_ hasSeveralTraces: Bool) -> PlotStyle { PlotStyle(number: hasSeveralTraces ? trace : 0) }

    /// Draws at most 400 accuracy circles. Omits circles similar to the last one drawn.
    fileprivate func circles(_ x: Scale, _ y: Scale, _ frame: Frame, hasSeveralTraces: Bool, _ svg: inout SVGWriter) {
        let perMetre = (x.end - x.start) / (x.domain.upperBound - x.domain.lowerBound)
        var spread = 0.5
        var chosen: [(center: SIMD2<Double>, radius: Double)] = []
        repeat {
            chosen = []
            for (position, point) in zip(positions, points) where position.accuracy > 0 && position.accuracy < 1e7 {
                let radius = position.accuracy * perMetre
                guard radius > 1 else { continue }
                let center = SIMD2(x(point.x), y(point.y))
                if let last = chosen.last {
                    let step = center - last.center
                    let isNear = (step * step).sum().squareRoot() < max(radius * spread, 1)
                    if isNear, abs(radius - last.radius) < max(radius, last.radius) * spread { continue }
                }
                chosen.append((center, radius))
            }
            spread *= 1.5
        } while chosen.count > 400 && spread < 50
        guard !chosen.isEmpty else { return }
        let style = style(hasSeveralTraces)
        // Draws up to 40 circles with outlines, or a larger number as a single area without outlines.
        let isFew = chosen.count <= 40
        svg.group([
            "class": .string("circles \(isFew ? "few " : "")\(style.name)"), "data-trace": .number(Double(trace)),
            "fill": .string(style.color), "stroke": isFew ? .string(style.color) : "none",
            "stroke-width": isFew ? 0.6 : .none, "stroke-opacity": isFew ? "0.4" : .none,
            "fill-opacity": isFew ? "0.05" : .none, "opacity": isFew ? .none : "0.16",
        ]) { svg in
            for (center, radius) in chosen.prefix(1000) {
                svg.circle(["cx": .number(center.x), "cy": .number(center.y), "r": .number(radius)])
            }
        }
    }

    func isBehindGap(_ index: Int) -> Bool { gap.map { positions[index].pause > $0 } ?? false }

    /// Returns the parts of the track recorded during a time interval. Positions are interpolated linearly, even across
    /// gaps.
    func section(during span: PlotSpan) -> [[SIMD2<Double>]] {
        guard positions.count > 1 else {
            return positions.contains { $0.time >= span.start && $0.time <= span.end } ? [points] : []
        }
        var segments: [[SIMD2<Double>]] = []
        for (index, point) in points.enumerated().dropFirst() {
            let (previous, startTime, endTime) = (points[index - 1], positions[index - 1].time, positions[index].time)
            guard endTime > startTime, startTime < span.end, endTime > span.start else { continue }
            let start =
                startTime >= span.start
                ? previous : previous + (point - previous) * ((span.start - startTime) / (endTime - startTime))
            let end =
                endTime <= span.end
                ? point : previous + (point - previous) * ((span.end - startTime) / (endTime - startTime))
            if segments.last?.last != start { segments.append([start]) }
            segments[segments.count - 1].append(end)
        }
        return segments
    }

    /// Draws the track. Each position adds exactly one M or L command to the path, because plot-page.js counts them.
    fileprivate func line(_ x: Scale, _ y: Scale, hasSeveralTraces: Bool, _ svg: inout SVGWriter) {
        var path = SVGPath()
        var unobserved = SVGPath()
        for (index, point) in points.enumerated() {
            guard index > 0, !isBehindGap(index) else {
                if index > 0, isBehindGap(index) {
                    unobserved.move(x(points[index - 1].x), y(points[index - 1].y))
                    unobserved.line(x(point.x), y(point.y))
                }
                path.move(x(point.x), y(point.y))
                if index + 1 == points.count || isBehindGap(index + 1) { path.dot() }
                continue
            }
            path.line(x(point.x), y(point.y))
        }
        let style = style(hasSeveralTraces)
        if !unobserved.isEmpty {
            svg.path([
                "class": "unseen", "d": .string(unobserved.data), "fill": "none", "stroke": .string(PlotStyle.shade),
                "stroke-width": 0.8, "stroke-dasharray": "2 2",
            ])
        }
        svg.path([
            "class": .string(style.name), "data-line": "track", "data-trace": .number(Double(trace)),
            "d": .string(path.data), "fill": "none", "stroke": .string(style.color),
            "stroke-width": hasSeveralTraces && trace == 0 ? 2.4 : 1.4,
            "stroke-linejoin": "round", "stroke-linecap": hasSeveralTraces && trace > 0 ? "butt" : "round",
            "stroke-dasharray": hasSeveralTraces ? style.dashes : .none,
        ])
    }

    fileprivate func drawEndMarks(_ x: Scale, _ y: Scale, hasSeveralTraces: Bool, _ svg: inout SVGWriter) {
        guard let first = points.first, let last = points.last else { return }
        let style = hasSeveralTraces ? style(true) : PlotStyle(number: 4)
        TrackChart.mark("■", x(last.x), y(last.y), style, &svg)
        TrackChart.mark("○", x(first.x), y(first.y), style, &svg)
    }
}
