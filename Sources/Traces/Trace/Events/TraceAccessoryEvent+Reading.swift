// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

/// Parses the lines that `TraceAccessoryEvent` writes. The keys are part of the trace format.
extension TraceAccessoryEvent {
    /// Parses a trace line, or returns nil if the line is not a valid accessory event.
    init?(line: UnsafeRawBufferPointer) {
        var parts = Parts()
        do throws(JSONError) {
            try parts.read(line)
        } catch {
            return nil
        }
        // In a `detach` line, the ID is the value of the `detach` key. In all other lines, the ID is a separate member.
        guard parts.isValid, let id = parts.key == .detach ? parts.text : parts.id else { return nil }
        switch parts.key {
        case .attach:
            guard let description = parts.description else { return nil }
            self.init(accessory: id, .attached(description))
        case .detach: self.init(accessory: id, .detached)
        case .open, .close:
            guard let name = parts.text, AccessoryProtocol.isValid(name: name) else { return nil }
            self.init(accessory: id, parts.key == .open ? .opened(name) : .closed(name, parts.end))
        case .input, .output:
            guard let name = parts.protocolName, AccessoryProtocol.isValid(name: name) else { return nil }
            self.init(accessory: id, parts.key == .input ? .received(name, parts.bytes) : .sent(name, parts.bytes))
        case nil: return nil
        }
    }

    static func isKey(_ key: JSONText) -> Bool { Parts.key(key) != nil }

    private struct Parts {
        enum Key { case attach, detach, open, close, input, output }

        var key: Key?
        var id: String?
        /// The value of `detach`, `open` or `close`.
        var text: String?
        var protocolName: String?
        var bytes: [UInt8] = []
        var end = ByteChannelEnd.Reason.closed
        var description: AccessoryDescription?
        var isValid = true

        static func key(_ key: JSONText) -> Key? {
            switch key.word {
            case JSONText.word("attach"): .attach
            case JSONText.word("detach"): .detach
            case JSONText.word("open"): .open
            case JSONText.word("close"): .close
            case JSONText.word("in"), JSONText.word("inHex"): .input
            case JSONText.word("out"), JSONText.word("outHex"): .output
            default: nil
            }
        }

        mutating func read(_ line: UnsafeRawBufferPointer) throws(JSONError) {
            var reader = JSONReader(line)
            try reader.beginObject()
            while let name = try reader.nextKey() {
                // If a line contains the keys of several events, the first key determines the event's kind.
                if key == nil, let found = Self.key(name) {
                    key = found
                    let isHexadecimal = name.rawBytes.last == UInt8(ascii: "x")
                    switch found {
                    case .attach: try readDescription(&reader)
                    case .detach, .open, .close: text = try readName(&reader)
                    case .input, .output: try readBytes(&reader, isHexadecimal: isHexadecimal)
                    }
                } else if name.equals("accessory"), id == nil {
                    id = try readName(&reader)
                } else if name.equals("protocol") {
                    protocolName = try readName(&reader)
                } else if name.equals("end") {
                    end = Self.reason(try readName(&reader))
                } else {
                    try reader.skipValue()
                }
            }
        }

        private mutating func readDescription(_ reader: inout JSONReader) throws(JSONError) {
            guard try reader.beginObjectIfPresent() else {
                isValid = false
                return
            }
            var found = AccessoryDescription(identity: "", name: "")
            id = nil
            while let key = try reader.nextKey() {
                switch key.word {
                case JSONText.word("id"): id = try readName(&reader)
                case JSONText.word("identity"): found.identity = try readName(&reader) ?? ""
                case JSONText.word("name"): found.name = try readName(&reader) ?? ""
                case _ where key.equals("manufacturer"): found.manufacturer = try readName(&reader) ?? ""
                case JSONText.word("model"): found.modelNumber = try readName(&reader) ?? ""
                case JSONText.word("serial"): found.serialNumber = try readName(&reader) ?? ""
                case JSONText.word("firmware"): found.firmwareRevision = try readName(&reader) ?? ""
                case JSONText.word("hardware"): found.hardwareRevision = try readName(&reader) ?? ""
                case JSONText.word("port"): found.portPath = try readName(&reader) ?? ""
                case JSONText.word("vendor"): found.vendorID = Self.number(try readName(&reader))
                case JSONText.word("product"): found.productID = Self.number(try readName(&reader))
                case _ where key.equals("protocols"): found.protocols = try readProtocols(&reader)
                default: try reader.skipValue()
                }
            }
            if found.identity.isEmpty { found.identity = TraceAccessoryEvent.identity(of: found) }
            description = found
            // The description itself must contain the ID. The line's "accessory" member does not replace it.
            if id == nil { isValid = false }
        }

        private mutating func readProtocols(_ reader: inout JSONReader) throws(JSONError) -> [AccessoryProtocol] {
            var protocols: [AccessoryProtocol] = []
            guard try reader.beginArrayIfPresent() else { return protocols }
            while try reader.nextElement() {
                guard let name = try readName(&reader), AccessoryProtocol.isValid(name: name),
                    protocols.count < TraceAccessoryEvent.maximumProtocols,
                    !protocols.contains(where: { $0.name == name })
                else { continue }
                protocols.append(AccessoryProtocol(name: name, origin: .trace))
            }
            return protocols
        }

        private mutating func readName(_ reader: inout JSONReader) throws(JSONError) -> String? {
            guard let text = try reader.textIfPresent() else { return nil }
            // Each byte of the name takes up at most six bytes in JSON, for example `\u0041`.
            guard text.rawBytes.count <= 6 * TraceAccessoryEvent.maximumNameLength else {
                isValid = false
                return nil
            }
            let name = text.string()
            if name.utf8.count > TraceAccessoryEvent.maximumNameLength { isValid = false }
            return name
        }

        private mutating func readBytes(_ reader: inout JSONReader, isHexadecimal: Bool) throws(JSONError) {
            guard let text = try reader.textIfPresent(), text.rawBytes.count <= 6 * TraceAccessoryEvent.maximumBytes
            else {
                isValid = false
                return
            }
            if isHexadecimal {
                bytes = HexDigit.bytes(text.rawBytes)
                if text.hasEscapes || bytes.count * 2 != text.rawBytes.count { isValid = false }
            } else {
                bytes = [UInt8](text.string().utf8)
            }
            if bytes.count > TraceAccessoryEvent.maximumBytes { isValid = false }
        }

        /// Parses a USB vendor or product ID: four hexadecimal digits.
        private static func number(_ text: String?) -> UInt16? {
            guard let text, text.utf8.count == 4, !text.hasPrefix("+"), !text.hasPrefix("-") else { return nil }
            return UInt16(text, radix: 16)
        }

        /// Parses a reason. An unknown reason from a later version becomes `failed`.
        private static func reason(_ name: String?) -> ByteChannelEnd.Reason {
            if name == nil || name == "closed" { return .closed }
            return TraceAccessoryEvent.reasons.first { $0.name == name }?.reason ?? .failed
        }
    }
}
