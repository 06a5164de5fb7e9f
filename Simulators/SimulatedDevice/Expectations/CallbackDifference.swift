// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The first callback that was not as expected, and in what.
public struct CallbackDifference: Sendable, Hashable {
    /// How many callbacks before it are told.
    static let contextLength = 3

    /// What the expectations are called.
    public var name: String
    /// The line that was expected; the one behind the last when no more were.
    public var line: Int
    /// Which callback it was, counted from 1.
    public var number: Int
    /// What the callback is called: what its first field says.
    public var callback: String
    /// The field: `locations[0].latitude`. Empty for the callback as a whole.
    public var field: String
    /// What the field should have been; nil when it should not have come.
    public var expected: CallbackValue?
    /// What it was; nil when it did not come.
    public var got: CallbackValue?
    /// How far the two are apart, in the unit of the field; nil when that cannot be said.
    public var distance: Double?
    /// By how much it might have differed.
    public var tolerance: FieldTolerance
    /// The callbacks that came before it, which were as expected, as JSON.
    public var context: [String]
}

extension CallbackDifference: CustomStringConvertible {
    /// Some lines for people.
    public var description: String {
        let place = "\(name), line \(line)"
        let title = callback.isEmpty ? "callback \(number)" : "callback \(number), \(callback)"
        var lines: [String] = []
        switch (field.isEmpty, expected == nil, got == nil) {
        case (true, false, true): lines.append("\(place): \(title), did not come")
        case (true, true, false): lines.append("\(place): \(title), came after the last that was expected")
        default: lines.append("\(place): \(title), differs" + (field.isEmpty ? "" : " in \(field)"))
        }
        lines.append("  expected   \(expected.map(Self.shown) ?? "nothing")")
        lines.append("  got        \(got.map(Self.shown) ?? "nothing")")
        if let distance {
            lines.append("  apart by   \(distance)")
            lines.append("  tolerance  \(tolerance)")
        }
        if !context.isEmpty {
            lines.append("  before it came, as expected:")
            for callback in context { lines.append("    " + Self.shortened(callback)) }
        }
        return lines.joined(separator: "\n")
    }

    private static func shown(_ value: CallbackValue) -> String { shortened(value.description) }

    private static func shortened(_ text: String) -> String {
        text.utf8.count <= 1000 ? text : String(text.prefix(1000)) + "…"
    }
}
