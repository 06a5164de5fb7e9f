// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// Charts of the satellite positions and signal strengths in a trace.
package struct SkyChart: Sendable {
    package var trace: Int
    /// The name of the trace, or an empty string if the figure has only one trace.
    package var name: String
    package var sky: SkyTracks

    package init(trace: Int, name: String, sky: SkyTracks) { (self.trace, self.name, self.sky) = (trace, name, sky) }

    private static let systems: [Satellite.System] = [.gps, .glonass, .galileo, .beiDou, .qzss, .navIC, .sbas]

    /// Each style number applies to the system at the same index in `systems`. QZSS and NavIC satellites have the same
    /// colour, because they are rarely visible from the same location.
    private static func style(_ system: Satellite.System?) -> PlotStyle {
        guard let system, let index = systems.firstIndex(of: system) else { return PlotStyle(number: 4) }
        return PlotStyle(number: [0, 1, 2, 3, 6, 6, 5][index])
    }

    /// Draws the sky as a disc with a legend below it. North is at the top and east is on the right.
    func drawSky(in frame: Frame, to svg: inout SVGWriter) {
        let tracks = sky.sorted.filter { !$0.path.isEmpty }
        let legend = legend(of: tracks, width: frame.width)
        let height = frame.height - Double(legend.count) * 14 - 8
        let radius = max(min(frame.width, height - 12) / 2 - 12, 20)
        let center = SIMD2(frame.x + frame.width / 2, frame.y + 14 + radius)
        svg.group([
            "class": "chart", "data-name": "sky",
            "data-center": .string("\(PlotText.coordinate(center.x)) \(PlotText.coordinate(center.y))"),
            "data-radius": .number(radius), "data-trace": .number(Double(trace)),
        ]) { svg in
            let capacity = Int((frame.width - 40) / (PlotFont.label * 0.63))
            svg.heading("Sky", PlotText.name(name, upTo: capacity), frame.x, frame.y - 6)
            disc(center, radius, &svg)
            for track in tracks { draw(track, center, radius, &svg) }
            names(tracks, center, radius, &svg)
            var baseline = center.y + radius + 30
            for line in legend {
                var x = frame.x
                for entry in line {
                    if let style = entry.style { Self.sample(style, entry.isHollow, x + 4, baseline - 3.5, &svg) }
                    svg.label(entry.text, x + (entry.style == nil ? 0 : 12), baseline, size: PlotFont.small)
                    x += Self.width(of: entry)
                }
                baseline += 14
            }
        }
    }

    private func disc(_ center: SIMD2<Double>, _ radius: Double, _ svg: inout SVGWriter) {
        svg.group(["class": "grid", "stroke": .string(PlotStyle.grid), "stroke-width": 0.6, "fill": "none"]) { svg in
            for share in [1.0 / 3, 2.0 / 3] {
                svg.circle(["cx": .number(center.x), "cy": .number(center.y), "r": .number(radius * share)])
            }
            svg.line(center.x - radius, center.y, center.x + radius, center.y)
            svg.line(center.x, center.y - radius, center.x, center.y + radius)
        }
        svg.circle([
            "class": "axis", "cx": .number(center.x), "cy": .number(center.y), "r": .number(radius),
            "fill": "none", "stroke": .string(PlotStyle.faint), "stroke-width": 0.8,
        ])
        for (text, x, y) in [("N", 0.0, -1.0), ("E", 1, 0), ("S", 0, 1), ("W", -1, 0)] {
            svg.label(
                text, center.x + x * (radius + 7), center.y + y * (radius + 7) + 3.5, anchor: "middle", faint: true)
        }
        for elevation in [30.0, 60] {
            svg.label(
                "\(Int(elevation))°", center.x + 2, center.y - (90 - elevation) / 90 * radius - 2,
                size: PlotFont.small, faint: true)
        }
    }

    private struct Entry {
        let text: String
        var style: PlotStyle?
        var isHollow = false
    }

    private static func width(of entry: Entry) -> Double {
        PlotText.width(entry.text, size: PlotFont.small) + (entry.style == nil ? 10 : 22)
    }

    private func legend(of tracks: [SkyTracks.Track], width: Double) -> [[Entry]] {
        var entries = Self.systems.filter { system in tracks.contains { $0.system == system } }
            .map { Entry(text: "\($0.letter) \($0.name)", style: Self.style($0)) }
        if tracks.contains(where: { $0.system == nil }) {
            entries.append(Entry(text: "unknown system", style: Self.style(nil)))
        }
        let black = PlotStyle(number: 4)
        var marks: [Entry] = []
        if tracks.contains(where: \.isUsed) { marks.append(Entry(text: "used", style: black)) }
        if !tracks.allSatisfy(\.isUsed) { marks.append(Entry(text: "not used", style: black, isHollow: true)) }
        if tracks.contains(where: { $0.mean != nil }) { marks.append(Entry(text: "larger: stronger")) }
        return [entries, marks].flatMap { list in
            var lines: [[Entry]] = []
            var remaining = 0.0
            for entry in list {
                let entryWidth = Self.width(of: entry)
                if lines.isEmpty || entryWidth > remaining {
                    lines.append([])
                    remaining = width
                }
                remaining -= entryWidth
                lines[lines.count - 1].append(entry)
            }
            return lines
        }
    }

    private static func sample(_ style: PlotStyle, _ isHollow: Bool, _ x: Double, _ y: Double, _ svg: inout SVGWriter) {
        svg.circle([
            "class": .string((isHollow ? "hollow " : "solid ") + style.name), "cx": .number(x), "cy": .number(y),
            "r": 3.4, "fill": .string(isHollow ? PlotStyle.paper : style.color), "stroke": .string(style.color),
            "stroke-width": 1.2,
        ])
    }

    private func draw(_ track: SkyTracks.Track, _ center: SIMD2<Double>, _ radius: Double, _ svg: inout SVGWriter) {
        let style = Self.style(track.system)
        var path = SVGPath()
        for (index, step) in track.path.enumerated() {
            let point = center + SkyGeometry.point(step) * radius
            // Starts a new line after a jump. Jumps occur if a satellite was out of view or the receiver confused it
            // with another one.
            let isLeap = index > 0 && SkyGeometry.distance(track.path[index - 1], step) > 6
            if index == 0 || isLeap { path.move(point.x, point.y) } else { path.line(point.x, point.y) }
        }
        svg.group(["class": .string(style.name), "data-satellite": .string(track.name)]) { svg in
            if track.path.count > 1 {
                svg.path([
                    "class": .string(style.name), "d": .string(path.data), "fill": "none",
                    "stroke": .string(style.color), "stroke-width": 1, "stroke-opacity": "0.7",
                ])
            }
            guard let last = track.path.last else { return }
            let point = center + SkyGeometry.point(last) * radius
            // A circle's size shows the signal strength. A hollow circle marks a satellite that was not used for any
            // fix.
            svg.circle([
                "class": .string((track.isUsed ? "solid " : "hollow ") + style.name), "cx": .number(point.x),
                "cy": .number(point.y), "r": .number(Self.size(track.mean)),
                "fill": .string(track.isUsed ? style.color : PlotStyle.paper), "stroke": .string(style.color),
                "stroke-width": 1.2,
            ])
        }
    }

    private static func size(_ strength: Double?) -> Double {
        guard let strength else { return 2.2 }
        return 2.2 + min(max((strength - 15) / 35, 0), 1) * 3.6
    }

    /// Draws each name beside its satellite, where it overlaps no other name or satellite.
    private func names(_ tracks: [SkyTracks.Track], _ center: SIMD2<Double>, _ radius: Double, _ svg: inout SVGWriter) {
        let points = tracks.compactMap { track in track.path.last.map { center + SkyGeometry.point($0) * radius } }
        var occupied = zip(tracks, points).map { track, point in
            let size = Self.size(track.mean)
            return Frame(x: point.x - size, y: point.y - size, width: 2 * size, height: 2 * size)
        }
        for elevation in [30.0, 60] {
            let y = center.y - (90 - elevation) / 90 * radius
            occupied.append(Frame(x: center.x + 2, y: y - 10, width: 16, height: 9))
        }
        for (x, y) in [(0.0, -1.0), (1, 0), (0, 1), (-1, 0)] {
            let middle = center + SIMD2(x, y) * (radius + 7)
            occupied.append(Frame(x: middle.x - 5, y: middle.y - 5, width: 10, height: 10))
        }
        for (track, point) in zip(tracks, points) {
            let width = PlotText.width(track.name, size: PlotFont.small)
            let gap = Self.size(track.mean) + 2
            let offsets = [
                (gap, -4.0), (-gap - width, -4), (-width / 2, -gap - 8), (-width / 2, gap), (gap * 0.7, -gap - 6),
                (gap * 0.7, gap - 2), (-gap * 0.7 - width, -gap - 6), (-gap * 0.7 - width, gap - 2),
            ]
            let frames = offsets.map { Frame(x: point.x + $0.0, y: point.y + $0.1, width: width, height: 8) }
            // Omits the name if every position beside the satellite is occupied.
            guard let free = frames.first(where: { frame in !occupied.contains { $0.overlaps(frame) } }) else {
                continue
            }
            occupied.append(free)
            svg.label(track.name, free.x, free.bottom - 0.5, size: PlotFont.small)
        }
    }

    func signalLabelHeight(width: Double) -> Double { hasRotatedLabels(signalStep(width: width)) ? 34 : 22 }

    private func signalStep(width: Double) -> Double {
        let count = sky.sorted.count { $0.strengths > 0 }
        return min(width / Double(max(count, 1)), 34)
    }

    /// True if the satellite names are rotated by 90°, because horizontal names would overlap.
    private func hasRotatedLabels(_ step: Double) -> Bool {
        sky.sorted.contains { PlotText.width($0.name, size: PlotFont.small) + 3 > step }
    }

    func drawSignals(left: Double, right: Double, top: Double, height: Double, to svg: inout SVGWriter) {
        let tracks = sky.sorted.filter { $0.strengths > 0 }
        guard !tracks.isEmpty else { return }
        let step = signalStep(width: right - left)
        let frame = Frame(x: left, y: top, width: step * Double(tracks.count), height: height)
        let greatest = tracks.map(\.strongest).max() ?? 50
        let values = Scale(0...max(50, (greatest * 1.04 / 10).rounded(.up) * 10), from: frame.bottom, to: frame.y)
        svg.group([
            "class": "chart", "data-name": "signals", "data-y": .string(values.description), "data-unit": "dB-Hz",
        ]) { svg in
            let what = "dB-Hz; bars: mean, lines: from weakest to strongest, hollow: not used"
            let note = name.isEmpty ? what : "\(name), \(what)"
            let fits = PlotText.width(note, size: PlotFont.label) + 60 <= right - left
            svg.heading("Signals", fits ? note : "dB-Hz", frame.x, frame.y - 6)
            let marks = Ticks.numbers(values.domain, count: max(3, Int(frame.height / 21)))
            svg.group(["class": "grid", "stroke": .string(PlotStyle.grid), "stroke-width": 0.6]) { svg in
                for value in marks.values { svg.line(frame.x, values(value), frame.right, values(value)) }
            }
            for (value, label) in zip(marks.values, marks.labels) {
                svg.label(label, frame.x - 5, values(value) + 3.5, anchor: "end")
            }
            for (index, track) in tracks.enumerated() {
                bar(track, x: frame.x + (Double(index) + 0.5) * step, width: step, values, frame, &svg)
            }
            svg.box(frame)
        }
    }

    private func bar(
        _ track: SkyTracks.Track, x: Double, width: Double, _ values: Scale, _ frame: Frame, _ svg: inout SVGWriter
    ) {
        guard let mean = track.mean else { return }
        let style = Self.style(track.system)
        let half = min(width * 0.32, 8)
        svg.rect([
            "class": .string((track.isUsed ? "solid " : "hollow ") + style.name), "data-satellite": .string(track.name),
            "x": .number(x - half), "y": .number(values(mean)), "width": .number(2 * half),
            "height": .number(frame.bottom - values(mean)),
            "fill": .string(track.isUsed ? style.color : PlotStyle.paper), "fill-opacity": "0.75",
            "stroke": .string(style.color), "stroke-width": 0.9,
        ])
        if track.strongest > track.weakest {
            svg.group(["class": "axis", "stroke": .string(PlotStyle.ink), "stroke-width": 0.9]) { svg in
                svg.line(x, values(track.weakest), x, values(track.strongest))
            }
        }
        guard hasRotatedLabels(width) else {
            return svg.label(track.name, x, frame.bottom + 12, size: PlotFont.small, anchor: "middle")
        }
        let (left, top) = (x + 3, frame.bottom + 4)
        svg.element(
            "text",
            [
                "x": .number(left), "y": .number(top), "font-size": .number(PlotFont.small), "text-anchor": "end",
                "class": "ink", "fill": .string(PlotStyle.ink),
                "transform": .string("rotate(-90 \(PlotText.coordinate(left)) \(PlotText.coordinate(top)))"),
            ], text: track.name)
    }
}

extension Frame {
    func overlaps(_ other: Frame) -> Bool { x < other.right && other.x < right && y < other.bottom && other.y < bottom }
}
