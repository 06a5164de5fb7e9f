// SPDX-License-Identifier: Apache-2.0

import SystemCalls

extension TrackChart.Sheet {
    func draw(in frame: Frame, spans: [PlotSpan], isOfTraces: Bool, to svg: inout SVGWriter) {
        let domains = self.domains(width: frame.width, height: frame.height)
        let marked: [(label: String, way: [[SIMD2<Double>]])] = drawings.flatMap { drawing in
            spans.filter { $0.trace ?? drawing.trace == drawing.trace }
                .map { (label: $0.label, way: drawing.section(during: $0)) }
        }.filter { !$0.way.isEmpty }
        let x = Scale(domains.x, from: frame.x, to: frame.right)
        let y = Scale(domains.y, from: frame.bottom, to: frame.y)
        svg.group([
            "class": "chart", "data-name": "track", "data-x": .string(x.description), "data-y": .string(y.description),
            "data-unit": "m", "data-origin": .string("\(origin.latitude) \(origin.longitude)"),
        ]) { svg in
            svg.heading("Track", "from \(Self.place(origin))", frame.x, frame.y - 6)
            grid(frame, x, y, &svg)
            svg.clipped(to: frame) { svg in
                for drawing in drawings { drawing.circles(x, y, frame, isOfTraces: isOfTraces, &svg) }
                for (label, way) in marked { Self.fault(label, way, x, y, &svg) }
                for drawing in drawings { drawing.line(x, y, isOfTraces: isOfTraces, &svg) }
                for drawing in drawings { drawing.drawEndMarks(x, y, isOfTraces: isOfTraces, &svg) }
            }
            legend(frame, x, hasFaults: !marked.isEmpty, &svg)
            svg.box(frame)
        }
    }

    /// Formats the origin with six decimals, which is the usual resolution of a receiver.
    private static func place(_ place: TrackPoint) -> String {
        let latitude = PlotText.number(abs(place.latitude), decimals: 6)
        let longitude = PlotText.number(abs(place.longitude), decimals: 6)
        return "\(latitude)° \(place.latitude < 0 ? "S" : "N"), \(longitude)° \(place.longitude < 0 ? "W" : "E")"
    }

    private func grid(_ frame: Frame, _ x: Scale, _ y: Scale, _ svg: inout SVGWriter) {
        let length = x.domain.upperBound - x.domain.lowerBound
        let isLong = length >= 10_000
        let factor = isLong ? 1e3 : 1
        let unit = isLong ? "km" : "m"
        // Both directions use the same step, so that the grid consists of squares.
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
        var length = niceStep(atLeast: 40 / perMetre)
        if length * perMetre > 90 { length /= 2 }
        let y = frame.bottom + 42
        svg.group(["class": "axis", "stroke": .string(PlotStyle.faint), "stroke-width": 1.4]) { svg in
            let end = frame.x + length * perMetre
            svg.line(frame.x, y, end, y)
            svg.line(frame.x, y - 3, frame.x, y + 3)
            svg.line(end, y - 3, end, y + 3)
        }
        var x = frame.x + length * perMetre + 6
        let name = length >= 1000 ? "\(PlotText.singleDigit(length / 1000)) km" : "\(PlotText.singleDigit(length)) m"
        svg.label(name, x, y + 3.5)
        x += PlotText.width(name, size: PlotFont.label) + 16
        svg.path([
            "class": "inkfill", "fill": .string(PlotStyle.ink),
            "d": .string("M\(PlotText.coordinate(x)),\(PlotText.coordinate(y + 6))l4,-13l4,13l-4,-3Z"),
        ])
        svg.label("N", x + 11, y + 3.5, bold: true)
        x += 34
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
        _ label: String, _ way: [[SIMD2<Double>]], _ x: Scale, _ y: Scale, _ svg: inout SVGWriter
    ) {
        var path = SVGPath()
        for piece in way { path.line(through: piece.map { SIMD2(x($0.x), y($0.y)) }) }
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
    /// Formats a number that has a single nonzero digit.
    static func singleDigit(_ value: Double) -> String { number(value, decimals: Ticks.decimals(value)) }
}

extension TrackChart.Drawing {
    private func style(_ isOfTraces: Bool) -> PlotStyle { PlotStyle(number: isOfTraces ? trace : 0) }

