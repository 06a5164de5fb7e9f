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

    /// A number with at most so many decimals; empty, or the text that stands for what is not known, when it is not finite.
    mutating func number(_ value: Double, decimals: Int, unknown: StaticString = "") {
        separate()
        guard value.magnitude < 1e15 else { return unknown.withUTF8Buffer { bytes.append(contentsOf: $0) } }
        bytes.appendNumber(value, decimals: decimals)
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

/// Whole nanoseconds written as decimal seconds, every digit kept.
enum NanosecondText {
    /// Appends seconds with all nine decimals.
    static func append(_ nanoseconds: Int64, to bytes: inout [UInt8]) {
        if nanoseconds < 0 { bytes.append(UInt8(ascii: "-")) }
        let (seconds, fraction) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        bytes.append(contentsOf: String(seconds).utf8)
        bytes.append(UInt8(ascii: "."))
        var unit: UInt64 = 100_000_000
        while unit > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: fraction / unit % 10))
            unit /= 10
        }
    }
}
