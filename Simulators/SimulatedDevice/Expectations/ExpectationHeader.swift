// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import Trace

/// The first line of a file of expected callbacks. Existing files contain its keys, so an incompatible change requires
/// a new `version`.
struct ExpectationHeader {
    static let format = "device-services-expectations"
    static let version: Int64 = 1
    /// The maximum number of options. The same limit applies to the number of tolerances.
    private static let limit = 1000
    var options: [String: String] = [:]
    var tolerances: [String: FieldTolerance] = [:]
    /// The reason why the header is invalid, or nil if it is valid. If there are several reasons, this is the last one.
    private(set) var invalidReason: String?

    init(options: [String: String], tolerances: [String: FieldTolerance]) {
        (self.options, self.tolerances) = (options, tolerances)
    }

    /// Parses the header line. Unknown members, such as a note, are ignored.
    init(_ bytes: [UInt8], _ range: Range<Int>) throws(JSONError) {
        self = try bytes.withBytes { (bytes) throws(JSONError) in
            try ExpectationHeader(UnsafeRawBufferPointer(rebasing: bytes[range]))
        }
    }

    private init(_ line: UnsafeRawBufferPointer) throws(JSONError) {
        var reader = JSONReader(line)
        var format: String?
        var version: Int64?
        try reader.beginObject()
        while let key = try reader.nextKey()?.string() {
            switch key {
            case "format": format = try reader.textIfPresent()?.string()
            case "version": version = try reader.int64IfPresent()
            case "options": try readOptions(&reader)
            case "tolerances": try readTolerances(&reader)
            default: try reader.skipValue()
            }
        }
        try reader.finish()
        if format != Self.format {
            invalidReason = "it is not the header of expected callbacks, whose format is \(Self.format)"
        } else if version != Self.version {
            invalidReason =
                "its version is \(version.map(String.init) ?? "?"), but only version \(Self.version) is supported"
        }
    }

    private mutating func readOptions(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey()?.string() {
            guard options.count < Self.limit else { throw JSONError(.tooLong, at: reader.offset) }
            switch try CallbackValue(&reader) {
            case .text(let text): options[key] = text
            case .number(let number): options[key] = "\(number)"
            case .bool(let value): options[key] = "\(value)"
            case .null: options[key] = nil
            case .list, .object:
                invalidReason = "the option \(TerminalSanitizer.sanitized(key)) is neither a string nor a number"
            }
        }
    }

    private mutating func readTolerances(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        while let name = try reader.nextKey()?.string() {
            guard tolerances.count < Self.limit else { throw JSONError(.tooLong, at: reader.offset) }
            let sanitizedName = TerminalSanitizer.sanitized(name)
            var tolerance = FieldTolerance()
            guard case .object(let members) = try CallbackValue(&reader) else {
                invalidReason = "the tolerance of \(sanitizedName) is not an object such as {\"absolute\":0.01}"
                continue
            }
            for member in members {
                guard case .number(let number) = member.value, number >= 0 else {
                    invalidReason = "the tolerance of \(sanitizedName) must contain numbers of 0 or more"
                    continue
                }
                switch member.name {
                case "absolute": tolerance.absolute = number
                case "relative": tolerance.relative = number
                case "rotation": tolerance.rotation = number
                case "circle" where number > 0: tolerance.circle = number
                default:
                    invalidReason =
                        "the tolerance of \(sanitizedName) may contain absolute, relative, circle (above 0) and rotation, but not \(TerminalSanitizer.sanitized(member.name)) \(number)"
                }
            }
            tolerances[name] = tolerance
        }
    }

    var line: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("format", Self.format)
            writer.member("version", Self.version)
            writer.object("options") { writer in
                for (name, value) in options.sorted(by: { $0.key < $1.key }) { writer.member(text: name, value) }
            }
            writer.object("tolerances") { writer in
                for (name, value) in tolerances.sorted(by: { $0.key < $1.key }) { writer.member(text: name, value) }
            }
        }
        writer.newline()
        return writer.bytes
    }
}
