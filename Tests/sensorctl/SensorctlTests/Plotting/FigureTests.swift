// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import FoundationXML
import JSONBytes
import Testing

@testable import Plotting

@Suite("Figures")
struct FigureTests {
    /// Parses a document to check that it is well-formed, and counts its elements.
    private final class Reader: NSObject, XMLParserDelegate {
        var elements: [String: Int] = [:]
        var texts: [String] = []

        static func read(_ text: String) throws -> Reader {
            let reader = Reader()
            let parser = XMLParser(data: Data(text.utf8))
            parser.delegate = reader
            try #require(parser.parse(), "\(String(describing: parser.parserError)) in line \(parser.lineNumber)")
            reader.texts = reader.texts.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
            return reader
        }

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            elements[name, default: 0] += 1
            texts.append("")
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) {
            if !texts.isEmpty { texts[texts.count - 1] += text }
        }
    }

    private static func line(_ values: [Double], trace: Int = 0, name: String = "") -> TimeLine {
        var series = SeriesDecimator()
        for (index, value) in values.enumerated() {
            series.add(PlotPoint(time: Double(index), value: value), margin: 0.5)
        }
        return TimeLine(name: name, trace: trace, series: series, gap: 3)
    }

    private static func figure(_ lines: [TimeLine], title: String = "drive.jsonl", traces: [String] = ["drive"])
        -> PlotFigure
    {
        var figure = PlotFigure(title: title, subtitle: "2026-11-21", traces: traces, range: 0...10)
        figure.charts = [TimeChart(name: "speed", title: "Speed", unit: "m/s", quantity: .amount, lines: lines)]
        return figure
    }

    @Test("Hostile names are escaped and never become markup")
    func hostile() throws {
        let name = "</text><script>alert(1)</script>\" onload='x' & \u{0}\u{1B}[31m \u{202E} ]]> \u{FFFF}"
        var figure = Self.figure(
            [Self.line([1, 2], name: name), Self.line([2, 1], name: "y")], title: PlotText.name(name),
            traces: [PlotText.name(name)])
        figure.spans = [PlotSpan(start: 1, end: 2, label: name)]
        figure.skies = [SkyChart(trace: 0, name: name, sky: SkyTracks())]
        let svg = figure.svg()
        let reader = try Reader.read(svg)
        #expect(reader.elements["script"] == nil)
        #expect(reader.texts.contains { $0.contains("<script>alert(1)</script>") })
        let page = figure.page()
        // The page itself contains two scripts.
        #expect(page.components(separatedBy: "<script").count == 3)
        #expect(page.components(separatedBy: "</script>").count == 3)
        #expect(!svg.contains("\u{202E}") && !svg.contains("\u{1B}"))
    }

    @Test("A very long name is truncated in the middle")
    func longName() {
        let name = PlotText.name(String(repeating: "a", count: 300) + ".jsonl")
        #expect(name.count == 72)
        #expect(name.hasSuffix(".jsonl") && name.contains("…"))
    }

    @Test(
        "Figures are well-formed and contain no NaN or infinity, whatever the values",
        arguments: [
            [5.0], [5, 5, 5], [0, 0], [.nan, .infinity], [1e-300, 2e-300], [1e99, -1e99], [-1, .nan, 1],
            [1e15, 1e15 + 1],
        ])
    func values(values: [Double]) throws {
        let svg = Self.figure([Self.line(values)]).svg()
        _ = try Reader.read(svg)
        // NaN or infinity in place of a number in a path or an attribute.
        for word in ["nan", "inf"] {
            #expect(!svg.contains("\"\(word)") && !svg.contains(",\(word)") && !svg.contains("M\(word)"))
        }
    }

    @Test("A single point is drawn as a dot")
    func dot() { #expect(Self.figure([Self.line([5])]).svg().contains("h0")) }

    @Test("Several traces share the axes, have distinct dashes and appear once in the legend")
    func traces() throws {
        let lines = ["x", "y"].flatMap { name in
            [Self.line([1, 2, 3], trace: 0, name: name), Self.line([2, 3, 4], trace: 1, name: name)]
        }
        let figure = Self.figure(lines, traces: ["before", "after"])
        #expect(figure.timeCharts.map(\.title) == ["Speed, x", "Speed, y"])
        let svg = figure.svg()
        let reader = try Reader.read(svg)
        #expect(reader.texts.count { $0 == "before" } == 1)
        #expect(reader.texts.count { $0 == "after" } == 1)
        // Two lines and the sample in the legend.
        #expect(svg.components(separatedBy: "stroke-dasharray=\"5 3\"").count - 1 >= 3)
        for chart in figure.timeCharts { #expect(chart.window.domain.contains(1) && chart.window.domain.contains(4)) }
    }

    @Test("Faults are marked in each time chart and labeled once; faults after the end are omitted")
    func faults() throws {
        var figure = Self.figure([Self.line([1, 2, 3, 4, 5, 6, 7, 8, 9])])
        figure.spans = [
            PlotSpan(start: 2, end: 4, label: "nofix@2s+2s"), PlotSpan(start: 8, end: .infinity, label: "noise@8s"),
            PlotSpan(start: 50, end: 60, label: "late"),
        ]
        let svg = figure.svg()
        let reader = try Reader.read(svg)
        #expect(svg.components(separatedBy: "class=\"fault\"").count - 1 == 2)
        #expect(reader.texts.count { $0 == "nofix@2s+2s" } == 1)
        #expect(!reader.texts.contains("late"))
    }

    private static func track(_ times: [Double], gap: Double? = nil, trace: Int = 0) -> TrackChart.Track {
        var simplifier = TrackSimplifier()
        // One second corresponds to 0.001° eastward on the equator.
        for time in times { simplifier.add(TrackPoint(time: time, latitude: 0, longitude: time * 1e-3, accuracy: 5)) }
        return TrackChart.Track(trace: trace, simplifier: simplifier, gap: gap)
    }

    @Test("A fault is marked on the track for its duration, even between two distant positions")
    func faultsOnTrack() throws {
        // The semi-major axis of WGS 84, which is the radius of the equator.
        let metres = 6_378_137 * Double.pi / 180 * 1e-3
        func section(_ times: [Double], _ start: Double, _ end: Double) throws -> [[Double]] {
            let sheet = try #require(TrackChart(tracks: [Self.track(times)]).sheet)
            let span = PlotSpan(start: start, end: end, label: "")
            return sheet.drawings[0].section(during: span).map { $0.map { ($0.x / metres * 1e6).rounded() / 1e6 } }
        }
        #expect(try section([0, 1, 2, 3, 4, 5], 1.5, 4) == [[1.5, 2, 3, 4]])
        // A fault between two positions that are 8 s apart.
        #expect(try section([0, 1, 9, 10], 3, 5) == [[3, 5]])
        #expect(try section([0, 1, 2], 1, .infinity) == [[1, 2]])
        #expect(try section([0, 1, 2], 5, .infinity) == [])
        #expect(try section([7], 5, 8) == [[0]])
        // A clock that was set back starts a new segment.
        #expect(try section([0, 1, 2, 1.5, 2.5], 0, 9) == [[0, 1, 2], [1.5, 2.5]])
    }

    @Test("Faults are marked on the track of their own trace, and listed below it if there is no time chart")
    func faultsOfTracks() throws {
        var figure = Self.figure([], traces: ["one", "two"])
        figure.charts = []
        figure.track = TrackChart(tracks: [Self.track([0, 1, 2]), Self.track([0, 1, 2], trace: 1)])
        figure.spans = [PlotSpan(start: 0, end: 1, label: "nofix@0s+1s", trace: 1)]
        let svg = figure.svg()
        let reader = try Reader.read(svg)
        #expect(svg.components(separatedBy: "data-fault=\"nofix@0s+1s\"").count - 1 == 1)
        #expect(reader.texts.contains("fault"))
        #expect(reader.texts.contains { $0.contains("nofix@0s+1s") })
        figure.spans = [PlotSpan(start: 0, end: 1, label: "drop@0s+1s")]
        #expect(figure.svg().components(separatedBy: "data-fault=\"drop@0s+1s\"").count - 1 == 2)
        figure.spans = [PlotSpan(start: 50, end: 60, label: "late")]
        #expect(try !Reader.read(figure.svg()).texts.contains("fault"))
    }

    @Test("The note on bands appears only if a band is visible")
    func bandNote() throws {
        func explains(_ margin: Double) throws -> Bool {
            var series = SeriesDecimator()
            for second in 0..<10 { series.add(PlotPoint(time: Double(second), value: Double(second)), margin: margin) }
            var figure = Self.figure([TimeLine(name: "", trace: 0, series: series, gap: nil)])
            figure.charts[0].quantity = .plain
            return try Reader.read(figure.svg()).texts.contains { $0.contains("Bands") }
        }
        #expect(try explains(2))
        #expect(try !explains(1e6))
    }

    @Test("Adjacent histograms have equal widths, and axis labels stay inside the margin")
    func histograms() throws {
        var counter = IntervalCounter()
        // Intervals of 1, 3, 5, … s.
        for index in 0..<10 { counter.add(Double(index * index)) }
        var figure = Self.figure([])
        figure.charts = []
        figure.intervals = ["a", "b", "c"].map { IntervalChart(name: $0, counters: [(0, counter)]) }
        let widths = figure.svg().components(separatedBy: "data-x=\"").dropFirst().map { part in
            let numbers = part.prefix { $0 != "\"" }.split(separator: " ").compactMap { Double($0) }
            return ((numbers[1] - numbers[0]) * 10).rounded()
        }
        #expect(widths.count == 3 && Set(widths).count == 1)
        var svg = SVGWriter()
        svg.mark("15000", 100, below: Frame(x: 0, y: 0, width: 100, height: 10))
        let x = try #require(svg.text.components(separatedBy: "x=\"").last.flatMap { Double($0.prefix { $0 != "\"" }) })
        #expect(x + PlotText.width("15000", size: PlotFont.label) / 2 <= 100 + FigurePage.right)
    }

    @Test("A stream with a constant rate has a line of text instead of a histogram")
    func constantRate() throws {
        var counter = IntervalCounter()
        // 199 intervals of 10 ms, and one of 9.5 ms.
        for index in 0..<200 { counter.add(Double(index) / 100) }
        counter.add(1.9995)
        #expect(counter.isRegular)
        var figure = Self.figure([])
        figure.charts = []
        figure.intervals = [IntervalChart(name: "gyro", counters: [(0, counter)])]
        let texts = try Reader.read(figure.svg()).texts
        #expect(texts.contains("gyro: 200 of 10 ms, from 9.50 ms to 10 ms"))
        #expect(!figure.svg().contains("data-counts"))
        // Five of 205 intervals, 2.4 %, are twice as long.
        for index in 1...5 { counter.add(1.9995 + Double(index) * 0.02) }
        #expect(!counter.isRegular)
        figure.intervals = [IntervalChart(name: "gyro", counters: [(0, counter)])]
        #expect(figure.svg().contains("data-counts"))
    }

    @Test("The page has a second layout for narrow screens, whose smallest text is 11 pixels high")
    func narrow() throws {
        let figure = Self.figure([Self.line([1, 2], name: "x"), Self.line([2, 1], name: "y")])
        let page = figure.page()
        let parts = page.components(separatedBy: "<div class=\"narrow\">")
        #expect(parts.count == 2 && parts[0].contains("<div class=\"wide\">"))
        let narrow = try #require(parts.last)
        let width = try #require(
            narrow.firstMatch(of: #/viewBox="0 0 ([0-9.]+) /#).flatMap { Double($0.output.1) })
        let sizes = narrow.matches(of: /font-size="([0-9.]+)"/).compactMap { Double($0.output.1) }
        // A phone has 390 pixels, less a margin of 8 pixels on both sides.
        #expect((sizes.min() ?? 0) * (390 - 16) / width >= 11)
        // The legend does not reach the title.
        let title = PlotText.width("Speed", size: PlotFont.heading) + 52 + 40
        #expect(!figure.narrow.svg().isEmpty && title < width / 2)
    }

    @Test("More than three traces have separate charts with the same value axis")
    func separateTraces() throws {
        let lines = (0..<4).map { Self.line([Double($0), Double($0) + 1], trace: $0) }
        let names = (0..<4).map { "drive\($0)" }
        let overlaid = Self.figure(Array(lines.prefix(3)), traces: Array(names.prefix(3)))
        #expect(overlaid.timeCharts.count == 1)
        let figure = Self.figure(lines, traces: names)
        #expect(figure.timeCharts.map(\.title) == names.map { "Speed, \($0)" })
        #expect(figure.timeCharts.map { $0.lines.map(\.trace) } == [[0], [1], [2], [3]])
        let axes = figure.svg().matches(of: /data-y="[0-9.]+ [0-9.]+ ([^"]+)"/).map { String($0.output.1) }
        #expect(axes.count == 4 && Set(axes).count == 1)
    }

    @Test("Lines break at spaces and fit the width")
    func wrapped() {
        let text = "Grey: no readings for more than three usual intervals. Bands: the reported accuracy."
        let lines = PlotText.wrapped(text, to: 200, size: 9)
        #expect(lines.count > 1 && lines.joined(separator: " ") == text)
        #expect(lines.allSatisfy { PlotText.width($0, size: 9) <= 200 })
    }

    @Test("The exported numbers are the drawn points")
    func numbers() throws {
        var writer = JSONWriter()
        Self.figure([Self.line([1, 2, 3])]).writeNumbers(to: &writer)
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"chart":"speed","line":"","trace":"drive","unit":"m/s","readings":3,"strokes":[[[0.0,1.0],[1.0,2.0],[2.0,3.0]]]}"#
                + "\n")
    }

    @Test("Nine charts fit on an A4 page, and twenty charts make the page longer")
    func pages() {
        let chart = Self.figure([Self.line([1, 2])]).charts[0]
        var figure = Self.figure([])
        figure.charts = Array(repeating: chart, count: 9)
        let total = figure.fittedRows().reduce(0) { $0 + $1.height }
        #expect(total <= FigurePage.height + 1e-6 && total > FigurePage.height - 120)
        figure.charts = Array(repeating: chart, count: 20)
        #expect(figure.fittedRows().reduce(0) { $0 + $1.height } > FigurePage.height)
    }
}

