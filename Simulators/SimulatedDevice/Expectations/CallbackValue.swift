// SPDX-License-Identifier: Apache-2.0

public import JSONBytes
import Trace

/// A value in a callback. The types are those of JSON.
public indirect enum CallbackValue: Sendable, Hashable, JSONWritable {
    /// A field of an object.
    public struct Member: Sendable, Hashable {
        /// The name of the field.
        public var name: String
        /// The value of the field.
        public var value: CallbackValue

        /// Creates a field.
        public init(_ name: String, _ value: CallbackValue) {
            (self.name, self.value) = (name, value)
        }
    }

    /// JSON null.
    case null
    /// A Boolean value.
    case bool(Bool)
    /// A number. Non-finite numbers are encoded as null.
    case number(Double)
    /// A string.
    case text(String)
    /// An array of values.
    case list([CallbackValue])
    /// An object with its fields in order.
    case object([Member])

    static let maximumMembers = 1000

    init(_ reader: inout JSONReader) throws(JSONError) {
        switch try reader.peekKind() {
        case .null:
            _ = try reader.readNull()
            self = .null
        case .bool: self = .bool(try reader.readBool())
        case .number:
            let number = try reader.readDouble()
            self = number.isFinite ? .number(number) : .null
        case .string: self = .text(try reader.readString(limit: .max))
        case .array:
            try reader.beginArray()
            var values: [CallbackValue] = []
            while try reader.nextElement() { values.append(try CallbackValue(&reader)) }
            self = .list(values)
        case .object:
            try reader.beginObject()
            var members: [Member] = []
            while let name = try reader.nextKey()?.string() {
                guard members.count < Self.maximumMembers else { throw JSONError(.tooLong, at: reader.offset) }
                members.append(Member(name, try CallbackValue(&reader)))
            }
            self = .object(members)
        }
    }

    /// Parses a line that contains one JSON object and nothing else.
    init(line: UnsafeRawBufferPointer) throws(JSONError) {
        var reader = JSONReader(line)
        guard try reader.peekKind() == .object else { throw JSONError(.wrongType, at: 0) }
        self = try CallbackValue(&reader)
        try reader.finish()
    }

    init(_ bytes: [UInt8], _ range: Range<Int>) throws(JSONError) {
        self = try bytes.withBytes { (bytes) throws(JSONError) in
            try CallbackValue(line: UnsafeRawBufferPointer(rebasing: bytes[range]))
        }
    }

    @usableFromInline
    package func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .number(let number): writer.double(number)
        case .text(let text): writer.string(text)
        case .list(let values): values.write(to: &writer)
        case .object(let members):
            writer.object { writer in
                for member in members { writer.member(text: member.name, member.value) }
            }
        }
    }

    subscript(_ name: String) -> CallbackValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }
}

extension CallbackValue: CustomStringConvertible {
    /// The value as JSON text.
    public var description: String { String(decoding: json, as: UTF8.self) }

    package var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }
}
