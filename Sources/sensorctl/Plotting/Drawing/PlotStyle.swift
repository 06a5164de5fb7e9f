// SPDX-License-Identifier: Apache-2.0

/// The style of a line. Colour-blind readers can distinguish the colours (Okabe and Ito, "Color Universal Design").
/// Dash patterns distinguish lines printed without colour.
struct PlotStyle {
    let number: Int
    var isUnreliable = false
    /// True if dashed lines are drawn over this line. The line is wider to be visible between the dashes.
    var isUnderlay = false

    var width: Double { isUnderlay ? 2.2 : 1.1 }

    private static let colors = ["#0072B2", "#D55E00", "#009E73", "#AA4499", "#000000", "#B8860B", "#56B4E9"]
    private static let dashes = ["", "5 3", "1.2 2.4", "8 3 1.2 3", "3 2.5", "8 2.5 1.2 2.5 1.2 2.5", "11 5"]

    var color: String { isUnreliable ? "#808080" : Self.colors[number % Self.colors.count] }
    /// The CSS class, whose colour the style sheet changes in dark mode.
    var name: String { isUnreliable ? "doubt" : "c\(number % Self.colors.count)" }
    var dashes: SVGValue {
        if isUnreliable { return "1.2 2.2" }
        let dashes = Self.dashes[number % Self.dashes.count]
        return dashes.isEmpty ? .none : .string(dashes)
    }

    static let ink = "#222222"
    static let faint = "#5a5a5a"
    static let grid = "#dddddd"
    static let paper = "#ffffff"
    static let shade = "#8a8a8a"
    static let fault = "#D55E00"
}

/// Font sizes, in pixels of 1/96 inch. 10 pixels equal 7.5 points.
enum PlotFont {
    static let title = 15.0
    static let heading = 11.5
    static let label = 10.0
    static let small = 9.0
    static let family = "DejaVu Sans, Liberation Sans, Helvetica, Arial, sans-serif"
}

extension SVGWriter {
    /// Draws text. `anchor` specifies the part of the text that is at the position: "start", "middle" or "end".
    mutating func label(
        _ content: String, _ x: Double, _ y: Double, size: Double = PlotFont.label, anchor: String = "start",
        bold: Bool = false, faint: Bool = false
    ) {
        element(
            "text",
            [
                "x": .number(x), "y": .number(y), "font-size": .number(size),
                "text-anchor": anchor == "start" ? .none : .string(anchor), "font-weight": bold ? "bold" : .none,
                "class": faint ? "faint" : "ink", "fill": .string(faint ? PlotStyle.faint : PlotStyle.ink),
            ], text: content)
    }

    mutating func heading(_ title: String, _ note: String, _ x: Double, _ baseline: Double) {
        element(
            "text",
            [
                "x": .number(x), "y": .number(baseline), "font-size": .number(PlotFont.label), "class": "faint",
                "fill": .string(PlotStyle.faint),
            ]
        ) { svg in
            svg.element(
                "tspan",
                [
                    "font-size": .number(PlotFont.heading), "font-weight": "bold", "class": "ink",
                    "fill": .string(PlotStyle.ink),
                ], text: title)
            if !note.isEmpty { svg.element("tspan", ["dx": 7], text: note) }
        }
    }

    /// Draws a label on the horizontal axis of a chart. A label that would extend beyond the page is moved left.
    mutating func mark(_ name: String, _ x: Double, below frame: Frame) {
        let half = PlotText.width(name, size: PlotFont.label) / 2
        label(name, min(x, frame.right + FigurePage.right - half - 1), frame.bottom + 13, anchor: "middle")
    }

    mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) {
        element("line", ["x1": .number(x1), "y1": .number(y1), "x2": .number(x2), "y2": .number(y2)])
    }

    mutating func box(_ frame: Frame) {
        rect([
            "x": .number(frame.x), "y": .number(frame.y), "width": .number(frame.width),
            "height": .number(frame.height), "fill": "none", "class": "axis", "stroke": .string(PlotStyle.faint),
            "stroke-width": 0.8,
        ])
    }

    /// Draws a legend from right to left. Each entry consists of a short sample of the line and its name. Returns the
    /// left edge of the legend.
    @discardableResult
    mutating func legend(
        _ entries: [(name: String, style: PlotStyle)], right: Double, baseline: Double, sample: Double = 24
    ) -> Double {
        var x = right
        for (name, style) in entries.reversed() {
            let width = PlotText.width(name, size: PlotFont.label)
            x -= width
            label(name, x, baseline)
            x -= sample + 5
            path([
                "d": .string(
                    "M\(PlotText.coordinate(x)),\(PlotText.coordinate(baseline - 3.5))h\(PlotText.coordinate(sample))"),
                "fill": "none",
                "class": .string(style.name), "stroke": .string(style.color), "stroke-width": 1.6,
                "stroke-dasharray": style.dashes,
            ])
            x -= sample / 2
        }
        return x
    }
}

/// The size of a figure, in pixels of 1/96 inch: an A4 page with 1 cm margins.
enum FigurePage {
    static let width = 718.0
    static let height = 1047.0
    /// The smallest factor by which charts are scaled vertically to fit a figure on a page. If an even smaller factor
    /// is required, the charts keep their heights.
    static let minimumScale = 0.62
    static let right = 14.0
}
