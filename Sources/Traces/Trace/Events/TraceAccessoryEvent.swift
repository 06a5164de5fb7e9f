// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import JSONBytes

/// An accessory event in a trace.
public struct TraceAccessoryEvent: Sendable, Hashable {
    /// The event's kind and contents.
    public enum Change: Sendable, Hashable {
        /// The accessory was attached, or the description of an attached accessory changed. The description has no ID,
        /// and its protocols have names but no further details.
        case attached(AccessoryDescription)
        /// The accessory was detached.
        case detached
        /// The program opened the protocol.
        case opened(String)
        /// The session ended. If the program closed it, the reason is `ByteChannelEnd.Reason.closed`.
        case closed(String, ByteChannelEnd.Reason)
        /// The program read bytes that the accessory had sent.
        case received(String, [UInt8])
        /// The program wrote bytes.
        case sent(String, [UInt8])
    }

    /// The accessory's identifier in this trace, unique among the attached accessories.
    public var accessory: String
    /// The event's kind and contents.
    public var change: Change

    /// Creates an event.
    public init(accessory: String, _ change: Change) {
        self.accessory = accessory
        self.change = change
    }

    /// The maximum number of accessories attached at the same time. Further accessories are rejected.
    package static let maximumAccessories = 256
    /// The maximum number of protocols per accessory. Further protocols are ignored.
    package static let maximumProtocols = 64
    /// The maximum length of a name, serial number or similar text, in bytes. An event with longer text is rejected.
    package static let maximumNameLength = 1024
    /// The maximum number of bytes in an event. Longer data is split into several events.
    package static let maximumBytes = 65_536
}

extension TraceAccessoryEvent {
    /// Appends the event as one line, or as several lines if its data is longer than ``maximumBytes``.
    func append(at time: Int64, to buffer: inout [UInt8]) {
        switch change {
        case .attached(let description):
            line(",\"attach\":", time, &buffer) { writer in write(description, to: &writer) }
        case .detached: line(",\"detach\":", time, &buffer) { writer in writer.string(accessory) }
        case .opened(let name):
            line(",\"open\":", time, &buffer) { writer in
                writer.string(name)
                writer.member("accessory", accessory)
            }
        case .closed(let name, let reason):
            line(",\"close\":", time, &buffer) { writer in
                writer.string(name)
                writer.member("accessory", accessory)
                writer.memberIfPresent("end", Self.reasons.first { $0.reason == reason }?.name)
            }
        case .received(let name, let bytes): append(bytes, of: name, isInput: true, time, &buffer)
        case .sent(let name, let bytes): append(bytes, of: name, isInput: false, time, &buffer)
        }
    }

    private func append(_ bytes: [UInt8], of name: String, isInput: Bool, _ time: Int64, _ buffer: inout [UInt8]) {
        var start = 0
        while start < bytes.count {
            var end = min(start + Self.maximumBytes, bytes.count)
            // Moves the end back so that no UTF-8 character is split.
            if end < bytes.count {
                var back = 0
                while back < 3, end - back > start + 1, bytes[end - back] & 0xc0 == 0x80 { back += 1 }
                if bytes[end - back] & 0xc0 != 0x80 { end -= back }
            }
            let chunk = bytes[start..<end]
            let text = Self.text(chunk)
            let key: StaticString =
                text != nil ? isInput ? ",\"in\":" : ",\"out\":" : isInput ? ",\"inHex\":" : ",\"outHex\":"
            line(key, time, &buffer) { writer in
                writer.string(text ?? HexDigit.text(chunk))
                writer.member("accessory", accessory)
                writer.member("protocol", name)
            }
            start = end
        }
    }

    private func line(_ key: StaticString, _ time: Int64, _ buffer: inout [UInt8], _ body: (inout JSONWriter) -> Void) {
        TraceLine.begin(key, time, &buffer)
        var writer = JSONWriter()
        body(&writer)
        buffer.append(contentsOf: writer.bytes)
        TraceLine.end(&buffer)
    }

    private func write(_ description: AccessoryDescription, to writer: inout JSONWriter) {
        let texts: [(StaticString, String)] = [
            ("name", description.name), ("manufacturer", description.manufacturer), ("model", description.modelNumber),
            ("serial", description.serialNumber), ("firmware", description.firmwareRevision),
            ("hardware", description.hardwareRevision), ("port", description.portPath),
            ("vendor", description.vendorID.map(HexDigit.fourDigits) ?? ""),
            ("product", description.productID.map(HexDigit.fourDigits) ?? ""),
        ]
        writer.object { writer in
            writer.member("id", accessory)
            if description.identity != Self.identity(of: description) {
                writer.member("identity", description.identity)
            }
            for (key, value) in texts { writer.memberUnlessEmpty(key, value) }
            writer.member("protocols", description.protocols.map(\.name))
        }
    }

    /// Returns an identity that stays the same when the accessory is reattached: the USB IDs and the serial number if
    /// all are known, or the port otherwise.
    static func identity(of description: AccessoryDescription) -> String {
        if let vendor = description.vendorID, let product = description.productID, !description.serialNumber.isEmpty {
            return "\(HexDigit.fourDigits(vendor)):\(HexDigit.fourDigits(product)):\(description.serialNumber)"
        }
        return "port:\(description.portPath)"
    }

    /// The names that traces use for the reasons why a session ended. `closed` is not listed, because it is the
    /// default, which traces omit.
    static var reasons: [(name: String, reason: ByteChannelEnd.Reason)] {
        [("hungUp", .hungUp), ("detached", .detached), ("failed", .failed)]
    }

    /// Decodes UTF-8 text. Returns nil for invalid UTF-8, and for control characters other than tab, line feed and
    /// carriage return.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let isReadable = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 9, 10, 13: true
            case 0..<0x20, 0x7f..<0xa0: false
            default: true
            }
        }
        return isReadable ? text : nil
    }
}
