// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// Constants of the MCAP container format, version 0 (mcap.dev/spec). A record consists of a one-byte opcode, an
/// eight-byte length and its contents. All numbers are little-endian.
enum MCAP {
    /// The magic bytes at both ends of a file.
    static let magic: [UInt8] = [0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a]

    enum Opcode: UInt8 {
        case header = 1
        case footer, schema, channel, message, chunk, messageIndex, chunkIndex, attachment, attachmentIndex
        case statistics, metadata, metadataIndex, summaryOffset, dataEnd
    }

    static let prefixLength = 9
    // The following names must not change, because existing files contain them.
    static let metadataName = "device-services-trace"
    static let gpsdTopic = "/gpsd"
    /// The metadata key that marks a channel as derived from another channel. The value is the topic of the other
    /// channel. If the file contains that topic, an import skips the derived channel.
    static let derivedKey = "derived-from"
}

struct MCAPRecordBuilder {
    private(set) var bytes: [UInt8] = []

    init<each Part: MCAPEncodable>(_ part: repeat each Part) { repeat (each part).append(to: &self) }

    mutating func number(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func text(_ value: some Collection<UInt8>) {
        number(UInt32(clamping: value.count))
        bytes.append(contentsOf: value)
    }

    mutating func text(_ value: String) { text(Array(value.utf8)) }

    mutating func raw(_ value: some Collection<UInt8>) { bytes.append(contentsOf: value) }

    mutating func map(_ pairs: [(String, String)]) { text(pairs.flatMap { MCAPRecordBuilder($0, $1).bytes }) }
}

/// A field of a record. Text and byte arrays are preceded by their length (UInt32).
protocol MCAPEncodable {
    func append(to record: inout MCAPRecordBuilder)
}

extension MCAPEncodable where Self: FixedWidthInteger {
    func append(to record: inout MCAPRecordBuilder) { record.number(self) }
}

extension UInt8: MCAPEncodable {}
extension UInt16: MCAPEncodable {}
extension UInt32: MCAPEncodable {}
extension UInt64: MCAPEncodable {}

extension String: MCAPEncodable {
    func append(to record: inout MCAPRecordBuilder) { record.text(self) }
}

extension [UInt8]: MCAPEncodable {
    func append(to record: inout MCAPRecordBuilder) { record.text(self) }
}

/// Reads the contents of a record. Reading beyond the end returns nil.
struct MCAPRecordReader {
    private(set) var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        let size = MemoryLayout<Number>.size
        guard rest.count >= size else { return nil }
        let value = rest.loadUnaligned(as: type)
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(size))
        return Number(littleEndian: value)
    }

    private mutating func lengthPrefixedBytes() -> UnsafeRawBufferPointer? {
        guard let length = number(UInt32.self), Int(clamping: length) <= rest.count else { return nil }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(length))) }
        return UnsafeRawBufferPointer(rebasing: rest.prefix(Int(length)))
    }

    /// Reads a length-prefixed string. Invalid UTF-8 is replaced.
    mutating func text() -> String? { lengthPrefixedBytes().map { String(decoding: $0, as: UTF8.self) } }

    mutating func map() -> [String: String]? {
        guard var inner = lengthPrefixedBytes().map(MCAPRecordReader.init) else { return nil }
        var pairs: [String: String] = [:]
        while pairs.count < 256, let key = inner.text(), let value = inner.text() { pairs[key] = value }
        return pairs
    }
}

enum JSONLine {
    /// Returns the JSON object without line breaks, or nil if the bytes are not exactly one JSON object.
    static func object(_ json: UnsafeRawBufferPointer) -> [UInt8]? {
        var reader = JSONReader(json)
        do throws(JSONError) {
            guard try reader.peekKind() == .object else { return nil }
            try reader.skipValue()
            try reader.finish()
        } catch {
            return nil
        }
        let isLineEnd = { (byte: UInt8) in byte == 0x0a || byte == 0x0d }
        guard json.first != UInt8(ascii: "{") || json.contains(where: isLineEnd) else { return [UInt8](json) }
        var line: [UInt8] = []
        line.reserveCapacity(json.count)
        var isText = false
        var isEscaped = false
        for byte in json {
            if isText {
                if byte == UInt8(ascii: "\""), !isEscaped { isText = false }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            } else if byte <= 0x20 {
                continue
            } else if byte == UInt8(ascii: "\"") {
                isText = true
            }
            line.append(byte)
        }
        return line
    }
}
