// This source file is part of the swift-device-services project.
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

    /// A callback that came.
    private func value(_ line: [UInt8]) throws(DeviceError) -> CallbackValue {
        do throws(JSONError) {
            return try CallbackValue(line, line.indices)
        } catch {
            throw DeviceError(.invalidConfiguration, "Callback \(count + 1) is no object in JSON (\(error)).")
        }
    }
}