@Suite("Sky plots")
struct SkyChartTests {
    private static func satellite(
        _ number: Int32, _ system: Satellite.System?, _ azimuth: Double, _ elevation: Double, _ signal: Double,
        used: Bool = true
    ) -> Satellite {
        var satellite = Satellite()
        (satellite.number, satellite.systemNumber, satellite.system) = (number, number, system)
        (satellite.azimuth, satellite.elevation, satellite.signal, satellite.isUsed) = (
            azimuth, elevation, signal, used
        )
        return satellite
    }

    @Test("North is up, east is right and the zenith is in the center")
    func directions() {
        let north = SkyGeometry.point((azimuth: 0, elevation: 0))
        let east = SkyGeometry.point((azimuth: 90, elevation: 45))
        let zenith = SkyGeometry.point((azimuth: 123, elevation: 90))
        #expect(abs(north.x) < 1e-12 && abs(north.y + 1) < 1e-12)
        #expect(abs(east.x - 0.5) < 1e-12 && abs(east.y) < 1e-12)
        #expect(abs(zenith.x) < 1e-12 && abs(zenith.y) < 1e-12)
    }

    @Test("A satellite's track contains its path, its signal strengths and whether a fix uses it")
    func tracks() throws {
        var sky = SkyTracks()
        sky.add([Self.satellite(5, .gps, 10, 40, 30), Self.satellite(7, .galileo, 200, 20, 45, used: false)])
        sky.add([Self.satellite(5, .gps, 10.1, 40, 40), Self.satellite(7, .galileo, 204, 22, .nan, used: false)])
        let tracks = sky.sorted
        #expect(tracks.map(\.name) == ["G05", "E07"])
        // A movement of 0.1° adds no point to the path.
        #expect(tracks.map(\.path.count) == [1, 2])
        #expect(tracks[0].weakest == 30 && tracks[0].mean == 35 && tracks[0].strongest == 40)
        #expect(tracks[0].isUsed && !tracks[1].isUsed)
        #expect(tracks[1].mean == 45)
    }

