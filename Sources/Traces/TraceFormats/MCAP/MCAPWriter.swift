// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// Writes an MCAP file sequentially. The file contains chunks with message indexes and checksums, followed by a
/// summary. The writer keeps one chunk in memory, and about 200 bytes of index data per MiB of messages.
struct MCAPWriter: ~Copyable {
    /// The size, in bytes (1 MiB), at which a chunk is complete and is written to the file.
    private static let chunkSize = 1 << 20

    private struct Channel {
        var record: MCAPRecordBuilder
        var schema: UInt16
        var count: UInt64 = 0
        /// The times and offsets of the channel's messages in the current chunk.
        var index: [(time: UInt64, offset: UInt64)] = []
    }

    private struct ChunkIndexEntry {
        var firstTime: UInt64
        var lastTime: UInt64
        /// The position of the chunk record in the file.
        var offset: UInt64
        var length: UInt64
        var indexes: [(channel: UInt16, offset: UInt64)]
        var indexLength: UInt64
        /// The size of the records in the chunk.
        var size: UInt64
    }

    private var file: ExportFile
    /// The number of bytes written or buffered so far.
    private var offset: UInt64 = 0
    /// A schema's ID is its index plus 1, because 0 means no schema. A channel's ID is its index.
    private var schemas: [MCAPRecordBuilder] = []
    private var channels: [Channel] = []
    private var chunk: [UInt8] = []
    private var chunkTimes: (first: UInt64, last: UInt64)?
    private var chunks: [ChunkIndexEntry] = []
    private var metadata: [(offset: UInt64, length: UInt64, name: String)] = []
    private var times: (first: UInt64, last: UInt64)?
    private var sequence: UInt32 = 0
    private var dataSum = CRC32()

    init(path: String, _ options: ExportOptions, library: String) throws(DeviceError) {
        self.init(try ExportFile(path: path, options), library: library)
    }

    /// This initializer must not throw. If the initializer of a noncopyable type throws, Swift 6.2 destroys the default
    /// values of its properties twice.
    private init(_ file: consuming ExportFile, library: String) {
        self.file = file
        write(MCAP.magic)
        write(.header, MCAPRecordBuilder("", library))
    }

    mutating func schema(name: String, json: String) -> UInt16 {
        let id = UInt16(clamping: schemas.count + 1)
        schemas.append(MCAPRecordBuilder(id, name, "jsonschema", json))
        return id
    }

    mutating func channel(
        topic: String, schema: UInt16, encoding: String = "json", metadata: [(String, String)] = []
    ) -> UInt16 {
        let id = UInt16(clamping: channels.count)
        var record = MCAPRecordBuilder(id, schema, topic, encoding)
        record.map(metadata)
        channels.append(Channel(record: record, schema: schema))
        return id
    }

    /// Appends a message to the current chunk. Times are in nanoseconds since 1970, or since the start of the recording
    /// if its civil time is unknown.
    mutating func message(_ channel: UInt16, logged: UInt64, published: UInt64, _ data: [UInt8]) throws(DeviceError) {
        guard channels.indices.contains(Int(channel)) else { return }
        if channels[Int(channel)].count == 0 { writeDefinitions(ofChannel: Int(channel)) }
        channels[Int(channel)].count += 1
        channels[Int(channel)].index.append((logged, UInt64(chunk.count)))
        var record = MCAPRecordBuilder(channel, sequence, logged, published)
        record.raw(data)
        Self.append(.message, record, to: &chunk)
        sequence &+= 1
        chunkTimes = (min(chunkTimes?.first ?? logged, logged), max(chunkTimes?.last ?? logged, logged))
        if chunk.count >= Self.chunkSize { try endChunk() }
    }

    mutating func metadata(name: String, _ pairs: [(String, String)]) throws(DeviceError) {
        try endChunk()
        var record = MCAPRecordBuilder(name)
        record.map(pairs)
        metadata.append((offset, UInt64(record.bytes.count + MCAP.prefixLength), name))
        write(.metadata, record)
        try file.flushIfLarge()
    }

    /// Writes the remaining messages and the summary, then closes the file.
    mutating func close() throws(DeviceError) {
        try endChunk()
        write(.dataEnd, MCAPRecordBuilder(dataSum.value))
        try file.flushIfLarge()
        try writeSummary()
        write(MCAP.magic)
        try file.close()
    }

    // MARK: Chunks

    /// Writes a channel and its schema before the channel's first message.
    private mutating func writeDefinitions(ofChannel channel: Int) {
        let schema = Int(channels[channel].schema)
        let isKnown = channels.contains { $0.count > 0 && Int($0.schema) == schema }
        if schema > 0, !isKnown, schemas.indices.contains(schema - 1) {
            Self.append(.schema, schemas[schema - 1], to: &chunk)
        }
        Self.append(.channel, channels[channel].record, to: &chunk)
    }

