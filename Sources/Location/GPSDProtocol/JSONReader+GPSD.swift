// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

// Reads gpsd's values. A value that has the wrong type or is out of range is treated as absent.
extension JSONReader {
    @inline(__always) mutating func quantity() throws(JSONError) -> Double {
        let value = try doubleIfPresent()
        return value.isFinite ? value : .nan
    }

    mutating func count(absent: Int32 = -1) throws(JSONError) -> Int32 {
        let start = offset
        guard let value = try int64IfPresent() else { return absent }
        guard let count = Int32(exactly: value) else {
            recordMismatch(at: start)
            return absent
        }
        return count
    }

    /// Reads an integer from 0 to 255.
    mutating func smallNumber(absent: UInt8 = 0) throws(JSONError) -> UInt8 {
        let start = offset
        guard let value = try int64IfPresent() else { return absent }
        guard value >= 0, value <= 255 else {
            recordMismatch(at: start)
            return absent
        }
        return UInt8(truncatingIfNeeded: value)
    }

    mutating func fixMode() throws(JSONError) -> FixMode {
        let start = offset
        if let mode = FixMode(rawValue: try smallNumber()) { return mode }
        recordMismatch(at: start)
        return .unknown
    }

    /// Returns an empty string if the string is absent or too long.
    mutating func shortString() throws(JSONError) -> String {
        guard let text = try textIfPresent(), text.rawBytes.count <= GPSDDecoder.maximumTextLength else { return "" }
        return text.string()
    }

    /// Reads a time in ISO 8601 format (since gpsd 3.0) or in seconds since 1970 (earlier versions).
    mutating func wallTime() throws(JSONError) -> WallTime? {
        let kind = try peekKind()
        let start = offset
        var time: WallTime?
        switch kind {
        case .string:
            let text = try readText()
            time = text.hasEscapes ? nil : WallTime(iso8601: text.rawBytes)
        case .number: time = WallTime(decimal: try readRawValue())
        default: try skipValue()
        }
        if time == nil, kind != .null { recordMismatch(at: start) }
        return time
    }

    /// Reads a receiver's `activated` member, which is 0 or empty after the receiver has been removed.
    mutating func readIsActivated() throws(JSONError) -> Bool {
        switch try peekKind() {
        case .string: return try !readText().rawBytes.isEmpty
        case .number: return try readDouble() != 0
        default:
            try skipValue()
            return true
        }
    }
}
