// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// Gives receivers other names in gpsd's reports, and leaves every other byte as it is.
struct ReceiverRenaming {
    private struct Place {
        var range: Range<Int>
        var text: [UInt8]
    }

    /// Classes that come from a receiver, also where they do not say which.
    private static let measurements: Set = ["TPV", "SKY", "ATT", "GST", "IMU"]

    /// The new names by the former ones; that for an empty name is given to reports without any.
    let names: [String: String]

    /// The report with the new names; the same where it says none of the former ones, or cannot be read.
    func apply(to line: [UInt8]) -> [UInt8] {
        guard !names.isEmpty else { return line }
        let changes = line.withUnsafeBytes { bytes -> [Place] in
            do throws(JSONError) { return try places(in: bytes) } catch { return [] }
        }
        var result = line
        for place in changes.reversed() { result.replaceSubrange(place.range, with: place.text) }
        return result
    }

    /// What is to be written where, in order.
    private func places(in bytes: UnsafeRawBufferPointer) throws(JSONError) -> [Place] {
        var reader = JSONReader(bytes)
        var name = ""
        var hasDevice = false
        var places: [Place] = []
        var path: Place?
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key.string() {
            case "class": name = try reader.textIfPresent()?.string() ?? ""
            case "device":
                hasDevice = true
                if let place = try renamed(&reader) { places.append(place) }
            case "path": path = try renamed(&reader)
            case "devices": try addPaths(&reader, to: &places)
            default: try reader.skipValue()
            }
        }
        let end = reader.offset - 1
        if name == "DEVICE", let path { places.append(path) }
        if !hasDevice, Self.measurements.contains(name), let new = names[""] {
            places.append(Place(range: end..<end, text: Array(",\"device\":".utf8) + Self.quoted(new)))
        }
        return places.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    private func addPaths(_ reader: inout JSONReader, to places: inout [Place]) throws(JSONError) {
        guard try reader.beginArrayIfPresent() else { return }
        while try reader.nextElement() {
            guard try reader.beginObjectIfPresent() else { continue }
            while let key = try reader.nextKey() {
                if key.string() != "path" {
                    try reader.skipValue()
                } else if let place = try renamed(&reader) {
                    places.append(place)
                }
            }
        }
    }

    /// The place of the name that comes next; nil where it stays, and for what is no name.
    private func renamed(_ reader: inout JSONReader) throws(JSONError) -> Place? {
        guard let text = try reader.textIfPresent(), let new = names[text.string()] else { return nil }
        // With its quotes.
        return Place(range: reader.offset - text.rawBytes.count - 2..<reader.offset, text: Self.quoted(new))
    }

    private static func quoted(_ text: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.string(text)
        return writer.bytes
    }
}
