// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import JSONBytes
import Trace

/// The callbacks that a program is expected to make: JSON Lines, to be read, compared and edited by people.
///
/// The first line says under which options they were made, and by how much which field may differ:
///
///     {"format":"device-services-expectations","version":1,
///      "options":{"frame":"magnetic","stream":"device-motion"},
///      "tolerances":{"heading":{"absolute":0.01,"circle":360},"gravity":{"absolute":0.0001}}}
///
/// (on one line). Each further line is one callback, an object. A tolerance is named after a field, or after its path
/// from the callback, `locations.latitude`; a list's applies to its elements. Fields without a tolerance have to be
/// equal. ``CallbackList`` makes such files.
public struct ExpectedCallbacks: Sendable {
    /// The longest line, in bytes.
    public static let maximumLineLength = 1 << 20

    /// What to call them in messages.
    public let name: String
    /// The options under which they were made.
    public let options: [String: String]
    /// By how much fields may differ, by name or path.
    public let tolerances: [String: FieldTolerance]

    let bytes: [UInt8]
    /// Where the callbacks begin.
    let start: Int

    /// Takes a file's bytes, which messages call by that name. The error says what they are instead.
    public init(bytes: [UInt8], name: String) throws(DeviceError) {
        self.bytes = bytes
        self.name = name
        var lines = CallbackLines(bytes)
        guard let line = lines.next() else { throw Self.wrong(name, 1, "there is nothing in it") }
        start = lines.offset
        guard line.count <= Self.maximumLineLength else { throw Self.wrong(name, 1, "it is too long") }
        let header: ExpectationHeader
        do throws(JSONError) {
            header = try ExpectationHeader(bytes, line)
        } catch {
            throw Self.wrong(name, 1, "it cannot be read as the header of expected callbacks (\(error))")
        }
        if let complaint = header.complaint { throw Self.wrong(name, 1, complaint) }
        options = header.options
        tolerances = header.tolerances
    }

    /// Reads a file, of at most as many bytes as a trace may have. The error says what to do.
    public init(path: String) throws(DeviceError) {
        let contents = try TraceBytes(path: path)
        let bytes = Array(contents)
        if contents.isCutOff { throw DeviceError.becameShorter(path) }
        try self.init(bytes: bytes, name: path)
    }

    /// Throws when they were made under other options than these: another run has other callbacks.
    public func check(options: [String: String]) throws(DeviceError) {
        for key in Set(options.keys).union(self.options.keys).sorted() where options[key] != self.options[key] {
            let former = self.options[key].map { "with \(key) \($0)" } ?? "without \(key)"
            let present = options[key].map { "has \(key) \($0)" } ?? "has none"
            throw DeviceError(
                .invalidConfiguration,
                "\(name) was made \(former), and this run \(present). Use the same options, or make the file anew.")
        }
    }

    static func wrong(_ name: String, _ line: Int, _ reason: String) -> DeviceError {
        DeviceError(
            .invalidTrace, "\(ShownText.cleaned(name)), line \(line): \(reason). Mend the line, or make the file anew.")
    }
}

/// Cuts bytes into lines, and counts them.
struct CallbackLines {
    private let bytes: [UInt8]
    private(set) var offset: Int
    /// The number of the line that was found last, counted from 1.
    private(set) var line: Int

    init(_ bytes: [UInt8], offset: Int = 0, line: Int = 0) {
        self.bytes = bytes
        self.offset = offset
        self.line = line
    }

    /// The next line that is not blank, without its end; nil at the end.
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