    /// Draws the accuracy circles. Circles that are similar to the previous circle are omitted until at most 400
    /// remain.
    fileprivate func circles(_ x: Scale, _ y: Scale, _ frame: Frame, isOfTraces: Bool, _ svg: inout SVGWriter) {
        let perMetre = (x.end - x.start) / (x.domain.upperBound - x.domain.lowerBound)
        var spread = 0.5
        var chosen: [(center: SIMD2<Double>, radius: Double)] = []
        repeat {
            chosen = []
            for (place, point) in zip(places, points) where place.accuracy > 0 && place.accuracy < 1e7 {
                let radius = place.accuracy * perMetre
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
        let style = style(isOfTraces)
        // A small number of circles is drawn with outlines. Otherwise, the circles form a single area.
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

    func isBehindGap(_ place: Int) -> Bool { gap.map { places[place].pause > $0 } ?? false }

    /// Interpolates positions linearly, even across gaps.
    func section(during span: PlotSpan) -> [[SIMD2<Double>]] {
        guard places.count > 1 else {
            return places.contains { $0.time >= span.start && $0.time <= span.end } ? [points] : []
        }
        var pieces: [[SIMD2<Double>]] = []
        for (place, point) in points.enumerated().dropFirst() {
            let (former, one, two) = (points[place - 1], places[place - 1].time, places[place].time)
            guard two > one, one < span.end, two > span.start else { continue }
            let start = one >= span.start ? former : former + (point - former) * ((span.start - one) / (two - one))
            let end = two <= span.end ? point : former + (point - former) * ((span.end - one) / (two - one))
            if pieces.last?.last != start { pieces.append([start]) }
            pieces[pieces.count - 1].append(end)
        }
        return pieces
    }

    fileprivate func line(_ x: Scale, _ y: Scale, isOfTraces: Bool, _ svg: inout SVGWriter) {
        var path = SVGPath()
        var unseen = SVGPath()
        for (place, point) in points.enumerated() {
            guard place > 0, !isBehindGap(place) else {
                if place > 0, isBehindGap(place) {
                    unseen.move(x(points[place - 1].x), y(points[place - 1].y))
                    unseen.line(x(point.x), y(point.y))
                }
                path.move(x(point.x), y(point.y))
                if place + 1 == points.count || isBehindGap(place + 1) { path.dot() }
                continue
            }
            path.line(x(point.x), y(point.y))
        }
        let style = style(isOfTraces)
        if !unseen.isEmpty {
            svg.path([
                "class": "unseen", "d": .string(unseen.data), "fill": "none", "stroke": .string(PlotStyle.shade),
                "stroke-width": 0.8, "stroke-dasharray": "2 2",
            ])
        }
        svg.path([
            "class": .string(style.name), "data-line": "track", "data-trace": .number(Double(trace)),
            "d": .string(path.data), "fill": "none", "stroke": .string(style.color),
            "stroke-width": isOfTraces && trace == 0 ? 2.4 : 1.4,
            "stroke-linejoin": "round", "stroke-linecap": isOfTraces && trace > 0 ? "butt" : "round",
            "stroke-dasharray": isOfTraces ? style.dashes : .none,
        ])
    }

    fileprivate func drawEndMarks(_ x: Scale, _ y: Scale, isOfTraces: Bool, _ svg: inout SVGWriter) {
        guard let first = points.first, let last = points.last else { return }
        let style = isOfTraces ? style(true) : PlotStyle(number: 4)
        TrackChart.mark("■", x(last.x), y(last.y), style, &svg)
        TrackChart.mark("○", x(first.x), y(first.y), style, &svg)
    }
}
