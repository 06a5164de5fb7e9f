// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Reads the messages of an MCAP file in file order. The indexes are not used, so damaged or truncated files and files
/// without indexes can also be read. Memory use does not depend on the chunk size.
struct MCAPReader {
    struct Message {
        var channel: UInt16
        var logged: UInt64
        var published: UInt64
    }

    struct Channel {
        var topic: String
        var encoding: String
        var schema: String
        var metadata: [String: String]
    }

    private struct Chunk {
        /// The offset at which the records in the chunk end.
        var end: UInt64
        /// The offset at which the chunk record itself ends.
        var recordEnd: UInt64
        /// The checksum stated in the chunk, or 0 if there is none.
        var checksum: UInt32
    }

    /// The maximum number of schemas, and of channels. Any further ones are ignored.
    private static let maximumDefinitions = 4096
    /// The maximum number of bytes to read at the start of a schema or channel record. The names must be within these
    /// bytes.
    private static let maximumHead = 1 << 16
    /// The size of the fields that precede a message's data: channel, sequence number and two times.
    private static let messageHead = 22
    private(set) var channels: [UInt16: Channel] = [:]
    private(set) var messageCount: UInt64 = 0
    /// The number of messages according to the file's statistics, or nil if the file has no statistics.
    private(set) var statedMessageCount: UInt64?
    private(set) var isTruncated = false
    private(set) var damagedChunks = 0
    private(set) var isDataDamaged = false
    private(set) var brokenRecords = 0
    private(set) var largeMessages = 0
    /// The offset at which reading stopped because no record starts there, or nil otherwise. Records with invalid
    /// contents do not stop the reader. They are counted in `brokenRecords`.
    private(set) var invalidRecordOffset: UInt64?
    /// The maximum message size in bytes, at most ``MCAPInput/maximumCount``. Larger messages are omitted.
    var maximumMessageSize = MCAPInput.maximumCount
    private let name: String
    private var input: MCAPInput
    private var schemas: [UInt16: String] = [:]
    private var chunk: Chunk?
    /// The end offset of the message that ``next()`` returned last. Its data has not been consumed yet.
    private var messageEnd: UInt64?
    private var isInSummary = false
    private var isAtEnd = false

    init(_ chunks: FileContents) throws(DeviceError) {
        name = chunks.name
        input = try Self.begin(chunks)
        // The checksum includes the magic bytes, which `begin` has already consumed.
        input.dataChecksum = CRC32()
        MCAP.magic.withUnsafeBytes { input.dataChecksum?.add($0) }
    }

    private static func begin(_ chunks: FileContents) throws(DeviceError) -> MCAPInput {
        var input = MCAPInput(try chunks.source())
        let count = MCAP.magic.count
        guard try input.fill(count), input.withBytes(count, { $0.elementsEqual(MCAP.magic) }) else {
            throw .invalidTrace("\(chunks.name) is not an MCAP file of version 0.")
        }
        input.consume(count)
        return input
    }

    /// Returns a metadata record of a file, or nil if the file does not contain it. Searches the whole data section,
    /// because tools that rewrite files move metadata to its end.
    static func metadata(of chunks: FileContents, named name: String) throws(DeviceError) -> [String: String]? {
        var input = try begin(chunks)
        while let record = try input.peekRecord(), record.code != 0 {
            let opcode = MCAP.Opcode(rawValue: record.code)
            if opcode == .dataEnd || opcode == .footer { break }
            input.consume(MCAP.prefixLength)
            let length = record.end - input.offset
            if opcode == .metadata, length <= UInt64(MCAPInput.maximumCount), try input.fill(Int(length)) {
                let found = input.withBytes(Int(length)) { bytes -> [String: String]? in
                    var contents = MCAPRecordReader(bytes)
                    return contents.text() == name ? contents.map() : nil
                }
                if let found { return found }
            }
            guard try input.skip(to: record.end) else { break }
        }
        return nil
    }

