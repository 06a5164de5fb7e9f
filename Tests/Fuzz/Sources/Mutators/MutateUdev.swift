// SPDX-License-Identifier: Apache-2.0

/// Mutates length-prefixed messages of the kernel and of udevd: messages, and the entries in messages. Corrects the
/// offset and the length in the header.
let mutateUdev: Mutator = { bytes, dice, limit in
    var messages = UdevPiece.list(bytes)
    guard let place = messages.indices.randomElement(using: &dice), !dice.isOne(in: 6) else {
        return mutateRaw(&bytes, limit: limit)
    }
    if dice.isOne(in: 4) { mutateList(&messages, &dice) } else { messages[place].mutate(&dice) }
    bytes = messages.flatMap(\.bytes)
}

/// A device message for a mutator.
struct UdevPiece {
    /// The header of udevd's message, or the first line of the kernel's.
    private var head: [UInt8]
    /// The entries, without the zero byte after each entry.
    private var entries: [[UInt8]]
    private var hasEnd: Bool

    /// Returns the messages of an input. A truncated end is a message as well.
    static func split(_ bytes: [UInt8]) -> [[UInt8]] {
        var (list, rest) = ([[UInt8]](), bytes[...])
        while rest.count >= 2, list.count < 32 {
            let length = Int(rest[rest.startIndex]) | Int(rest[rest.startIndex + 1]) << 8
            list.append(Array(rest.dropFirst(2).prefix(length)))
            rest = rest.dropFirst(2 + length)
        }
        return list
    }

    static func list(_ bytes: [UInt8]) -> [UdevPiece] { split(bytes).map(UdevPiece.init) }

    private init(_ message: [UInt8]) {
        let isOfDaemon = message.starts(with: "libudev\0".utf8)
        let end = isOfDaemon ? min(40, message.count) : message.firstIndex(of: 0).map { $0 + 1 } ?? message.count
        head = Array(message[..<end])
        entries = message[end...].split(separator: 0, omittingEmptySubsequences: false).map(Array.init)
        hasEnd = entries.last?.isEmpty ?? false
        if hasEnd { entries.removeLast() }
    }

    var bytes: [UInt8] {
        let body = Array(entries.joined(separator: [0])) + (hasEnd ? [0] : [])
        var head = head
        if head.count == 40 {
            // The size of the header, and the offset and the length of the properties.
            for (place, value) in [(12, 40), (16, 40), (20, body.count)] {
                for byte in 0..<4 { head[place + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
            }
        }
        let count = min(head.count + body.count, 0xFFFF)
        return [UInt8(count & 0xFF), UInt8(count >> 8)] + (head + body).prefix(count)
    }

    mutating func mutate(_ dice: inout Dice) {
        guard let place = entries.indices.randomElement(using: &dice) else { return entries.append(Array("A=b".utf8)) }
        let parts = entries[place].split(separator: UInt8(ascii: "="), maxSplits: 1).map(Array.init)
        var value = parts.count > 1 ? parts[1] : []
        let key = parts.first ?? []
        switch dice.below(8) {
        case 0: mutateList(&entries, &dice)
        case 1: mutateRaw(&head, limit: head.count)
        case 2: hasEnd.toggle()
        case 3: entries[place] = Array((dice.pick(keys) ?? "A").utf8) + [UInt8(ascii: "=")] + value
        case 4, 5: entries[place] = key + [UInt8(ascii: "=")] + Array((dice.pick(values) ?? "").utf8)
        case 6: entries.insert(Array("\(dice.pick(keys) ?? "A")=\(dice.pick(values) ?? "")".utf8), at: place)
        default:
            mutateRaw(&value, limit: value.count + 12)
            entries[place] = key + [UInt8(ascii: "=")] + value
        }
    }
}

private let keys = [
    "ACTION", "DEVPATH", "DEVPATH_OLD", "SUBSYSTEM", "DEVTYPE", "DEVNAME", "DEVNUM", "BUSNUM", "SEQNUM", "PRODUCT",
    "INTERFACE",
    "ID_VENDOR_ENC", "ID_VENDOR_ID", "ID_MODEL_ENC", "ID_MODEL_ID", "ID_SERIAL_SHORT", "EXTERNAL_ACCESSORY_PROTOCOLS",
    "descriptors", "product", "serial", "manufacturer", "bcdDevice", "interface", "bInterfaceClass",
    "bInterfaceSubClass",
]

private let values = [
    "", "add", "remove", "change", "move", "bind", "usb", "tty", "hidraw", "usb_device", "usb_interface",
    "/devices/usb1/1-1",
    "/devices/usb1/1-1/1-1:1.0", "/devices/usb1/1-1/1-1:1.0/tty/ttyACM0", "/dev/ttyACM0", "com.a", "com.a,com.b", "ff",
    "f0", "02",
    "001", "002", "1209", "\\x41\\x", "com.apple.\u{7f}", "1209/1/100",
]
