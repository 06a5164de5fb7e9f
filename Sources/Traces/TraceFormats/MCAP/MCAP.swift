// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// The container format MCAP, version 0 (mcap.dev/spec): records of a byte that says what they are, a length of eight
/// bytes, and contents. All numbers are little-endian.
enum MCAP {
    /// What a file begins and ends with.
    static let magic: [UInt8] = [0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a]

    enum Opcode: UInt8 {
        case header = 1
        case footer, schema, channel, message, chunk, messageIndex, chunkIndex, attachment, attachmentIndex
        case statistics, metadata, metadataIndex, summaryOffset, dataEnd
    }

    /// The bytes of a record before its contents.
    static let prefixLength = 9
    /// What the metadata are called that hold the header of a trace.
    static let metadataName = "device-services-trace"
    /// The channel with gpsd's reports.
    static let gpsdTopic = "/gpsd"
    /// In a channel's metadata: the topic that its messages are made of, so that they are not read as well.
    static let derivedKey = "derived-from"
}

/// The contents of a record, as they are put together.
struct MCAPRecord {
    private(set) var bytes: [UInt8] = []

    /// Numbers, and texts and bytes behind their length.
    init<each Part: MCAPPart>(_ part: repeat each Part) { repeat (each part).append(to: &self) }

    mutating func number(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Bytes behind their length.
    mutating func text(_ value: some Collection<UInt8>) {
        number(UInt32(clamping: value.count))
        bytes.append(contentsOf: value)
    }

    mutating func text(_ value: String) { text(Array(value.utf8)) }

    mutating func raw(_ value: some Collection<UInt8>) { bytes.append(contentsOf: value) }

    /// Pairs of texts behind the length of them all.
    mutating func map(_ pairs: [(String, String)]) { text(pairs.flatMap { MCAPRecord($0, $1).bytes }) }
}

/// What a record can be put together of.
protocol MCAPPart {
    func append(to record: inout MCAPRecord)
}

extension MCAPPart where Self: FixedWidthInteger {
    func append(to record: inout MCAPRecord) { record.number(self) }
}

extension UInt8: MCAPPart {}
extension UInt16: MCAPPart {}
extension UInt32: MCAPPart {}
extension UInt64: MCAPPart {}

extension String: MCAPPart {
    func append(to record: inout MCAPRecord) { record.text(self) }
}

extension [UInt8]: MCAPPart {
    func append(to record: inout MCAPRecord) { record.text(self) }
}

/// Reads the contents of a record from the front. What is not there is nil.
struct MCAPContents {
    private(set) var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        let size = MemoryLayout<Number>.size
        guard rest.count >= size else { return nil }
        let value = rest.loadUnaligned(as: type)
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(size))
        return Number(littleEndian: value)
    }

    /// Bytes behind their length.
    private mutating func part() -> UnsafeRawBufferPointer? {
        guard let length = number(UInt32.self), Int(clamping: length) <= rest.count else { return nil }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(length))) }
        return UnsafeRawBufferPointer(rebasing: rest.prefix(Int(length)))
    }

    /// A text behind its length; what is not UTF-8 in it is replaced.
    mutating func text() -> String? { part().map { String(decoding: $0, as: UTF8.self) } }

    /// Pairs of texts behind the length of them all, at most 256.
    mutating func map() -> [String: String]? {
        guard var inner = part().map(MCAPContents.init) else { return nil }
        var pairs: [String: String] = [:]
        while pairs.count < 256, let key = inner.text(), let value = inner.text() { pairs[key] = value }
        return pairs
    }
}

/// A JSON object as one line, which is what traces hold.
enum JSONLine {
    /// The bytes of the object, without what stands between its parts where there are line ends; nil for anything else.
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
