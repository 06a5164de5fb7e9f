// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

extension TraceCursor {
    /// Parses the reading in a line such as `{"t":12.5,"gyroscope":[0.1,0.2,0.3]}`. Parsing starts after the time. The
    /// reading may be followed by a sensor, a stamp, or both in this order. Returns nil for any other layout, which
    /// requires the full parser.
    @inline(__always)
    mutating func canonicalSample(_ bytes: UnsafeRawBufferPointer, _ start: Int, end: Int) -> TraceRecord? {
        // The shortest possible reading is `,"pressure":0}`.
        guard end &- start >= 14, bytes[start] == UInt8(ascii: ",") else { return nil }
        var at = start
        guard let kind = SensorKind(bytes, &at, end: end) else { return nil }
        return plainSample(kind, bytes, at, end: end)
    }

    @inline(never) private mutating func plainSample(
        _ kind: SensorKind, _ bytes: UnsafeRawBufferPointer, _ start: Int, end: Int
    ) -> TraceRecord? {
        // A vector's key includes the opening bracket, so `start` is just after the bracket. Parsing starts one byte
        // earlier, at the bracket itself.
        let first = start &- (kind.isVector ? 1 : 0)
        var record = TraceRecord(time: nil, kind: .sample, range: first..<first)
        var at = first
        do throws(JSONError) {
            var reader = JSONReader(UnsafeRawBufferPointer(rebasing: bytes[first..<end]))
            if kind.isVector {
                try reader.beginArray()
                guard try reader.nextElement() else { return nil }
                record.x = try reader.readDouble()
                guard try reader.nextElement() else { return nil }
                record.y = try reader.readDouble()
                guard try reader.nextElement() else { return nil }
                record.z = try reader.readDouble()
                guard try !reader.nextElement() else { return nil }
            } else {
                record.x = try reader.readDouble()
            }
            at = first &+ reader.offset
        } catch {
            return nil
        }
        guard at < end, TraceSample.isValid(SIMD3(record.x, record.y, record.z)) else { return nil }
        record.range = first..<at
        record.sensorKind = kind
        if ByteMatching.hasPrefix(bytes, at: at, end: end, ",\"sensor\":\"") {
            at &+= 11
            let name = at
            while at < end, bytes[at] != UInt8(ascii: "\"") {
                // A name with an escape sequence requires the full parser. A control character makes the line invalid.
                if bytes[at] == UInt8(ascii: "\\") || bytes[at] < 0x20 { return nil }
                at &+= 1
            }
            guard at < end else { return nil }
            record.sensorIndex = sensorTable.index(of: UnsafeRawBufferPointer(rebasing: bytes[name..<at]), kind: kind)
            at &+= 1
        } else {
            record.sensorIndex = sensorTable.defaultIndex(of: kind)
        }
        if ByteMatching.hasPrefix(bytes, at: at, end: end, ",\"stamp\":") {
            at &+= 9
            guard let stamp = TraceSeconds.scan(bytes, &at, end: end) else { return nil }
            record.stamp = stamp
        }
        // A sensor that appears for the first time requires the full parser.
        guard at == end &- 1, bytes[at] == UInt8(ascii: "}"), record.sensorIndex >= 0 else { return nil }
        return record
    }
}
