// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import JSONBytes
import Trace

/// A program's expected callbacks, as JSON Lines that can be read, compared and edited as text.
///
/// The first line contains the options of the run and the tolerances of the fields:
///
///     {"format":"device-services-expectations","version":1,
///      "options":{"frame":"magnetic","stream":"device-motion"},
///      "tolerances":{"heading":{"absolute":0.01,"circle":360},"gravity":{"absolute":0.0001}}}
///
/// In the file, the header is a single line. Each subsequent line contains one callback as a JSON object. The key of a
/// tolerance is the name of a field or its path in the callback, such as `locations.latitude`. The tolerance of a list
/// applies to each element. Fields without a tolerance must match exactly. ``CallbackList`` creates files in this
/// format.
public struct ExpectedCallbacks: Sendable {
    /// The maximum length of a line, in bytes.
    package static let maximumLineLength = 1 << 20
    package let name: String
    package let options: [String: String]
    package let tolerances: [String: FieldTolerance]
    let bytes: [UInt8]
    /// The byte offset of the first callback.
    let start: Int

    /// Parses the header at the start of a file. Throws an error if the contents do not begin with a valid header.
    ///
    /// - Parameters:
    ///   - bytes: The contents of the file.
    ///   - name: The file name for error messages.
    public init(bytes: [UInt8], name: String) throws(DeviceError) {
        (self.bytes, self.name) = (bytes, name)
        var lines = CallbackLines(bytes)
        guard let line = lines.next() else { throw Self.wrong(name, 1, "the file is empty") }
        start = lines.offset
        guard line.count <= Self.maximumLineLength else { throw Self.wrong(name, 1, "it is too long") }
        let header: ExpectationHeader
        do throws(JSONError) {
            header = try ExpectationHeader(bytes, line)
        } catch {
            throw Self.wrong(name, 1, "it is not a valid header of expected callbacks (\(error))")
        }
        if let complaint = header.invalidReason { throw Self.wrong(name, 1, complaint) }
        options = header.options
        tolerances = header.tolerances
    }

    /// Reads a file, which must not be larger than the maximum trace size. Throws an error if the file cannot be read
    /// or does not contain expected callbacks.
    public init(path: String) throws(DeviceError) {
        let contents = try TraceBytes(path: path)
        let bytes = Array(contents)
        if contents.isTruncated { throw DeviceError.truncatedWhileReading(path) }
        try self.init(bytes: bytes, name: path)
    }

    /// Throws an error if the callbacks were created with different options, because a comparison would be meaningless.
    package func check(options: [String: String]) throws(DeviceError) {
        for key in Set(options.keys).union(self.options.keys).sorted() where options[key] != self.options[key] {
            let former = self.options[key].map { "with \(key) \($0)" } ?? "without \(key)"
            let present = options[key].map { "has \(key) \($0)" } ?? "has none"
            throw DeviceError(
                .invalidConfiguration,
                "\(name) was created \(former), but this run \(present). Use the same options, or create the file again."
            )
        }
    }

    static func wrong(_ name: String, _ line: Int, _ reason: String) -> DeviceError {
        DeviceError(
            .invalidTrace,
            "\(TerminalSanitizer.sanitized(name)), line \(line): \(reason). Correct the line, or create the file again."
        )
    }
}

/// A parser that splits bytes into lines and counts them.
struct CallbackLines {
    private let bytes: [UInt8]
    private(set) var offset: Int
    /// The number of the last returned line, starting at 1.
    private(set) var line: Int

    init(_ bytes: [UInt8], offset: Int = 0, line: Int = 0) {
        (self.bytes, self.offset, self.line) = (bytes, offset, line)
    }

    /// Returns the next nonblank line without trailing whitespace, or nil at the end.
    mutating func next() -> Range<Int>? {
        while offset < bytes.count {
            let start = offset
            let found = bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
            var end = found ?? bytes.count
            offset = found.map { $0 + 1 } ?? bytes.count
            line += 1
            while end > start, bytes[end - 1] <= UInt8(ascii: " ") { end -= 1 }
            if end > start { return start..<end }
        }
        return nil
    }
}
