// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// Renames receivers in gpsd's reports and leaves all other bytes unchanged.
struct ReceiverRenaming {
    private struct Replacement {
        var range: Range<Int>
        var text: [UInt8]
    }

    /// The classes of reports that always come from a receiver, even if they do not name it.
    private static let measurementClasses: Set = ["TPV", "SKY", "ATT", "GST", "IMU"]
    /// The new receiver names, keyed by the old names. The new name for the empty string, if any, is added to
    /// measurement reports without a receiver name.
    let names: [String: String]

    /// Returns the report with the new names, or the unchanged report if no name applies or the report is malformed.
    func apply(to line: [UInt8]) -> [UInt8] {
        guard !names.isEmpty else { return line }
        let changes = line.withUnsafeBytes { bytes -> [Replacement] in
            do throws(JSONError) { return try replacements(in: bytes) } catch { return [] }
        }
        var result = line
        for replacement in changes.reversed() { result.replaceSubrange(replacement.range, with: replacement.text) }
        return result
    }

    /// Returns the ranges to replace and their replacements, in ascending order.
    private func replacements(in bytes: UnsafeRawBufferPointer) throws(JSONError) -> [Replacement] {
        var reader = JSONReader(bytes)
        var className = ""
        var hasDevice = false
        var replacements: [Replacement] = []
        var path: Replacement?
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key.string() {
            case "class": className = try reader.textIfPresent()?.string() ?? ""
            case "device":
                hasDevice = true
                if let replacement = try renamed(&reader) { replacements.append(replacement) }
            case "path": path = try renamed(&reader)
            case "devices": try addPathReplacements(&reader, to: &replacements)
            default: try reader.skipValue()
            }
        }
        let brace = reader.offset - 1
        if className == "DEVICE", let path { replacements.append(path) }
        if !hasDevice, Self.measurementClasses.contains(className), let new = names[""] {
            replacements.append(Replacement(range: brace..<brace, text: Array(",\"device\":".utf8) + Self.quoted(new)))
        }
        return replacements.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    private func addPathReplacements(_ reader: inout JSONReader, to replacements: inout [Replacement]) throws(JSONError)
    {
        guard try reader.beginArrayIfPresent() else { return }
        while try reader.nextElement() {
            guard try reader.beginObjectIfPresent() else { continue }
            while let key = try reader.nextKey() {
                if key.string() != "path" {
                    try reader.skipValue()
                } else if let replacement = try renamed(&reader) {
                    replacements.append(replacement)
                }
            }
        }
    }

    /// Reads a name and returns its replacement, or nil if the name does not change or is not a string.
    private func renamed(_ reader: inout JSONReader) throws(JSONError) -> Replacement? {
        guard let text = try reader.textIfPresent(), let new = names[text.string()] else { return nil }
        // The range includes the quotation marks.
        return Replacement(range: reader.offset - text.rawBytes.count - 2..<reader.offset, text: Self.quoted(new))
    }

    private static func quoted(_ text: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.string(text)
        return writer.bytes
    }
}
