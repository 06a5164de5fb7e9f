// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Writes SVG: elements one in another, whose texts cannot break out of them.
package struct SVGWriter: Sendable {
    package private(set) var text = ""

    package init() {}

    /// An element without content.
    mutating func element(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, SVGValue>) {
        open(name, attributes)
        text += "/>\n"
    }

    /// An element around what the closure writes.
    mutating func element(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, SVGValue>, _ body: (inout SVGWriter) -> Void
    ) {
        open(name, attributes)
        text += ">\n"
        body(&self)
        text += "</\(name)>\n"
    }

    /// What the closure draws, in the same coordinates, as far as it is within the frame.
    mutating func clipped(to frame: Frame, _ body: (inout SVGWriter) -> Void) {
        let view = [frame.x, frame.y, frame.width, frame.height].map(PlotText.coordinate).joined(separator: " ")
        element(
            "svg",
            [
                "x": .number(frame.x), "y": .number(frame.y), "width": .number(frame.width),
                "height": .number(frame.height), "viewBox": .string(view),
            ], body)
    }

    /// An element around a text.
    mutating func element(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, SVGValue> = [:], text content: String
    ) {
        open(name, attributes)
        text += ">"
        text += Self.escaped(content)
        text += "</\(name)>\n"
    }

    private mutating func open(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, SVGValue>) {
        text += "<\(name)"
        for (key, value) in attributes {
            guard let value = value.text else { continue }
            text += " \(key)=\"\(value)\""
        }
    }

    /// Text as it stands in XML, in attributes too. What XML cannot hold, or would turn the direction of writing, becomes the
    /// sign for that.
    package static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in ShownText.lines(text, isOne: true).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;".unicodeScalars
            case "<": result += "&lt;".unicodeScalars
            case ">": result += "&gt;".unicodeScalars
            case "\"": result += "&quot;".unicodeScalars
            case "'": result += "&#39;".unicodeScalars
            // The last two of each plane are no characters.
            default: result.append(scalar.value & 0xfffe == 0xfffe ? "\u{fffd}" : scalar)
            }
        }
        return String(result)
    }
}

/// The value of an attribute: a coordinate with two decimals, or a text that is escaped.
enum SVGValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByFloatLiteral,
    ExpressibleByIntegerLiteral
{
    case string(String)
    case number(Double)
    /// Leaves the attribute out.
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

/// The points of a path, in coordinates of the picture.
struct SVGPath {
    private(set) var data = ""
    var isEmpty: Bool { data.isEmpty }

    mutating func move(_ x: Double, _ y: Double) { add("M", x, y) }
    mutating func line(_ x: Double, _ y: Double) { add("L", x, y) }
    /// A dot where a line has a single point.
    mutating func dot() { data += "h0" }
    mutating func close() { data += "Z" }

    private mutating func add(_ command: String, _ x: Double, _ y: Double) {
        data += command
        data += PlotText.coordinate(x)
        data += ","
        data += PlotText.coordinate(y)
    }
}
