// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import JSONBytes

/// The JSON encoding of the battery in a trace: a level from 0 to 1 and a state.
enum TraceBattery {
    /// Parses a JSON object, or returns nil for any other value. An invalid level becomes nil, and a state from a later
    /// version becomes `unknown`.
    static func reading(_ json: UnsafeRawBufferPointer) -> BatteryReading? { JSONReader.parse(json, read) }

    /// True for null and for an object that contains only a valid level and a known state.
    static func isReadable(_ json: UnsafeRawBufferPointer) -> Bool {
        let isReadable = JSONReader.parse(json) { reader throws(JSONError) -> Bool? in
            if try reader.readNull() { return true }
            try reader.beginObject()
            while let key = try reader.nextKey() {
                switch key.word {
                case JSONText.word("level"):
                    let isNull = try reader.readNull()
                    let level = isNull ? 0 : try reader.doubleIfPresent()
                    guard level >= 0, level <= 1 else { return false }
                case JSONText.word("state"):
                    let name = try reader.textIfPresent()?.string() ?? ""
                    guard BatteryReading.State(rawValue: name) != nil else { return false }
                default: return false
                }
            }
            return true
        }
        return isReadable == true
    }

    static func read(_ reader: inout JSONReader) throws(JSONError) -> BatteryReading? {
        guard try reader.beginObjectIfPresent() else { return nil }
        var battery = BatteryReading(level: nil, state: .unknown)
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("level"):
                let level = try reader.doubleIfPresent()
                battery.level = level >= 0 && level <= 1 ? level : nil
            case JSONText.word("state"):
                let name = try reader.textIfPresent()?.string() ?? ""
                battery.state = BatteryReading.State(rawValue: name) ?? .unknown
            default: try reader.skipValue()
            }
        }
        return battery
    }
}

extension BatteryReading: JSONWritable {
    @usableFromInline
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            if let level, level >= 0, level <= 1 { writer.member("level", level) }
            writer.member("state", state.rawValue)
        }
    }
}
