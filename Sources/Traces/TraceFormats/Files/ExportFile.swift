// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import Trace

/// A text file that is written in pieces.
///
/// What is put into ``bytes`` reaches the file with ``flush()`` and ``close()``; ``flushIfLarge()`` is to be called now
/// and then, so that memory stays small. A file that is not closed, because of an error, is removed, and leaves what it
/// was to replace as it was.
struct ExportFile: ~Copyable {
    /// How many bytes may stay in memory.
    private static let capacity = 1 << 16

    /// What was not written yet.
    var bytes: [UInt8] = []
    private let output: TraceOutput
    private var isOpen = true

    /// Makes a file; "-" is standard output. One that is there already is replaced only when it may be.
    init(path: String, _ options: ExportOptions) throws(DeviceError) {
        self.init(try TraceOutput(whole: path, overwrite: options.overwrite, mode: options.mode))
    }

    /// Cannot fail: Swift 6.2 destroys the defaults of a noncopyable value twice where its initializer throws.
    private init(_ output: TraceOutput) {
        self.output = output
        bytes.reserveCapacity(Self.capacity + 4096)
    }

    deinit {
        if isOpen { output.abandon() }
    }

    /// What the file is called in messages.
    var name: String { output.name }

    /// Adds text.
    mutating func text(_ text: StaticString) { text.withUTF8Buffer { bytes.append(contentsOf: $0) } }

    /// Writes what is in memory when it has become much.
    mutating func flushIfLarge() throws(DeviceError) {
        if bytes.count >= Self.capacity { try flush() }
    }

    /// Writes what is in memory.
    mutating func flush() throws(DeviceError) {
        guard !bytes.isEmpty else { return }
        defer { bytes.removeAll(keepingCapacity: true) }
        try output.write(bytes)
    }

    /// Writes what is in memory and closes the file; nothing may be written afterwards.
    mutating func close() throws(DeviceError) {
        try flush()
        isOpen = false
        try output.close()
    }
}

extension ExportFile {
    /// Adds a number with at most so many decimals and no zeros at its end. It has to be finite and below 1e15.
    mutating func number(_ value: Double, decimals: Int) { bytes.appendNumber(value, decimals: decimals) }

    /// Adds a whole number.
    mutating func integer(_ value: Int) { bytes.append(contentsOf: String(value).utf8) }

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

extension [UInt8] {
    /// Adds a number with at most so many decimals and no zeros at its end. It has to be finite and below 1e15.
    mutating func appendNumber(_ value: Double, decimals: Int) {
        let start = count
        guard FixedDecimal.append(value, decimals: decimals, to: &self) else { return append(UInt8(ascii: "0")) }
        if decimals > 0 {
            while last == UInt8(ascii: "0") { removeLast() }
            if last == UInt8(ascii: ".") { removeLast() }
        }
        // What rounds to nothing has no sign.
        if count == start + 2, self[start] == UInt8(ascii: "-"), self[start + 1] == UInt8(ascii: "0") {
            remove(at: start)
        }
    }
}
