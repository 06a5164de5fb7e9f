// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Writes comma-separated text (RFC 4180, with plain line feeds).
struct CSVWriter {
    /// What has been written.
    private(set) var bytes: [UInt8] = []
    private var isFirst = true

    /// A text; quoted when it has to be.
    mutating func cell(_ text: String) {
        separate()
        let needsQuotes = text.utf8.contains { [UInt8(ascii: ","), UInt8(ascii: "\""), 10, 13].contains($0) }
        if needsQuotes {
            bytes.append(UInt8(ascii: "\""))
            bytes.append(contentsOf: text.replacing("\"", with: "\"\"").utf8)
            bytes.append(UInt8(ascii: "\""))
        } else {
            bytes.append(contentsOf: text.utf8)
        }
    }

    /// A number in the shortest form that reads back as the same value; empty when it is not finite.
    mutating func number(_ value: Double) {
        separate()
        guard value.isFinite else { return }
        var text = value.description
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// A whole number.
    mutating func integer(_ value: Int64) {
        separate()
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Nanoseconds as seconds with nine decimals.
    mutating func seconds(_ nanoseconds: Int64) {
        separate()
        NanosecondText.append(nanoseconds, to: &bytes)
    }

    /// Ends the row.
    mutating func endRow() {
        bytes.append(UInt8(ascii: "\n"))
        isFirst = true
    }

    /// Hands over what has been written.
    mutating func takeBytes() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    private mutating func separate() {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
    }
}