    @Test("A plot names IMES transmitters with the letter M, as the dashboard does")
    func imesName() {
        var sky = SkyTracks()
        sky.add([Self.satellite(3, .imes, 10, 40, 30)])
        #expect(sky.sorted.map(\.name) == ["M03"])
    }

    @Test("Satellites of different systems differ in color, and a long trace name is truncated")
    func drawing() {
        var sky = SkyTracks()
        sky.add([
            Self.satellite(1, .qzss, 10, 40, 30), Self.satellite(120, .sbas, 200, 20, 45),
            Self.satellite(1, .gps, 90, 20, 45),
        ])
        let name = String(repeating: "W", count: 40)
        var svg = SVGWriter()
        SkyChart(trace: 0, name: name, sky: sky).drawSky(in: Frame(x: 0, y: 20, width: 230, height: 260), to: &svg)
        let colours = ["J01", "S120", "G01"].map { name in
            svg.text.components(separatedBy: "<g class=\"").dropFirst().first {
                $0.contains("data-satellite=\"\(name)\"")
            }.map { $0.prefix { $0 != "\"" } }
        }
        #expect(Set(colours.compactMap(\.self)).count == 3)
        #expect(!svg.text.contains(name) && svg.text.contains("WW…WW"))
    }

    @Test("Invalid positions are dropped, and memory stays bounded with thousands of satellites")
    func hostile() {
        var sky = SkyTracks()
        for number in 0..<5000 { sky.add([Self.satellite(Int32(number), nil, .nan, .infinity, -5)]) }
        #expect(sky.sorted.count == SkyTracks.limit)
        #expect(sky.sorted.allSatisfy { $0.path.isEmpty && $0.mean == nil })
        var jumping = SkyTracks()
        for step in 0..<10_000 { jumping.add([Self.satellite(1, .gps, Double(step % 2) * 180, 10, 30)]) }
        #expect(jumping.sorted[0].path.count <= 1024)
    }
}
