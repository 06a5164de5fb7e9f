// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Synchronization
import SystemCalls

extension TraceCursor {
    /// Goes through the rest of a native trace for its sensors alone, in a fraction of the time that reading takes.
    mutating func collectSensors(_ bytes: UnsafeRawBufferPointer) {
        passKnownSensors(bytes)
        while let (range, isEnded) = lines.next(bytes) {
            if range.isEmpty || (isEnded && namesNothingNew(bytes, range)) { continue }
            _ = nativeRecord(bytes, range, isEnded: isEnded)
        }
    }

    /// Files of fewer bytes than this are not worth the threads.
    private static let smallest = 1 << 22

    /// Passes over the lines, from here on, in which no sensor can be met for the first time. All processors look, each
    /// at a part of the file, as most traces are such lines to their end.
    private mutating func passKnownSensors(_ bytes: UnsafeRawBufferPointer) {
        let start = lines.offset
        let size = bytes.count - start
        let parts = min(8, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), size / Self.smallest)
        guard parts > 1, let base = bytes.baseAddress else { return }
        // Each part begins behind a line end.
        let starts = (0...parts).map { part -> Int in
            guard part > 0, part < parts else { return part == 0 ? start : bytes.count }
            let middle = start + size / parts * part
            let found = memchr(base + middle, Int32(UInt8(ascii: "\n")), min(bytes.count - middle, TraceLines.longest))
            return found.map { UnsafeRawPointer($0) - base + 1 } ?? bytes.count
        }
        let first = Mutex(bytes.count)
        let cursor = self
        let file = file
        // The caller keeps the bytes in place until all parts are done.
        nonisolated(unsafe) let shared = bytes
        DispatchQueue.concurrentPerform(iterations: parts) { part in
            // A line is cut at the end of the part and not behind it.
            let text = UnsafeRawBufferPointer(rebasing: shared[..<starts[part + 1]])
            var lines = TraceLines(offset: starts[part], line: 0, file: file)
            var reached = starts[part]
            while let (range, isEnded) = lines.next(text) {
                guard isEnded, cursor.namesNothingNew(text, range) else {
                    first.withLock { $0 = min($0, reached) }
                    return
                }
                reached = lines.offset
            }
        }
        lines = TraceLines(offset: first.withLock(\.self), line: 0, file: file)
    }

    /// True for a line that, whether it can be read or not, makes up no sensor: one that begins with a report of gpsd, and
    /// a reading in the form that is written here, of a sensor that is known already.
    private func namesNothingNew(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>) -> Bool {
        let end = line.upperBound
        guard Bytes.start(bytes, at: line.lowerBound, end: end, with: "{\"t\":") else { return false }
        var at = line.lowerBound &+ 5
        Self.skipNumbers(bytes, &at, end: end)
        guard let kind = SensorKind(bytes, &at, end: end) else {
            return Bytes.start(bytes, at: at, end: end, with: ",\"gpsd\":{")
        }
        if kind.isVector {
            // Whatever is in the list: one that does not end here is not followed by what is looked for below, or makes the
            // line one that cannot be read.
            guard at < end, let base = bytes.baseAddress,
                let found = memchr(base + at, Int32(UInt8(ascii: "]")), end &- at)
            else { return false }
            at = UnsafeRawPointer(found) - base &+ 1
        } else {
            Self.skipNumbers(bytes, &at, end: end)
        }
        var isKnown = table.known(kind) >= 0
        if Bytes.start(bytes, at: at, end: end, with: ",\"sensor\":\"") {
            at &+= 11
            let name = at
            while at < end, bytes[at] != UInt8(ascii: "\"") {
                if bytes[at] == UInt8(ascii: "\\") { return false }
                at &+= 1
            }
            isKnown = table.known(UnsafeRawBufferPointer(rebasing: bytes[name..<at]), kind: kind) >= 0
            at &+= 1
        }
        if Bytes.start(bytes, at: at, end: end, with: ",\"stamp\":") {
            at &+= 9
            Self.skipNumbers(bytes, &at, end: end)
        }
        return isKnown && at == end &- 1
    }

    /// Moves behind everything that numbers in a list consist of.
    @inline(__always)
    private static func skipNumbers(_ bytes: UnsafeRawBufferPointer, _ at: inout Int, end: Int) {
        let start = at
        while at < end {
            if at &+ 8 <= end {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
                let length = numberLength(word)
                at &+= length
                if length == 8 { continue }
            }
            // From "+" to "9", which takes in the comma, the minus sign, the point, and a slash that no number has.
            let byte = bytes[at]
            guard byte &- UInt8(ascii: "+") <= 14 || byte == UInt8(ascii: "e") else { break }
            at &+= 1
        }
        // A comma that a key follows ends the numbers.
        if at < end, at > start, bytes[at] == UInt8(ascii: "\""), bytes[at &- 1] == UInt8(ascii: ",") { at &-= 1 }
    }

    /// How many bytes of a word, from the lowest, are from "+" to "9".
    @inline(__always)
    private static func numberLength(_ word: UInt64) -> Int {
        let high: UInt64 = 0x8080_8080_8080_8080
        // The top bit of each byte that is above "9", and of each that is below "+". No byte carries into the next.
        let above = (word & ~high) &+ 0x4646_4646_4646_4646 | word
        let below = ~((word | high) &- 0x2b2b_2b2b_2b2b_2b2b)
        return ((above | below) & high).trailingZeroBitCount &>> 3
    }
}
