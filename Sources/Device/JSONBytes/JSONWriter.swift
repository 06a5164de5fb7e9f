// SPDX-License-Identifier: Apache-2.0

/// Appends JSON to a buffer of bytes, compact and in the order of the calls.
///
/// Commas are its business; that keys stand in objects only and that everything begun is ended is the caller's.
///
///     var writer = JSONWriter()
///     writer.object { writer in
///         writer.member("class", "TPV")
///         writer.array("satellites") { writer in … }
///     }
public struct JSONWriter: Sendable {
    /// What has been written.
    public internal(set) var bytes: [UInt8]
    private var needsComma = false

    /// A writer that appends to these bytes.
    public init(appendingTo bytes: [UInt8] = []) { self.bytes = bytes }

    /// Forgets what has been written and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    /// Opens an object.
    public mutating func beginObject() { open(UInt8(ascii: "{")) }

    /// Closes the object.
    public mutating func endObject() { close(UInt8(ascii: "}")) }

    /// Opens an array.
    public mutating func beginArray() { open(UInt8(ascii: "[")) }

    /// Closes the array.
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Ends a line, after which a new text begins (JSON Lines).
    public mutating func newline() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    /// A value that is JSON already; it is not checked.
    public mutating func raw(_ json: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// `null`
    public mutating func null() { word("null") }

    /// `true` or `false`
    public mutating func bool(_ value: Bool) { word(value ? "true" : "false") }

    /// Begins a value: a comma if one is due.
    mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// After a key no comma is due.
    mutating func endKey() {
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    mutating func append(contentsOf more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

    mutating func word(_ literal: StaticString) {
        separate()
        literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }
}
