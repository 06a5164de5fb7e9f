// SPDX-License-Identifier: Apache-2.0

/// A received D-Bus message in either byte order. A header field is empty or nil if the message does not contain it.
package struct DBusMessage {
    enum MessageType: UInt8 {
        case methodCall = 1
        case methodReturn = 2
        case error = 3
        case signal = 4
    }

    /// The message type, or nil if it is unknown. Later protocol versions may add types, whose messages must be
    /// ignored.
    private(set) var kind: MessageType?
    private(set) var serial: UInt32
    /// The serial number of the call that this message answers.
    private(set) var replySerial: UInt32?
    package private(set) var path = ""
    private(set) var interface = ""
    package private(set) var member = ""
    private(set) var error = ""
    /// The sender's unique name, set by the bus.
    private(set) var sender = ""
    private(set) var signature = ""
    private let bytes: [UInt8]
    private let body: Range<Int>
    private let isBigEndian: Bool

    /// A reader at the start of the body. `signature` contains the types of the values in the body.
    var values: DBusReader { DBusReader(bytes, in: body, isBigEndian: isBigEndian) }

    var errorText: String {
        var values = values
        guard signature.hasPrefix("s"), let text = try? values.string() else { return "" }
        return text
    }

    init(_ bytes: [UInt8]) throws(DBusFormatError) {
        guard let size = try DBusFramer.size(of: bytes[...]), size.total == bytes.count else { throw DBusFormatError() }
        self.bytes = bytes
        isBigEndian = bytes[0] == UInt8(ascii: "B")
        kind = MessageType(rawValue: bytes[1])
        body = size.body..<size.total
        var reader = DBusReader(bytes, in: 8..<size.body, isBigEndian: isBigEndian)
        serial = try reader.uint32()
        let last = try reader.array(alignment: 8)
        guard last <= size.body else { throw DBusFormatError() }
        while reader.offset < last {
            try reader.align(8)
            try readField(&reader)
        }
    }

    private mutating func readField(_ reader: inout DBusReader) throws(DBusFormatError) {
        switch try reader.uint8() {
        case 1: path = try reader.stringVariant(of: "o")
        case 2: interface = try reader.stringVariant(of: "s")
        case 3: member = try reader.stringVariant(of: "s")
        case 4: error = try reader.stringVariant(of: "s")
        case 5: replySerial = try reader.variant(of: "u") { (reader) throws(DBusFormatError) in try reader.uint32() }
        case 7: sender = try reader.stringVariant(of: "s")
        case 8:
            signature = try reader.variant(of: "g") { (reader) throws(DBusFormatError) in try reader.signature() } ?? ""
        default: try reader.skipVariant()
        }
    }
}

/// Splits a byte stream into messages.
package struct DBusFramer {
    /// The maximum message size, in bytes. This is enough for a list of about ten thousand BlueZ devices.
    static let maximumSize = 8 << 20
    /// The size, in bytes, of the header's fixed part, which contains the message length.
    private static let fixedSize = 16

    private var bytes: [UInt8] = []
    private var start = 0

    package init() {}

    package mutating func append(_ more: UnsafeRawBufferPointer) {
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// Returns the next complete message, or nil if more bytes are needed. Skips a message that has a valid length but
    /// is otherwise invalid. After a thrown error, it is unknown where the next message begins.
    package mutating func next() throws(DBusFormatError) -> DBusMessage? {
        while let size = try Self.size(of: bytes[start...]), size.total <= bytes.count - start {
            let message = Array(bytes[start..<start + size.total])
            start += size.total
            do throws(DBusFormatError) { return try DBusMessage(message) } catch {}
        }
        return nil
    }

    /// Returns the size of the first message and the offset of its body, or nil if more bytes are needed.
    static func size(of bytes: ArraySlice<UInt8>) throws(DBusFormatError) -> (total: Int, body: Int)? {
        guard bytes.count >= fixedSize else { return nil }
        let header = Array(bytes.prefix(fixedSize))
        guard header[0] == UInt8(ascii: "l") || header[0] == UInt8(ascii: "B"), header[3] == 1 else {
            throw DBusFormatError()
        }
        var reader = DBusReader(header, in: 4..<fixedSize, isBigEndian: header[0] == UInt8(ascii: "B"))
        let body = try reader.uint32()
        _ = try reader.uint32()
        let fields = try reader.uint32()
        guard body <= maximumSize, fields <= maximumSize else { throw DBusFormatError() }
        let start = (fixedSize + Int(fields) + 7) / 8 * 8
        guard start + Int(body) <= maximumSize else { throw DBusFormatError() }
        return (start + Int(body), start)
    }
}
