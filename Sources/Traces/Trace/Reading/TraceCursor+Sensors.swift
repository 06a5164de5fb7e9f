// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Synchronization
import SystemCalls

extension TraceCursor {
    /// Finds the sensors in the rest of a native trace. This is much faster than reading the events.
    mutating func collectSensors(_ bytes: UnsafeRawBufferPointer) {
        skipKnownSensors(bytes)
        while let (range, isEnded) = lines.next(bytes) {
            if range.isEmpty || (isEnded && introducesNoSensor(bytes, range)) { continue }
            _ = nativeRecord(bytes, range, isEnded: isEnded)
        }
    }

    /// The minimum number of bytes per thread (4 MiB). For fewer bytes, starting a thread costs more time than it
    /// saves.
    private static let minimumPartSize = 1 << 22

    /// Skips to the first line that may introduce a sensor. Up to eight threads search parts of the file concurrently.
    private mutating func skipKnownSensors(_ bytes: UnsafeRawBufferPointer) {
        let start = lines.offset
        let size = bytes.count - start
        let parts = min(8, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), size / Self.minimumPartSize)
        guard parts > 1, let base = bytes.baseAddress else { return }
        // Each part begins after a line feed.
        let starts = (0...parts).map { part -> Int in
            guard part > 0, part < parts else { return part == 0 ? start : bytes.count }
            let middle = start + size / parts * part
            let found = memchr(
                base + middle, Int32(UInt8(ascii: "\n")), min(bytes.count - middle, TraceLines.maximumLength))
            return found.map { UnsafeRawPointer($0) - base + 1 } ?? bytes.count
        }
        let first = Mutex(bytes.count)
        let cursor = self
        let file = file
        // The threads only read the bytes, which stay valid until `concurrentPerform` returns.
        nonisolated(unsafe) let shared = bytes
        DispatchQueue.concurrentPerform(iterations: parts) { part in
            // The buffer ends where the part ends, so the last line cannot extend into the next part.
            let text = UnsafeRawBufferPointer(rebasing: shared[..<starts[part + 1]])
            var lines = TraceLines(offset: starts[part], line: 0, file: file)
            var checkedEnd = starts[part]
            while let (range, isEnded) = lines.next(text) {
                guard isEnded, cursor.introducesNoSensor(text, range) else {
                    first.withLock { $0 = min($0, checkedEnd) }
                    return
                }
                checkedEnd = lines.offset
            }
        }
        // The line number is now unknown. Only warnings need it, and this cursor is used only to find sensors.
        lines = TraceLines(offset: first.withLock(\.self), line: 0, file: file)
    }

    /// True if the line is known not to introduce a sensor: it has the trace writer's layout, and contains a gpsd
    /// report or a reading of a known sensor. The line is not validated.
    private func introducesNoSensor(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>) -> Bool {
        let end = line.upperBound
        guard ByteMatching.hasPrefix(bytes, at: line.lowerBound, end: end, "{\"t\":") else { return false }
        var at = line.lowerBound &+ 5
        Self.skipNumbers(bytes, &at, end: end)
        guard let kind = SensorKind(bytes, &at, end: end) else {
            return ByteMatching.hasPrefix(bytes, at: at, end: end, ",\"gpsd\":{")
        }
        if kind.isVector {
            // The values in the list are not checked. In a valid line, the first closing bracket ends the list.
            guard at < end, let base = bytes.baseAddress,
                let found = memchr(base + at, Int32(UInt8(ascii: "]")), end &- at)
            else { return false }
            at = UnsafeRawPointer(found) - base &+ 1
        } else {
            Self.skipNumbers(bytes, &at, end: end)
        }
        var isKnown = sensorTable.defaultIndex(of: kind) >= 0
        if ByteMatching.hasPrefix(bytes, at: at, end: end, ",\"sensor\":\"") {
            at &+= 11
            let name = at
            while at < end, bytes[at] != UInt8(ascii: "\"") {
                if bytes[at] == UInt8(ascii: "\\") { return false }
                at &+= 1
            }
            isKnown = sensorTable.index(of: UnsafeRawBufferPointer(rebasing: bytes[name..<at]), kind: kind) >= 0
            at &+= 1
        }
        if ByteMatching.hasPrefix(bytes, at: at, end: end, ",\"stamp\":") {
            at &+= 9
            Self.skipNumbers(bytes, &at, end: end)
        }
        return isKnown && at == end &- 1
    }

    /// Advances the offset past numbers and the commas between them.
    @inline(__always) private static func skipNumbers(_ bytes: UnsafeRawBufferPointer, _ at: inout Int, end: Int) {
        let start = at
        while at < end {
            if at &+ 8 <= end {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
                let length = numberLength(word)
                at &+= length
                if length == 8 { continue }
            }
            // The range from "+" to "9" contains the digits, the comma, the minus sign, the decimal point and the
            // slash.
            let byte = bytes[at]
            guard byte &- UInt8(ascii: "+") <= 14 || byte == UInt8(ascii: "e") else { break }
            at &+= 1
        }
        // The comma before a key is not part of the numbers, so the offset moves back to it.
        if at < end, at > start, bytes[at] == UInt8(ascii: "\""), bytes[at &- 1] == UInt8(ascii: ",") { at &-= 1 }
    }

    /// Returns the number of consecutive bytes in the range from "+" to "9" at the start of the word. The first byte is
    /// the least significant one.
    @inline(__always) private static func numberLength(_ word: UInt64) -> Int {
        let high: UInt64 = 0x8080_8080_8080_8080
        // Sets the top bit of each byte above "9" or below "+". No carry crosses a byte boundary.
        let above = (word & ~high) &+ 0x4646_4646_4646_4646 | word
        let below = ~((word | high) &- 0x2b2b_2b2b_2b2b_2b2b)
        return ((above | below) & high).trailingZeroBitCount &>> 3
    }
}
