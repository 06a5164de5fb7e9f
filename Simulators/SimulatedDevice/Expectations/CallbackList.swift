// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import JSONBytes
import Trace

/// A list of callbacks that can be compared with expected callbacks or written to a file.
///
/// ```swift
/// var callbacks = CallbackList(tolerances: ["latitude": FieldTolerance(absolute: 1e-7)])
/// callbacks.add("location", ["latitude": .number(location.coordinate.latitude)])
/// // …
/// #expect(try callbacks.difference(from: ExpectedCallbacks(path: "drive.expected")) == nil)
/// ```
public struct CallbackList: Sendable {
    package var options: [String: String]
    /// The tolerances, keyed by field name or path. They are stored in the file header.
    package var tolerances: [String: FieldTolerance]
    package private(set) var count = 0
    private var lines: [UInt8] = []
    /// True if the list has reached the maximum file size. Further callbacks are counted but not stored.
    private var isFull = false

    /// Creates an empty list.
    public init(options: [String: String] = [:], tolerances: [String: FieldTolerance] = [:]) {
        (self.options, self.tolerances) = (options, tolerances)
    }

    /// Adds a callback with the given name and fields. The order of the fields is preserved.
    public mutating func add(_ callback: String, _ fields: KeyValuePairs<String, CallbackValue>) {
        var members = [CallbackValue.Member("callback", .text(callback))]
        for (name, value) in fields { members.append(CallbackValue.Member(name, value)) }
        var writer = JSONWriter()
        CallbackValue.object(members).write(to: &writer)
        add(line: writer.bytes)
    }

    /// Adds a callback given as a line of JSON, with or without a line feed.
    package mutating func add(line: [UInt8]) {
        count += 1
        isFull = isFull || lines.count + line.count > TraceFile.maximumSize
        if isFull { return }
        lines.append(contentsOf: line)
        if line.last != UInt8(ascii: "\n") { lines.append(UInt8(ascii: "\n")) }
    }

    package var bytes: [UInt8] { ExpectationHeader(options: options, tolerances: tolerances).line + lines }

    /// Returns the first difference, or nil if all callbacks match. Throws an error if the expected callbacks cannot be
    /// parsed or were created with different options.
    public func difference(from expected: ExpectedCallbacks) throws(DeviceError) -> CallbackDifference? {
        try checkSize()
        try expected.check(options: options)
        var comparison = CallbackComparison(expected)
        var lines = CallbackLines(lines)
        while let range = lines.next() {
            guard try comparison.compare(Array(self.lines[range])) else { return comparison.difference }
        }
        try comparison.finish()
        return comparison.difference
    }

    private func checkSize() throws(DeviceError) {
        guard isFull else { return }
        throw DeviceError(
            .inputOutput,
            "\(count) callbacks exceed the limit of \(TraceFile.maximumSize) bytes. Play a shorter part, or use a lower rate."
        )
    }

    /// Writes the file atomically. Even if an error occurs, readers see either the previous file or the complete new
    /// file.
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
