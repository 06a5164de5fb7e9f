// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

struct ParsedEventLine {
    /// The time in nanoseconds since the start of the trace, or nil if the line contains no valid time.
    var time: Int64?
    /// The event, or nil if the line contains no known kind of event. The caller sets the event's time and sensor.
    var record: TraceRecord?
    var sensor: JSONText?
    var isInvalidReading = false
    /// True if a key is unknown or a value is invalid.
    var hasInvalidMember = false

    init(_ line: UnsafeRawBufferPointer, offset: Int) throws(JSONError) {
        var reader = JSONReader(line)
        var stamp: Int64?
        var hasUnknownKey = false
        var hasInvalidValue = false
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("t"): time = TraceSeconds.parse(try reader.readRawValue())
            case JSONText.word("stamp"):
                stamp = TraceSeconds.parse(try reader.readRawValue())
                if stamp == nil { hasInvalidMember = true }
            case JSONText.word("sensor"):
                sensor = try reader.textIfPresent()
                if sensor == nil { hasInvalidMember = true }
            default:
                if record == nil, !isInvalidReading, let kind = SensorKind(rawValue: key.string()) {
                    try readSample(kind, &reader, offset: offset)
                } else if record == nil, let (kind, values) = Self.kind(key) {
                    let isFitting = values.contains(try reader.peekKind())
                    let json = try reader.readRawValue()
                    guard isFitting, let range = Self.range(of: json, in: line, offset: offset) else {
                        hasInvalidValue = true
                        continue
                    }
                    let isText = kind == .gpsdText
                    record = TraceRecord(
                        time: nil, kind: kind,
                        range: isText ? range.lowerBound + 1..<range.upperBound - 1 : range)
                    record?.isHexadecimal = key.word == JSONText.word("gpsdHex")
                } else if record == nil, !isInvalidReading, TraceAccessoryEvent.isKey(key) {
                    // An accessory event spans several members of the line, so the whole line is parsed on demand.
                    record = TraceRecord(time: nil, kind: .accessory, range: offset..<offset + line.count)
                    try reader.skipValue()
                } else {
                    hasUnknownKey = true
                    try reader.skipValue()
                }
            }
        }
        try reader.finish()
        // An invalid member is reported only if the line contains an event. Otherwise, the whole line is reported.
        if hasInvalidValue || isInvalidReading, record != nil { hasInvalidMember = true }
        // Unknown keys in an accessory event are not reported here. They are checked when the event is parsed.
        if hasUnknownKey, record?.kind != .accessory { hasInvalidMember = true }
        if let stamp { record?.stamp = stamp }
        if sensor != nil {
            if record?.kind == .lost { record?.kind = .sensorLost }
            if record?.kind == .regained { record?.kind = .sensorRegained }
        }
    }

    private mutating func readSample(_ kind: SensorKind, _ reader: inout JSONReader, offset: Int) throws(JSONError) {
        let isList = try reader.peekKind() == .array
        let start = reader.offset
        var value = SIMD3<Double>(repeating: 0)
        var count = 0
        if isList {
            try reader.beginArray()
            while try reader.nextElement() {
                let number = try reader.doubleIfPresent()
                if count < 3 { value[count] = number }
                count += 1
            }
        } else {
            value.x = try reader.doubleIfPresent()
            count = 1
        }
        let isComplete = kind.isVector ? isList && count == 3 : count == 1
        guard isComplete, TraceSample.isValid(value) else {
            isInvalidReading = true
            return
        }
        var sample = TraceRecord(time: nil, kind: .sample, range: offset + start..<offset + reader.offset)
        sample.sensorKind = kind
        (sample.x, sample.y, sample.z) = (value.x, value.y, value.z)
        record = sample
    }

    private static func range(
        of json: UnsafeRawBufferPointer, in line: UnsafeRawBufferPointer, offset: Int
    ) -> Range<Int>? {
        guard let start = line.baseAddress, let at = json.baseAddress else { return nil }
        let first = offset + (at - start)
        return first..<first + json.count
    }

    /// Returns the kind of event that the key denotes, and the JSON types allowed for its value.
    private static func kind(_ key: JSONText) -> (kind: TraceRecord.Kind, values: [JSONKind])? {
        switch key.word {
        case JSONText.word("gpsd"): (.gpsd, [.object])
        case JSONText.word("gpsdText"), JSONText.word("gpsdHex"): (.gpsdText, [.string])
        case JSONText.word("lost"): (.lost, [.object])
        case JSONText.word("regained"): (.regained, [.bool])
        case JSONText.word("battery"): (.battery, [.object, .null])
        case JSONText.word("beacon"): (.beacon, [.object])
        default: nil
        }
    }
}