    /// Returns the next message, or nil at the end of the file. Throws an error if the file contains compressed chunks.
    mutating func next() throws(DeviceError) -> Message? {
        while !isAtEnd {
            if let end = messageEnd {
                messageEnd = nil
                guard try skip(to: end) else { return nil }
            }
            if let chunk, input.offset >= chunk.end {
                guard try finishChunk(chunk) else { return nil }
                continue
            }
            guard let record = try input.peekRecord() else { return finish() }
            if let chunk, record.end > chunk.end {
                // The record extends beyond its chunk, so its length is wrong. The next record cannot be located, and
                // the rest of the chunk is skipped.
                try skipBrokenRecord(to: chunk.end)
                continue
            }
            guard record.code != 0 else {
                invalidRecordOffset = input.offset
                isAtEnd = true
                return nil
            }
            if let message = try processRecord(record.code, upTo: record.end) { return message }
        }
        return nil
    }

    /// Returns the data of the message that ``next()`` returned last. Returns nil if it is too large or truncated.
    mutating func data() throws(DeviceError) -> [UInt8]? {
        guard let end = messageEnd else { return nil }
        let length = end - input.offset
        guard length <= UInt64(min(maximumMessageSize, MCAPInput.maximumCount)) else {
            largeMessages += 1
            return nil
        }
        guard try input.fill(Int(length)) else { return nil }
        return input.withBytes(Int(length)) { [UInt8]($0) }
    }

    // MARK: Records

    /// Stops reading. Always returns nil, so that callers can return the result.
    private mutating func finish() -> Message? {
        isAtEnd = true
        if !isInSummary { isTruncated = true }
        return nil
    }

    private mutating func skip(to offset: UInt64) throws(DeviceError) -> Bool {
        if try input.skip(to: offset) { return true }
        _ = finish()
        return false
    }

    private mutating func skipBrokenRecord(to end: UInt64) throws(DeviceError) {
        brokenRecords += 1
        _ = try skip(to: end)
    }

    /// Processes a record. If it is a message, returns the message without reading its data. If it is a chunk, advances
    /// to the first record in the chunk and returns nil. Otherwise, advances past the record and returns nil.
    private mutating func processRecord(_ code: UInt8, upTo end: UInt64) throws(DeviceError) -> Message? {
        let opcode = MCAP.Opcode(rawValue: code)
        // The checksum in a data end record covers only the bytes before that record.
        let sum = input.dataChecksum?.value
        input.consume(MCAP.prefixLength)
        switch opcode {
        case .message where !isInSummary: return try readMessage(upTo: end)
        case .chunk where chunk == nil && !isInSummary:
            try beginChunk(upTo: end)
            return nil
        case .schema:
            let found = try readHead(upTo: end) { contents -> (UInt16, String)? in
                guard let id = contents.number(UInt16.self), let name = contents.text() else { return nil }
                return (id, name)
            }
            if let (id, name) = found, schemas.count < Self.maximumDefinitions, schemas[id] == nil {
                schemas[id] = name
            }
        case .channel:
            let schemas = schemas
            let found = try readHead(upTo: end) { Self.channel(&$0, schemas) }
            if let (id, channel) = found, channels.count < Self.maximumDefinitions, channels[id] == nil {
                channels[id] = channel
            }
        case .dataEnd where chunk == nil:
            let stated = try readHead(upTo: end) { $0.number(UInt32.self) }
            if let stated, stated != 0, stated != sum { isDataDamaged = true }
            input.dataChecksum = nil
            isInSummary = true
        case .statistics where isInSummary: statedMessageCount = try readHead(upTo: end) { $0.number(UInt64.self) }
        case .footer where chunk == nil:
            isInSummary = true
            isAtEnd = true
        default: break
        }
        _ = try skip(to: end)
        return nil
    }

