// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

extension PlotFigure {
    /// Returns the figure's rows with their heights, fitted to one page if possible.
    func fittedRows() -> [(height: Double, draw: @Sendable (inout SVGWriter) -> Void)] {
        let rows = rows()
        let natural = rows.reduce(0) { $0 + $1.height }
        let flexibleHeight = rows.reduce(0) { $0 + $1.flexibleHeight }
        let share = flexibleHeight > 0 ? 1 - (natural - FigurePage.height) / flexibleHeight : 1
        // If the figure cannot fit on a page, the charts keep their preferred heights, and the figure is longer than a
        // page.
        let factor = share >= 1 || share < FigurePage.minimumScale ? 1 : share
        return rows.map { row in
            let rest = row.flexibleHeight * factor
            return (row.height - row.flexibleHeight + rest, { svg in row.draw(rest, &svg) })
        }
    }

    package func svg() -> String {
        let rows = fittedRows()
        let height = rows.reduce(0) { $0 + $1.height } + 8
        var svg = SVGWriter()
        svg.svg([
            "xmlns": "http://www.w3.org/2000/svg", "width": "190mm",
            "height": .string("\(PlotText.coordinate(height * 190 / FigurePage.width))mm"),
            "viewBox": .string("0 0 \(PlotText.coordinate(FigurePage.width)) \(PlotText.coordinate(height))"),
            "role": "img", "font-family": .string(PlotFont.family),
        ]) { svg in
            svg.element("title", text: title)
            svg.element("desc", text: summary)
            svg.rect([
                "width": .number(FigurePage.width), "height": .number(height), "fill": .string(PlotStyle.paper),
                "class": "paper",
            ])
            var y = 0.0
            for row in rows {
                svg.group(["transform": .string("translate(0 \(PlotText.coordinate(y)))")], row.draw)
                y += row.height
            }
        }
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + svg.text
    }

    /// The figure's description for screen readers.
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

extension PlotFigure {
    /// Returns an HTML page that adapts to light and dark mode and shows the values under the mouse pointer.
    package func page() -> String {
        var page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        page +=
            "<title>\(SVGWriter.escaped(title))</title>\n<style>\n\(Self.text(PackageResources.plot_page_css))</style>\n</head>\n<body>\n"
        // The style sheet shows one of the two layouts.
        page += "<div class=\"wide\">\n\(rowElements)</div>\n<div class=\"narrow\">\n\(narrow.rowElements)</div>\n"
        page += "<div id=\"figures\" role=\"status\" data-clock=\"\(clockName)\"></div>\n"
        page += "<script type=\"application/json\" id=\"numbers\">\(numbersForScript)</script>\n"
        page += "<script>\n\(Self.text(PackageResources.plot_page_js))</script>\n</body>\n</html>\n"
        return page
    }

    /// The rows. Each row is a separate SVG element, so that page breaks fall between rows.
    private var rowElements: String {
        var svg = SVGWriter()
        for (index, row) in fittedRows().enumerated() {
            let words: SVGValue = index == 0 ? .string("\(title). \(summary)") : .none
            svg.svg([
                "class": "row", "xmlns": "http://www.w3.org/2000/svg", "role": index == 0 ? "img" : .none,
                "aria-label": words, "aria-hidden": index == 0 ? .none : "true",
                "viewBox": .string("0 0 \(PlotText.coordinate(width)) \(PlotText.coordinate(row.height))"),
                "font-family": .string(PlotFont.family),
            ]) { svg in row.draw(&svg) }
        }
        return svg.text
    }

    /// The format of times for the page's script: the civil time of the origin in milliseconds since 1970, or the unit
    /// of elapsed times.
    private var clockName: String {
        if case .civil(let start) = clock { return "\(start.nanoseconds / 1_000_000)" }
        let greatest = max(abs(range.lowerBound), abs(range.upperBound))
        return greatest < 120 ? "s" : greatest < 7200 ? "min" : "h"
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// The data as a JSON array, in which `<` is escaped so that no name can end the script element.
    private var numbersForScript: String {
        var writer = JSONWriter()
        writeNumbers(to: &writer)
        let lines = writer.bytes.split(separator: UInt8(ascii: "\n"))
        var bytes: [UInt8] = [UInt8(ascii: "[")]
        for (index, line) in lines.enumerated() {
            if index > 0 { bytes += [UInt8(ascii: ","), UInt8(ascii: "\n")] }
            for byte in line {
                if byte == UInt8(ascii: "<") { bytes += Array("\\u003c".utf8) } else { bytes.append(byte) }
            }
        }
        bytes.append(UInt8(ascii: "]"))
        return String(decoding: bytes, as: UTF8.self)
    }
}