    private mutating func endChunk() throws(DeviceError) {
        guard let span = chunkTimes else { return }
        let size = UInt64(chunk.count)
        let sum = chunk.withUnsafeBytes { CRC32.of($0) }
        var record = MCAPRecordBuilder(span.first, span.last, size, sum, "", size)
        record.raw(chunk)
        var entry = ChunkIndexEntry(
            firstTime: span.first, lastTime: span.last, offset: offset,
            length: UInt64(record.bytes.count + MCAP.prefixLength), indexes: [], indexLength: 0, size: size)
        write(.chunk, record)
        for id in channels.indices where !channels[id].index.isEmpty {
            let entries = channels[id].index.flatMap { MCAPRecordBuilder($0, $1).bytes }
            let record = MCAPRecordBuilder(UInt16(clamping: id), entries)
            entry.indexes.append((UInt16(clamping: id), offset))
            entry.indexLength += UInt64(record.bytes.count + MCAP.prefixLength)
            write(.messageIndex, record)
            channels[id].index.removeAll(keepingCapacity: true)
        }
        chunks.append(entry)
        times = (min(times?.first ?? span.first, span.first), max(times?.last ?? span.last, span.last))
        chunk.removeAll(keepingCapacity: true)
        chunkTimes = nil
        try file.flushIfLarge()
    }

    // MARK: Summary

    private mutating func writeSummary() throws(DeviceError) {
        let start = offset
        var sum = CRC32()
        var groups: [(opcode: MCAP.Opcode, start: UInt64, length: UInt64)] = []
        /// Writes a group of records, which must have the same opcode.
        func put(_ opcode: MCAP.Opcode, _ records: [MCAPRecordBuilder], _ writer: inout MCAPWriter) {
            guard !records.isEmpty else { return }
            let begin = writer.offset
            for record in records {
                var bytes: [UInt8] = []
                Self.append(opcode, record, to: &bytes)
                bytes.withUnsafeBytes { sum.add($0) }
                writer.write(bytes)
            }
            if opcode != .summaryOffset { groups.append((opcode, begin, writer.offset - begin)) }
        }
        let used = channels.filter { $0.count > 0 }
        put(
            .schema, schemas.indices.filter { id in used.contains { Int($0.schema) == id + 1 } }.map { schemas[$0] },
            &self)
        put(.channel, used.map(\.record), &self)
        put(.statistics, [statistics], &self)
        put(.chunkIndex, chunks.map(Self.record), &self)
        put(.metadataIndex, metadata.map { MCAPRecordBuilder($0, $1, $2) }, &self)
        let offsets = offset
        put(.summaryOffset, groups.map { MCAPRecordBuilder($0.opcode.rawValue, $0.start, $0.length) }, &self)
        // The footer has 20 bytes. Its checksum covers the summary and the part of the footer before the checksum.
        let footer = MCAPRecordBuilder(MCAP.Opcode.footer.rawValue, UInt64(20), start, offsets).bytes
        footer.withUnsafeBytes { sum.add($0) }
        write(footer + MCAPRecordBuilder(sum.value).bytes)
        try file.flushIfLarge()
    }

    private var statistics: MCAPRecordBuilder {
        let used = channels.indices.filter { channels[$0].count > 0 }
        let schemas = Set(used.map { channels[$0].schema }.filter { $0 > 0 })
        return MCAPRecordBuilder(
            used.reduce(UInt64(0)) { $0 + channels[$1].count }, UInt16(clamping: schemas.count),
            UInt32(clamping: used.count), UInt32(0), UInt32(clamping: metadata.count), UInt32(clamping: chunks.count),
            times?.first ?? 0, times?.last ?? 0,
            used.flatMap { MCAPRecordBuilder(UInt16(clamping: $0), channels[$0].count).bytes })
    }

    private static func record(_ entry: ChunkIndexEntry) -> MCAPRecordBuilder {
        MCAPRecordBuilder(
            entry.firstTime, entry.lastTime, entry.offset, entry.length,
            entry.indexes.flatMap { MCAPRecordBuilder($0, $1).bytes }, entry.indexLength, "", entry.size, entry.size)
    }

    // MARK: Bytes

    private mutating func write(_ opcode: MCAP.Opcode, _ contents: MCAPRecordBuilder) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(contents.bytes.count + MCAP.prefixLength)
        Self.append(opcode, contents, to: &bytes)
        write(bytes)
    }

    private mutating func write(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { dataSum.add($0) }
        offset += UInt64(bytes.count)
        file.bytes.append(contentsOf: bytes)
    }

    private static func append(_ opcode: MCAP.Opcode, _ contents: MCAPRecordBuilder, to bytes: inout [UInt8]) {
        bytes.append(opcode.rawValue)
        withUnsafeBytes(of: UInt64(contents.bytes.count).littleEndian) { bytes += $0 }
        bytes += contents.bytes
    }
}
