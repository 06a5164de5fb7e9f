// SPDX-License-Identifier: Apache-2.0

/// A D-Bus method call in little-endian byte order. Supports string arguments and dictionaries of strings and Booleans.
struct DBusCall {
    enum Value {
        case text(String)
        case bool(Bool)
    }

    var destination: String
    var path: String
    var interface: String
    var member: String
    var signature = ""
    /// True if the caller expects no reply.
    var isOneWay = false
    private var body: [UInt8] = []

    init(_ destination: String, _ path: String, _ interface: String, _ member: String) {
        (self.destination, self.path, self.interface, self.member) = (destination, path, interface, member)
    }

    func appending(_ text: String) -> DBusCall {
        var call = self
        call.signature += "s"
        Self.append(text, to: &call.body)
        return call
    }

    func appending(_ dictionary: KeyValuePairs<String, Value>) -> DBusCall {
        var call = self
        call.signature += "a{sv}"
        // Encodes the entries in a separate buffer to determine their length. Their alignment stays correct, because
        // they start at a multiple of 8 bytes in both buffers.
        var entries: [UInt8] = []
        for (key, value) in dictionary {
            Self.align(8, &entries)
            Self.append(key, to: &entries)
            switch value {
            case .text(let text):
                Self.append(signature: "s", to: &entries)
                Self.append(text, to: &entries)
            case .bool(let isTrue):
                Self.append(signature: "b", to: &entries)
                Self.append(isTrue ? 1 : 0, to: &entries)
            }
        }
        Self.append(UInt32(entries.count), to: &call.body)
        Self.align(8, &call.body)
        call.body += entries
        return call
    }

    /// Encodes the call with the given serial number, which must not be 0.
    func bytes(serial: UInt32) -> [UInt8] {
        var message: [UInt8] = [UInt8(ascii: "l"), DBusMessage.MessageType.methodCall.rawValue, isOneWay ? 1 : 0, 1]
        Self.append(UInt32(body.count), to: &message)
        Self.append(serial, to: &message)
        // A placeholder for the length of the header fields.
        Self.append(UInt32(0), to: &message)
        let start = message.count
        Self.append(field: 1, "o", path, to: &message)
        Self.append(field: 2, "s", interface, to: &message)
        Self.append(field: 3, "s", member, to: &message)
        Self.append(field: 6, "s", destination, to: &message)
        if !signature.isEmpty {
            Self.align(8, &message)
            message.append(8)  // the field that contains the signature
            Self.append(signature: "g", to: &message)
            Self.append(signature: signature, to: &message)
        }
        var length: [UInt8] = []
        Self.append(UInt32(message.count - start), to: &length)
        message.replaceSubrange(start - 4..<start, with: length)
        Self.align(8, &message)
        return message + body
    }

    private static func align(_ alignment: Int, _ bytes: inout [UInt8]) {
        while bytes.count % alignment != 0 { bytes.append(0) }
    }

    private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        align(4, &bytes)
        for index in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt32(index)))) }
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        append(UInt32(text.utf8.count), to: &bytes)
        bytes += text.utf8
        bytes.append(0)
    }

    private static func append(signature: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: signature.utf8.count))
        bytes += signature.utf8
        bytes.append(0)
    }

    private static func append(field: UInt8, _ type: String, _ text: String, to bytes: inout [UInt8]) {
        align(8, &bytes)
        bytes.append(field)
        append(signature: type, to: &bytes)
        append(text, to: &bytes)
    }
}
