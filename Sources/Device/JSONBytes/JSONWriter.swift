// SPDX-License-Identifier: Apache-2.0

/// Appends compact JSON to a byte buffer, in the order of the calls.
///
/// The writer inserts commas. The caller must write keys only inside objects, and close every object and array.
///
///     var writer = JSONWriter()
///     writer.object { writer in
///         writer.member("class", "TPV")
///         writer.array("satellites") { writer in … }
///     }
@usableFromInline package struct JSONWriter: Sendable {
    package internal(set) var bytes: [UInt8]
    private var needsComma = false

    package init(appendingTo bytes: [UInt8] = []) { self.bytes = bytes }

    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    @usableFromInline package mutating func beginObject() { open(UInt8(ascii: "{")) }
    @usableFromInline package mutating func endObject() { close(UInt8(ascii: "}")) }
    @usableFromInline package mutating func beginArray() { open(UInt8(ascii: "[")) }
    @usableFromInline package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Ends the line, so that a new JSON text can begin (JSON Lines).
    package mutating func newline() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    /// Appends a value that is already encoded as JSON, without validating it.
    package mutating func raw(_ json: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
    }

    @usableFromInline package mutating func null() { word("null") }
    @usableFromInline package mutating func bool(_ value: Bool) { word(value ? "true" : "false") }

    mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

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
