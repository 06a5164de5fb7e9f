// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import JSONBytes

/// A battery reading in a trace, encoded as JSON with a level from 0 to 1 and a state.
enum TraceBattery {
    /// Parses a battery reading from a JSON object, or returns nil for any other JSON value. An invalid level becomes
    /// nil, and a state that this version does not know becomes `unknown`.
    static func reading(_ json: UnsafeRawBufferPointer) -> BatteryReading? { JSONReader.parse(json, read) }

    static func read(_ reader: inout JSONReader) throws(JSONError) -> BatteryReading? { try parse(&reader).battery }

    /// True if the JSON is null, or an object whose members are all known and valid. Otherwise, reading the trace
    /// produces a warning, although `reading(_:)` may still return a reading.
    static func isFullyValid(_ json: UnsafeRawBufferPointer) -> Bool {
        JSONReader.parse(json) { reader throws(JSONError) in try parse(&reader).isFullyValid } == true
    }

    private static func parse(
        _ reader: inout JSONReader
    ) throws(JSONError) -> (battery: BatteryReading?, isFullyValid: Bool) {
        let isNull = try reader.peekKind() == .null
        guard try reader.beginObjectIfPresent() else { return (nil, isNull) }
        var battery = BatteryReading(level: nil, state: .unknown)
        var isFullyValid = true
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("level"):
                let isUnknown = try reader.peekKind() == .null
                let level = try reader.doubleIfPresent()
                battery.level = level >= 0 && level <= 1 ? level : nil
                if battery.level == nil, !isUnknown { isFullyValid = false }
            case JSONText.word("state"):
                let state = BatteryReading.State(rawValue: try reader.textIfPresent()?.string() ?? "")
                battery.state = state ?? .unknown
                if state == nil { isFullyValid = false }
            default:
                try reader.skipValue()
                isFullyValid = false
            }
        }
        return (battery, isFullyValid)
    }
}

extension BatteryReading: JSONWritable {
    @usableFromInline package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            if let level, level >= 0, level <= 1 { writer.member("level", level) }
            writer.member("state", state.rawValue)
        }
    }
}
