// SPDX-License-Identifier: Apache-2.0

package struct DBusFormatError: Error {}

/// A bounds-checked reader of D-Bus values. Their alignment is relative to the start of the message.
struct DBusReader {
    /// The maximum nesting depth of containers, according to the specification.
    static let maximumDepth = 64

    private let bytes: [UInt8]
    private let isBigEndian: Bool
    private(set) var offset: Int
    private let end: Int

    init(_ bytes: [UInt8], in range: Range<Int>, isBigEndian: Bool) {
        (self.bytes, self.isBigEndian) = (bytes, isBigEndian)
        offset = max(0, range.lowerBound)
        end = min(bytes.count, range.upperBound)
    }

    mutating func align(_ alignment: Int) throws(DBusFormatError) {
        let rest = offset % alignment
        if rest != 0 { try advance(alignment - rest) }
    }

    private mutating func advance(_ count: Int) throws(DBusFormatError) {
        guard count >= 0, count <= end - offset else { throw DBusFormatError() }
        offset += count
    }

    // MARK: Basic types

    mutating func uint8() throws(DBusFormatError) -> UInt8 {
        guard offset < end else { throw DBusFormatError() }
        offset += 1
        return bytes[offset - 1]
    }

    mutating func uint16() throws(DBusFormatError) -> UInt16 { UInt16(try unsigned(2)) }

    mutating func uint32() throws(DBusFormatError) -> UInt32 { try unsigned(4) }

    mutating func int16() throws(DBusFormatError) -> Int16 { Int16(bitPattern: try uint16()) }

    mutating func bool() throws(DBusFormatError) -> Bool { try uint32() != 0 }

    private mutating func unsigned(_ count: Int) throws(DBusFormatError) -> UInt32 {
        try align(count)
        let start = offset
        try advance(count)
        var value: UInt32 = 0
        for index in 0..<count {
            let byte = bytes[isBigEndian ? start + index : start + count - 1 - index]
            value = value << 8 | UInt32(byte)
        }
        return value
    }

    mutating func string() throws(DBusFormatError) -> String { try text(count: Int(exactly: try uint32())) }

    mutating func signature() throws(DBusFormatError) -> String { try text(count: Int(try uint8())) }

    private mutating func text(count: Int?) throws(DBusFormatError) -> String {
        let start = offset
        guard let count, count < end - start, bytes[start + count] == 0,
            let text = String(validating: bytes[start..<start + count], as: UTF8.self)
        else { throw DBusFormatError() }
        try advance(count + 1)
        return text
    }

    // MARK: Containers

    /// Reads an array's length and the padding before its first element. Returns the offset at which the array ends.
    mutating func array(alignment: Int) throws(DBusFormatError) -> Int {
        guard let count = Int(exactly: try uint32()) else { throw DBusFormatError() }
        try align(alignment)
        guard count <= end - offset else { throw DBusFormatError() }
        return offset + count
    }

    mutating func byteArray() throws(DBusFormatError) -> [UInt8] {
        let last = try array(alignment: 1)
        defer { offset = last }
        return Array(bytes[offset..<last])
    }

    /// Reads a dictionary. The closure must read one key and its value.
    mutating func dictionary(_ entry: (inout DBusReader) throws(DBusFormatError) -> Void) throws(DBusFormatError) {
        let last = try array(alignment: 8)
        while offset < last {
            try align(8)
            try entry(&self)
        }
        guard offset == last else { throw DBusFormatError() }
    }

    /// Reads a variant if its value has the given type. Otherwise, skips the variant and returns nil.
    mutating func variant<Value>(
        of type: String, _ read: (inout DBusReader) throws(DBusFormatError) -> Value
    ) throws(DBusFormatError) -> Value? {
        let actualType = try signature()
        guard actualType != type else { return try read(&self) }
        try skip(Array(actualType.utf8))
        return nil
    }

    mutating func stringVariant(of type: String) throws(DBusFormatError) -> String {
        try variant(of: type) { (reader) throws(DBusFormatError) in try reader.string() } ?? ""
    }

    mutating func skipVariant() throws(DBusFormatError) { try skip(Array(try signature().utf8)) }

    private mutating func skip(_ signature: [UInt8], depth: Int = 0) throws(DBusFormatError) {
        var index = 0
        try skipType(signature, &index, depth: depth)
        guard index == signature.count else { throw DBusFormatError() }
    }

    /// Advances past one complete type in a signature and, if `isPresent` is true, past the value of this type in the
    /// message. Array elements are skipped all at once, using the array's length.
    private mutating func skipType(
        _ signature: [UInt8], _ index: inout Int, depth: Int, isPresent: Bool = true
    ) throws(DBusFormatError) {
        guard index < signature.count, depth < Self.maximumDepth else { throw DBusFormatError() }
        let type = signature[index]
        index += 1
        switch type {
        case UInt8(ascii: "a"):
            guard index < signature.count else { throw DBusFormatError() }
            if isPresent { offset = try array(alignment: Self.alignment(of: signature[index])) }
            try skipType(signature, &index, depth: depth + 1, isPresent: false)
        case UInt8(ascii: "("), UInt8(ascii: "{"):
            if isPresent { try align(8) }
            let close = type == UInt8(ascii: "(") ? UInt8(ascii: ")") : UInt8(ascii: "}")
            repeat {
                try skipType(signature, &index, depth: depth + 1, isPresent: isPresent)
                guard index < signature.count else { throw DBusFormatError() }
            } while signature[index] != close
            index += 1
        case _ where !isPresent: break
        case UInt8(ascii: "y"): _ = try uint8()
        case UInt8(ascii: "n"), UInt8(ascii: "q"): _ = try uint16()
        case UInt8(ascii: "b"), UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "h"): _ = try uint32()
        case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"):
            try align(8)
            try advance(8)
        case UInt8(ascii: "s"), UInt8(ascii: "o"): _ = try string()
        case UInt8(ascii: "g"): _ = try self.signature()
        case UInt8(ascii: "v"): try skip(Array(try self.signature().utf8), depth: depth + 1)
        default: throw DBusFormatError()
        }
    }

    private static func alignment(of type: UInt8) -> Int {
        switch type {
        case UInt8(ascii: "y"), UInt8(ascii: "g"), UInt8(ascii: "v"): 1
        case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
        case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "("), UInt8(ascii: "{"): 8
        default: 4
        }
    }
}
