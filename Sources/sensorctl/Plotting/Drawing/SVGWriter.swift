// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Writes SVG elements and escapes text and attribute values.
package struct SVGWriter: Sendable {
    package private(set) var text = ""

    package init() {}

    mutating func path(_ attributes: SVGAttributes) { element("path", attributes) }
    mutating func circle(_ attributes: SVGAttributes) { element("circle", attributes) }
    mutating func rect(_ attributes: SVGAttributes) { element("rect", attributes) }

    mutating func group(_ attributes: SVGAttributes, _ body: (inout SVGWriter) -> Void) {
        element("g", attributes, body)
    }

    /// Writes an `svg` element. The element is either a picture's outermost element or a nested element with its own
    /// coordinate system.
    mutating func svg(_ attributes: SVGAttributes, _ body: (inout SVGWriter) -> Void) {
        element("svg", attributes, body)
    }

    mutating func element(_ name: StaticString, _ attributes: SVGAttributes) {
        open(name, attributes)
        text += "/>\n"
    }

    mutating func element(_ name: StaticString, _ attributes: SVGAttributes, _ body: (inout SVGWriter) -> Void) {
        open(name, attributes)
        text += ">\n"
        body(&self)
        text += "</\(name)>\n"
    }

    /// Clips the closure's output to the frame without changing the coordinates.
    mutating func clipped(to frame: Frame, _ body: (inout SVGWriter) -> Void) {
        let view = [frame.x, frame.y, frame.width, frame.height].map(PlotText.coordinate).joined(separator: " ")
        let (x, y, width, height) = (SVGValue.number(frame.x), SVGValue.number(frame.y), frame.width, frame.height)
        svg(["x": x, "y": y, "width": .number(width), "height": .number(height), "viewBox": .string(view)], body)
    }

    mutating func element(_ name: StaticString, _ attributes: SVGAttributes = [:], text content: String) {
        open(name, attributes)
        text += ">\(Self.escaped(content))</\(name)>\n"
    }

    private mutating func open(_ name: StaticString, _ attributes: SVGAttributes) {
        text += "<\(name)"
        for (key, value) in attributes {
            guard let value = value.text else { continue }
            text += " \(key)=\"\(value)\""
        }
    }

    /// Escapes text for XML. Line feeds become spaces. Bidirectional controls and forbidden characters become U+FFFD.
    package static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in TerminalSanitizer.sanitizedLines(text, isSingleLine: true).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;".unicodeScalars
            case "<": result += "&lt;".unicodeScalars
            case ">": result += "&gt;".unicodeScalars
            case "\"": result += "&quot;".unicodeScalars
            case "'": result += "&#39;".unicodeScalars
            // Replaces the last two code points of each plane, which are noncharacters.
            default: result.append(scalar.value & 0xfffe == 0xfffe ? "\u{fffd}" : scalar)
            }
        }
        return String(result)
    }
}

typealias SVGAttributes = KeyValuePairs<StaticString, SVGValue>

/// An attribute value: text to be escaped, or a coordinate to be written with at most two decimals.
enum SVGValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByFloatLiteral,
    ExpressibleByIntegerLiteral
{
    case string(String)
    case number(Double)
    case none

    init(stringLiteral value: String) { self = .string(value) }
    init(floatLiteral value: Double) { self = .number(value) }
    init(integerLiteral value: Int) { self = .number(Double(value)) }

    fileprivate var text: String? {
        switch self {
        case .string(let text): SVGWriter.escaped(text)
        case .number(let number): PlotText.coordinate(number)
        case .none: nil
        }
    }
}

/// The data (`d` attribute) of an SVG path, in the picture's coordinates.
struct SVGPath {
    private(set) var data = ""
    var isEmpty: Bool { data.isEmpty }

    mutating func move(_ x: Double, _ y: Double) { add("M", x, y) }
    mutating func line(_ x: Double, _ y: Double) { add("L", x, y) }
    mutating func dot() { data += "h0" }
    mutating func close() { data += "Z" }

    /// Draws a line through the points, or a dot for a single point.
    mutating func line(through points: some Collection<SIMD2<Double>>) {
        guard let first = points.first else { return }
        move(first.x, first.y)
        for point in points.dropFirst() { line(point.x, point.y) }
        if points.count == 1 { dot() }
    }

    private mutating func add(_ command: String, _ x: Double, _ y: Double) {
        data += "\(command)\(PlotText.coordinate(x)),\(PlotText.coordinate(y))"
    }
}
