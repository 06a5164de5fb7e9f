// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A line of a native trace: how it begins and ends, and what can be seen of it without reading all of it. Made for
/// lines as they are written here.
package enum TraceLine {
    /// Appends the beginning of a line: the time, and the key of what happened.
    ///
    /// - Parameter key: with the comma before it and the colon behind it, and as much of the value as is always the same.
    static func begin(_ key: StaticString, _ time: Int64, _ buffer: inout [UInt8]) {
        append("{\"t\":", &buffer)
        TraceSeconds.append(time, to: &buffer)
        append(key, &buffer)
    }

    /// Appends the end of a line.
    static func end(_ buffer: inout [UInt8]) { append("}\n", &buffer) }

    static func append(_ literal: StaticString, _ buffer: inout [UInt8]) {
        literal.withUTF8Buffer { buffer.append(contentsOf: $0) }
    }

    /// When its event happened, in nanoseconds since the start; nil when it does not begin with that.
    package static func time(_ line: UnsafeRawBufferPointer) -> Int64? {
        guard Bytes.start(line, at: 0, end: line.count, with: "{\"t\":") else { return nil }
        var at = 5
        return TraceSeconds.scan(line, &at, end: line.count)
    }

    /// True for a reading of a motion sensor.
    package static func isReading(_ line: UnsafeRawBufferPointer) -> Bool {
        guard Bytes.start(line, at: 0, end: line.count, with: "{\"t\":") else { return false }
        var at = 5
        guard TraceSeconds.scan(line, &at, end: line.count) != nil else { return false }
        return SensorKind(line, &at, end: line.count) != nil
    }
}

/// Small questions about bytes; every one checks its bounds.
enum Bytes {
    /// True for what may stand around a line without belonging to it. A file that lost its end in a power cut is often
    /// padded with zero bytes.
    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0d || byte == 0x09 || byte == 0 }

    /// True when the literal stands there.
    @inline(__always)
    static func start(_ bytes: UnsafeRawBufferPointer, at start: Int, end: Int, with literal: StaticString) -> Bool {
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
