// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

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
    mutating func map(_ pairs: [(String, String)]) {
        var inner = MCAPRecord()
        for (key, value) in pairs {
            inner.text(key)
            inner.text(value)
        }
        text(inner.bytes)
    }
}
