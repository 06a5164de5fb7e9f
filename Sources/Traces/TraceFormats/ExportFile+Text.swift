// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

extension ExportFile {
    /// Adds a number with at most so many decimals and no zeros at its end. It has to be finite and below 1e15.
    mutating func number(_ value: Double, decimals: Int) {
        let start = bytes.count
        guard FixedDecimal.append(value, decimals: decimals, to: &bytes) else {
            bytes.append(UInt8(ascii: "0"))
            return
        }
        if decimals > 0 {
            while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
            if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        }
        // What rounds to nothing has no sign.
        if bytes.count == start + 2, bytes[start] == UInt8(ascii: "-"), bytes[start + 1] == UInt8(ascii: "0") {
            bytes.remove(at: start)
        }
    }

    /// Adds a whole number.
    mutating func integer(_ value: Int) {
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Adds a time in UTC with as many decimals as it needs: none, three or nine.
    mutating func time(_ time: WallTime) {
        let fraction = time.nanoseconds % 1_000_000_000
        let decimals = fraction == 0 ? 0 : fraction % 1_000_000 == 0 ? 3 : 9
        CivilDate(time).appendISO8601(decimals: decimals, to: &bytes)
    }

    /// Adds text of XML, without the characters that XML has none for.
    mutating func escaped(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "<"): self.text("&lt;")
            case UInt8(ascii: ">"): self.text("&gt;")
            case UInt8(ascii: "&"): self.text("&amp;")
            case UInt8(ascii: "\""): self.text("&quot;")
            case 0..<0x20 where byte != 0x09 && byte != 0x0a: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
    }

    /// Adds an element with a number in it, where there is one.
    mutating func element(_ name: StaticString, _ value: Double, decimals: Int) {
        guard value.magnitude < FixedDecimal.limit else { return }
        open(name)
        number(value, decimals: decimals)
        close(name)
    }

    /// Adds an element with a count in it, where there is one.
    mutating func element(_ name: StaticString, _ count: Int32) {
        guard count >= 0 else { return }
        open(name)
        integer(Int(count))
        close(name)
    }

    /// Adds an element with a text in it, where there is one.
    mutating func element(_ name: StaticString, _ text: String) {
        guard !text.isEmpty else { return }
        open(name)
        escaped(text)
        close(name)
    }

    mutating func open(_ name: StaticString) {
        bytes.append(UInt8(ascii: "<"))
        text(name)
        bytes.append(UInt8(ascii: ">"))
    }

    mutating func close(_ name: StaticString) {
        text("</")
        text(name)
        bytes.append(UInt8(ascii: ">"))
    }
}