    /// Calls `body` with the first bytes of a record. Counts the record as broken if `body` returns nil.
    private mutating func readHead<Value>(
        upTo end: UInt64, _ body: (inout MCAPRecordReader) -> Value?
    ) throws(DeviceError) -> Value? {
        let count = Int(clamping: min(end - input.offset, UInt64(Self.maximumHead)))
        guard try input.fill(count) else { return nil }
        let value = input.withBytes(count) { bytes -> Value? in
            var contents = MCAPRecordReader(bytes)
            return body(&contents)
        }
        if value == nil { brokenRecords += 1 }
        return value
    }

    private static func channel(_ contents: inout MCAPRecordReader, _ schemas: [UInt16: String]) -> (UInt16, Channel)? {
        guard let id = contents.number(UInt16.self), let schema = contents.number(UInt16.self),
            let topic = contents.text(), let encoding = contents.text()
        else { return nil }
        let name = schemas[schema] ?? ""
        return (id, Channel(topic: topic, encoding: encoding, schema: name, metadata: contents.map() ?? [:]))
    }

    private mutating func readMessage(upTo end: UInt64) throws(DeviceError) -> Message? {
        guard end - input.offset >= UInt64(Self.messageHead) else {
            try skipBrokenRecord(to: end)
            return nil
        }
        guard try input.fill(Self.messageHead) else { return finish() }
        let message = input.withBytes(Self.messageHead) { bytes -> Message? in
            var contents = MCAPRecordReader(bytes)
            guard let channel = contents.number(UInt16.self), contents.number(UInt32.self) != nil,
                let logged = contents.number(UInt64.self), let published = contents.number(UInt64.self)
            else { return nil }
            return Message(channel: channel, logged: logged, published: published)
        }
        input.consume(Self.messageHead)
        messageEnd = end
        messageCount += 1
        return message
    }

    // MARK: Chunks

    private mutating func beginChunk(upTo recordEnd: UInt64) throws(DeviceError) {
        let length = recordEnd - input.offset
        // A chunk begins with 32 bytes that contain the times, the size, the checksum and the length of the compression
        // name. Next come the compression name itself and the length of the records (8 bytes).
        guard length >= 40, try input.fill(32) else { return try skipBrokenRecord(to: recordEnd) }
        let (checksum, nameLength) = input.withBytes(32) { bytes -> (UInt32, UInt32) in
            var contents = MCAPRecordReader(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(24)))
            return (contents.number(UInt32.self) ?? 0, contents.number(UInt32.self) ?? .max)
        }
        let head = 40 + Int(min(nameLength, 65))
        guard nameLength <= 64, UInt64(head) <= length, try input.fill(head) else {
            return try skipBrokenRecord(to: recordEnd)
        }
        let (compression, size) = input.withBytes(head) { bytes -> (String, UInt64) in
            var contents = MCAPRecordReader(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(28)))
            return (contents.text() ?? "", contents.number(UInt64.self) ?? 0)
        }
        guard compression.isEmpty else {
            let other = name == "standard input" ? "FILE" : name
            throw DeviceError(
                .notSupported,
                "\(name) contains chunks compressed with \(compression), which is not supported. Decompress it first with the tool from mcap.dev: mcap decompress \(other) -o plain.mcap"
            )
        }
        input.consume(head)
        if size > recordEnd - input.offset { brokenRecords += 1 }
        let end = input.offset + min(size, recordEnd - input.offset)
        chunk = Chunk(end: end, recordEnd: recordEnd, checksum: checksum)
        input.chunkChecksum = checksum == 0 ? nil : CRC32()
    }

    /// Verifies a chunk's checksum and advances past the chunk. Returns false if the file ends within the chunk.
    private mutating func finishChunk(_ chunk: Chunk) throws(DeviceError) -> Bool {
        if let sum = input.chunkChecksum, sum.value != chunk.checksum { damagedChunks += 1 }
        input.chunkChecksum = nil
        self.chunk = nil
        return try skip(to: chunk.recordEnd)
    }
}
