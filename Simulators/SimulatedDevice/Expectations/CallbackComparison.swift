// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import JSONBytes

/// Compares callbacks with expected ones as they come, up to the first difference.
public struct CallbackComparison: Sendable {
    private let expected: ExpectedCallbacks
    private let match: CallbackMatch
    private var lines: CallbackLines
    private var context: [[UInt8]] = []
    /// The callbacks that were as expected.
    public private(set) var count = 0
    /// The first difference; nil as long as there is none.
    public private(set) var difference: CallbackDifference?

    /// A comparison from the first callback on.
    public init(_ expected: ExpectedCallbacks) {
        self.expected = expected
        match = CallbackMatch(tolerances: expected.tolerances)
        lines = CallbackLines(expected.bytes, offset: expected.start, line: 1)
    }

    /// Takes the next callback, one object of JSON; true while all are as expected.
    ///
    /// Throws where the expectations cannot be read, and for a line that is no JSON object.
    @discardableResult
    public mutating func take(_ line: [UInt8]) throws(DeviceError) -> Bool {
        guard difference == nil else { return false }
        let line = line.last == UInt8(ascii: "\n") ? Array(line.dropLast()) : line
        guard let range = lines.next() else {
            differ(line: lines.line + 1, .init(field: "", got: try value(line), tolerance: .exact))
            return false
        }
        // Equal to the last byte, as most are.
        if expected.bytes[range].elementsEqual(line) {
            accept(line)
            return true
        }
        let one = try next(range)
        let other = try value(line)
        if let finding = match.difference(of: other, from: one) {
            differ(line: lines.line, finding, of: other["callback"] ?? one["callback"])
            return false
        }
        accept(line)
        return true
    }

    /// Nothing more comes; true when nothing more was expected.
    @discardableResult
    public mutating func finish() throws(DeviceError) -> Bool {
        guard difference == nil else { return false }
        guard let range = lines.next() else { return true }
        let one = try next(range)
        differ(line: lines.line, .init(field: "", expected: one, tolerance: .exact), of: one["callback"])
        return false
    }

    private mutating func accept(_ line: [UInt8]) {
        count += 1
        if context.count == CallbackDifference.contextLength { context.removeFirst() }
        context.append(line)
    }

    private mutating func differ(line: Int, _ finding: CallbackMatch.Finding, of callback: CallbackValue? = nil) {
        var name = ""
        if case .text(let text)? = callback ?? finding.got?["callback"] { name = text }
        difference = CallbackDifference(
            name: expected.name, line: line, number: count + 1, callback: name, field: finding.field,
            expected: finding.expected, got: finding.got, distance: finding.distance, tolerance: finding.tolerance,
            context: context.map { String(decoding: $0, as: UTF8.self) })
    }

    /// The callback on a line of the expectations.
    private func next(_ range: Range<Int>) throws(DeviceError) -> CallbackValue {
        guard range.count <= ExpectedCallbacks.maximumLineLength else {
            throw ExpectedCallbacks.wrong(
                expected.name, lines.line, "it is longer than \(ExpectedCallbacks.maximumLineLength) bytes")
        }
        do throws(JSONError) {
            return try CallbackValue(expected.bytes, range)
        } catch {
            throw ExpectedCallbacks.wrong(expected.name, lines.line, "this is no callback (\(error))")
        }
    }

    private func value(_ line: [UInt8]) throws(DeviceError) -> CallbackValue {
        do throws(JSONError) {
            return try CallbackValue(line, line.indices)
        } catch {
            throw DeviceError(.invalidConfiguration, "Callback \(count + 1) is no object in JSON (\(error)).")
        }
    }
}

/// The first callback that was not as expected, and in what.
public struct CallbackDifference: Sendable, Hashable {
    /// How many callbacks before it are told.
    static let contextLength = 3

    /// What the expectations are called.
    public var name: String
    /// The line that was expected; the one after the last when no more were expected.
    public var line: Int
    /// Which callback it was, counted from 1.
    public var number: Int
    /// The name of the callback, from its first field.
    public var callback: String
    /// The field: `locations[0].latitude`. Empty for the callback as a whole.
    public var field: String
    /// What the field should have been; nil when it should not have come.
    public var expected: CallbackValue?
    /// What it was; nil when it did not come.
    public var got: CallbackValue?
    /// How far the two are apart, in the unit of the field; nil when that cannot be said.
    public var distance: Double?
    /// How much it was allowed to differ.
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
