// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

/// An incremental comparison of actual with expected callbacks. It stops at the first difference.
package struct CallbackComparison: Sendable {
    private let expected: ExpectedCallbacks
    private let matcher: CallbackMatcher
    private var lines: CallbackLines
    /// The last matching callbacks as JSON. At most `CallbackDifference.contextLength` are kept.
    private var context: [[UInt8]] = []
    /// The number of callbacks that matched.
    package private(set) var count = 0
    /// The first difference, or nil if no difference has been found.
    package private(set) var difference: CallbackDifference?

    package init(_ expected: ExpectedCallbacks) {
        self.expected = expected
        matcher = CallbackMatcher(tolerances: expected.tolerances)
        lines = CallbackLines(expected.bytes, offset: expected.start, line: 1)
    }

    /// Compares one callback. Returns true if all callbacks so far match. Throws an error if the actual or the expected
    /// callback cannot be parsed.
    @discardableResult
    package mutating func compare(_ line: [UInt8]) throws(DeviceError) -> Bool {
        guard difference == nil else { return false }
        let line = line.last == UInt8(ascii: "\n") ? Array(line.dropLast()) : line
        guard let range = lines.next() else {
            recordDifference(line: lines.line + 1, .init(field: "", got: try value(line), tolerance: .exact))
            return false
        }
        // The bytes are usually identical, so no parsing is necessary.
        if expected.bytes[range].elementsEqual(line) {
            accept(line)
            return true
        }
        let one = try next(range)
        let other = try value(line)
        if let mismatch = matcher.difference(of: other, from: one) {
            recordDifference(line: lines.line, mismatch, of: other["callback"] ?? one["callback"])
            return false
        }
        accept(line)
        return true
    }

    /// Ends the comparison. Returns true if no more callbacks were expected.
    @discardableResult
    package mutating func finish() throws(DeviceError) -> Bool {
        guard difference == nil else { return false }
        guard let range = lines.next() else { return true }
        let one = try next(range)
        recordDifference(line: lines.line, .init(field: "", expected: one, tolerance: .exact), of: one["callback"])
        return false
    }

    private mutating func accept(_ line: [UInt8]) {
        count += 1
        if context.count == CallbackDifference.contextLength { context.removeFirst() }
        context.append(line)
    }

    private mutating func recordDifference(
        line: Int, _ mismatch: CallbackMatcher.Mismatch, of callback: CallbackValue? = nil
    ) {
        var name = ""
        if case .text(let text)? = callback ?? mismatch.got?["callback"] { name = text }
        difference = CallbackDifference(
            name: expected.name, line: line, number: count + 1, callback: name, field: mismatch.field,
            expected: mismatch.expected, got: mismatch.got, distance: mismatch.distance, tolerance: mismatch.tolerance,
            context: context.map { String(decoding: $0, as: UTF8.self) })
    }

    private func next(_ range: Range<Int>) throws(DeviceError) -> CallbackValue {
        guard range.count <= ExpectedCallbacks.maximumLineLength else {
            throw ExpectedCallbacks.wrong(
                expected.name, lines.line, "it is longer than \(ExpectedCallbacks.maximumLineLength) bytes")
        }
        do throws(JSONError) {
            return try CallbackValue(expected.bytes, range)
        } catch {
            throw ExpectedCallbacks.wrong(expected.name, lines.line, "it is not a callback (\(error))")
        }
    }

    private func value(_ line: [UInt8]) throws(DeviceError) -> CallbackValue {
        do throws(JSONError) {
            return try CallbackValue(line, line.indices)
        } catch {
            throw DeviceError(.invalidConfiguration, "Callback \(count + 1) is not a JSON object (\(error)).")
        }
    }
}

/// The first difference between actual and expected callbacks.
public struct CallbackDifference: Sendable, Hashable {
    static let contextLength = 3
    package var name: String
    /// The line number of the expected callback. If no more callbacks were expected, this is the number of the last
    /// line plus one.
    package var line: Int
    /// The number of the callback, starting at 1.
    package var number: Int
    package var callback: String
    /// The path of the field, such as `locations[0].latitude`. Empty if the whole callback differs.
    package var field: String
    /// The expected value, or nil if the field or callback was not expected.
    package var expected: CallbackValue?
    /// The actual value, or nil if the field or callback is missing.
    package var got: CallbackValue?
    /// The distance between the two values, in the unit of the field, or nil if it is undefined.
    package var distance: Double?
    package var tolerance: FieldTolerance
    /// The preceding callbacks, as JSON. All of them matched.
    package var context: [String]
}

extension CallbackDifference: CustomStringConvertible {
    /// A multi-line description of the difference.
    public var description: String {
        let location = "\(name), line \(line)"
        let title = callback.isEmpty ? "callback \(number)" : "callback \(number), \(callback)"
        var lines: [String] = []
        switch (field.isEmpty, expected == nil, got == nil) {
        case (true, false, true): lines.append("\(location): \(title), is missing")
        case (true, true, false): lines.append("\(location): \(title), follows the last expected callback")
        default: lines.append("\(location): \(title), differs" + (field.isEmpty ? "" : " in \(field)"))
        }
        lines.append("  expected   \(expected.map(Self.displayText) ?? "nothing")")
        lines.append("  got        \(got.map(Self.displayText) ?? "nothing")")
        if let distance {
            lines.append("  apart by   \(distance)")
            lines.append("  tolerance  \(tolerance)")
        }
        if !context.isEmpty {
            lines.append("  previous callbacks, as expected:")
            for callback in context { lines.append("    " + Self.shortened(callback)) }
        }
        return lines.joined(separator: "\n")
    }

    private static func displayText(_ value: CallbackValue) -> String { shortened(value.description) }

    private static func shortened(_ text: String) -> String {
        text.utf8.count <= 1000 ? text : String(text.prefix(1000)) + "…"
    }
}
