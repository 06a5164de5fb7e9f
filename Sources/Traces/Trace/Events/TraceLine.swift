// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Writes the start and end of a trace line, and reads a line's time without parsing the rest. The time can be read
/// only if the line begins exactly as this module writes it.
package enum TraceLine {
    /// Begins a line with the time and `key`, the text between the time and the value, such as `,"pressure":`.
    static func begin(_ key: StaticString, _ time: Int64, _ buffer: inout [UInt8]) {
        append("{\"t\":", &buffer)
        TraceSeconds.append(time, to: &buffer)
        append(key, &buffer)
    }

    static func end(_ buffer: inout [UInt8]) { append("}\n", &buffer) }

    static func append(_ literal: StaticString, _ buffer: inout [UInt8]) {
        literal.withUTF8Buffer { buffer.append(contentsOf: $0) }
    }

    /// Returns the time in nanoseconds since the start of the trace, or nil if the line does not begin with a time.
    package static func time(_ line: UnsafeRawBufferPointer) -> Int64? {
        guard ByteMatching.hasPrefix(line, at: 0, end: line.count, "{\"t\":") else { return nil }
        var at = 5
        return TraceSeconds.scan(line, &at, end: line.count)
    }

    /// True if the line contains a reading from a motion sensor.
    package static func isReading(_ line: UnsafeRawBufferPointer) -> Bool {
        guard ByteMatching.hasPrefix(line, at: 0, end: line.count, "{\"t\":") else { return false }
        var at = 5
        guard TraceSeconds.scan(line, &at, end: line.count) != nil else { return false }
        return SensorKind(line, &at, end: line.count) != nil
    }
}

/// Bounds-checked functions that inspect raw bytes.
enum ByteMatching {
    /// True for a byte that may pad a line: a space, a tab, a carriage return or a zero byte. After a power failure, a
    /// file often ends with zero bytes.
    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0d || byte == 0x09 || byte == 0 }

    @inline(__always)
    static func hasPrefix(_ bytes: UnsafeRawBufferPointer, at start: Int, end: Int, _ literal: StaticString) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard start >= 0, end <= bytes.count, end &- start >= count else { return false }
        var index = 0
        while index < count {
            guard bytes[start &+ index] == literal.utf8Start[index] else { return false }
            index &+= 1
        }
        return true
    }
}
