// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationXML
import Testing

/// A parser of plots that uses only the SVG. It converts coordinates to values with the axes of their chart.
final class PlotPicture: NSObject, XMLParserDelegate {
    struct Line {
        var name: String
        var trace: Int
        /// The points in units of the axes.
        var points: [SIMD2<Double>]
        /// The number of strokes.
        var strokes: Int
        /// The largest rounding error of a point, in units of the axes.
        var grain: SIMD2<Double>
    }

    private struct Axis {
        let start: Double
        let end: Double
        let first: Double
        let last: Double

        init?(_ text: String?) {
            let numbers = (text ?? "").split(separator: " ").compactMap { Double($0) }
            guard numbers.count == 4 else { return nil }
            (start, end, first, last) = (numbers[0], numbers[1], numbers[2], numbers[3])
        }

        func value(_ coordinate: Double) -> Double { first + (coordinate - start) / (end - start) * (last - first) }
        // Coordinates and both ends of the axis are rounded to a hundredth of a pixel. Each has an error of at most
        // 0.005 pixels.
        var grain: Double { abs((last - first) / (end - start)) * 0.0151 }
    }

    let text: String
    private(set) var charts = 0
    private var found: [(chart: String, line: Line)] = []
    private var open: [(name: String, x: Axis?, y: Axis?)] = []

    /// Throws if the SVG is not well-formed.
    init(_ text: String) throws {
        self.text = text
        super.init()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = self
        try #require(parser.parse(), "\(String(describing: parser.parserError)) in line \(parser.lineNumber)")
    }

    func lines(of chart: String) -> [Line] { found.filter { $0.chart == chart }.map(\.line) }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        if let chart = attributes["data-name"] {
            charts += 1
            open.append((chart, Axis(attributes["data-x"]), Axis(attributes["data-y"])))
            return
        }
        guard let line = attributes["data-line"], attributes["data-trace"] != nil, let data = attributes["d"],
            let chart = open.last, let x = chart.x, let y = chart.y
        else { return }
        var points: [SIMD2<Double>] = []
        for step in data.components(separatedBy: CharacterSet(charactersIn: "MLhZ")) {
            let numbers = step.split(separator: ",").compactMap { Double($0) }
            if numbers.count == 2 { points.append(SIMD2(x.value(numbers[0]), y.value(numbers[1]))) }
        }
        found.append(
            (
                chart.name,
                Line(
                    name: line, trace: Int(attributes["data-trace"] ?? "") ?? -1, points: points,
                    strokes: data.count { $0 == "M" }, grain: SIMD2(x.grain, y.grain))
            ))
    }
}
