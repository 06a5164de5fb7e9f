// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import JSONBytes
import Trace

/// Callbacks as they came, to be compared with expected ones, or to be written as such.
///
/// ```swift
/// var callbacks = CallbackList(tolerances: ["latitude": FieldTolerance(absolute: 1e-7)])
/// callbacks.add("location", ["latitude": .number(location.coordinate.latitude)])
/// // …
/// #expect(try callbacks.difference(from: ExpectedCallbacks(path: "drive.expected")) == nil)
/// ```
public struct CallbackList: Sendable {
    /// The options under which they are made.
    public var options: [String: String]
    /// By how much fields may differ, by name or path, when the list is written.
    public var tolerances: [String: FieldTolerance]
    /// How many there are.
    public private(set) var count = 0
    private var lines: [UInt8] = []
    /// True when no file would be read that holds them all: those that come then are only counted.
    private var isFull = false

    /// An empty list.
    public init(options: [String: String] = [:], tolerances: [String: FieldTolerance] = [:]) {
        self.options = options
        self.tolerances = tolerances
    }

    /// Adds a callback of that name with those fields, in their order.
    public mutating func add(_ callback: String, _ fields: KeyValuePairs<String, CallbackValue>) {
        var members = [CallbackValue.Member("callback", .text(callback))]
        for (name, value) in fields { members.append(CallbackValue.Member(name, value)) }
        var writer = JSONWriter()
        CallbackValue.object(members).write(to: &writer)
        add(line: writer.bytes)
    }

    /// Adds a callback that is one line of JSON already, with or without its end.
    public mutating func add(line: [UInt8]) {
        count += 1
        isFull = isFull || lines.count + line.count > TraceFile.maximumSize
        if isFull { return }
        lines.append(contentsOf: line)
        if line.last != UInt8(ascii: "\n") { lines.append(UInt8(ascii: "\n")) }
    }

    /// The whole file.
    public var bytes: [UInt8] { ExpectationHeader(options: options, tolerances: tolerances).line + lines }

    /// The first difference; nil when all callbacks are as expected. Throws when the expectations cannot be read, or were
    /// made under other options.
    public func difference(from expected: ExpectedCallbacks) throws(DeviceError) -> CallbackDifference? {
        try checkSize()
        try expected.check(options: options)
        var comparison = CallbackComparison(expected)
        var lines = CallbackLines(lines)
        while let range = lines.next() {
            guard try comparison.take(Array(self.lines[range])) else { return comparison.difference }
        }
        try comparison.finish()
        return comparison.difference
    }

    private func checkSize() throws(DeviceError) {
        guard isFull else { return }
        throw DeviceError(
            .inputOutput,
            "\(count) callbacks take more than \(TraceFile.maximumSize) bytes, which is the limit. Play less, or less often."
        )
    }

    /// Writes the file in one step: readers find the former file or this one, even when something fails.
    public func write(to path: String) throws(DeviceError) {
        try checkSize()
        let file = try TraceOutput(whole: path, overwrite: true)
        do {
            try file.write(bytes)
        } catch {
            file.abandon()
            throw error
        }
        try file.close()
    }
}
