// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// What a line of a native trace holds.
struct EventContents {
    /// Nanoseconds since the start; nil when the line says none that can be read.
    var time: Int64?
    /// The event, without its time; nil when the line holds none that is known here.
    var record: TraceRecord?
    /// The first key that is not known here.
    var unknown: JSONText?

    /// Reads one line, which stands at that offset of the file.
    init(_ line: UnsafeRawBufferPointer, offset: Int) throws(JSONError) {
        var reader = JSONReader(line)
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key.word == JSONText.word("t") {
                time = TraceSeconds.parse(try reader.readRawValue())
            } else if let (kind, value) = Self.kind(key), record == nil {
                let isFitting = try reader.peekKind() == value
                let json = try reader.readRawValue()
                guard isFitting, let start = line.baseAddress, let at = json.baseAddress else { continue }
                let first = offset + (at - start)
                var range = first..<first + json.count
                if value == .string { range = range.lowerBound + 1..<range.upperBound - 1 }
                record = TraceRecord(time: nil, kind: kind, range: range)
                record?.isHexadecimal = key.word == JSONText.word("gpsdHex")
            } else {
                if unknown == nil { unknown = key }
                try reader.skipValue()
            }
        }
        try reader.finish()
    }

    /// What a key announces, and what its value has to be.
    private static func kind(_ key: JSONText) -> (kind: TraceRecord.Kind, value: JSONKind)? {
        switch key.word {
        case JSONText.word("gpsd"): (.gpsd, .object)
        case JSONText.word("gpsdText"), JSONText.word("gpsdHex"): (.gpsdText, .string)
        case JSONText.word("lost"): (.lost, .object)
        case JSONText.word("regained"): (.regained, .bool)
        default: nil
        }
    }
}
