// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes
import SystemCalls

/// Decodes gpsd's reports, one line at a time.
///
/// Accepts any bytes and never fails: an invalid line becomes ``GPSDReport/malformed(_:)``. Keys may be in any order,
/// and unknown keys are skipped. If a key is repeated, the last value wins. A value of the wrong type is treated as
/// absent. Supports all releases of protocol 2 (JSON since gpsd 2.90) and protocol 3.
///
/// The caller sets a report's arrival time and raw bytes. Receiver paths are cached, so a report allocates memory only
/// for its array of satellites. Not thread-safe.
package struct GPSDDecoder: Sendable {
    /// The maximum number of satellites in a report. Further satellites are ignored.
    package static let maximumSatellites = 1024
    /// The maximum number of receivers in a list. Further receivers are ignored.
    package static let maximumReceivers = 256
    /// The maximum length of a string, in bytes. A longer string is treated as absent.
    package static let maximumTextLength = 4096

    var receivers = ReceiverPathCache()
    var positionKeys = ReportKeys<PositionKey>()
    var skyKeys = ReportKeys<SkyKey>()
    var satelliteKeys = ReportKeys<SatelliteKey>()
    var attitudeKeys = ReportKeys<AttitudeKey>()
    /// A reusable satellite buffer, so that each report's array is allocated only once, at its final size.
    var satellites: [Satellite] = []
    /// The value of the most recently parsed "class" key in the line, or nil if that value is not a string.
    var lastClass: GPSDClass?
    /// The number of values in the last report that were out of range and replaced with NaN.
    package internal(set) var outOfRangeCount = 0

    /// The offset of the first value in the last report that is invalid or has the wrong type. nil if there is none.
    package internal(set) var firstInvalidOffset: Int?

    package init() {}

    /// Decodes one line, given without its terminator.
    package mutating func decode(_ line: UnsafeRawBufferPointer) -> GPSDReport {
        var position = PositionReport()
        return decode(line, position: &position) ?? .position(position)
    }

    /// Decodes one line, given without its terminator. If the line is a position report, stores it in `position` and
    /// returns nil, which avoids a copy. Otherwise, returns the report and leaves `position` undefined.
    package mutating func decode(_ line: UnsafeRawBufferPointer, position: inout PositionReport) -> GPSDReport? {
        do throws(JSONError) {
            return try report(line, &position)
        } catch {
            return malformedReport(line, error)
        }
    }

    mutating func readClass(_ reader: inout JSONReader) throws(JSONError) {
        lastClass = try reader.textIfPresent().map { GPSDClass($0) }
    }

    private mutating func report(
        _ line: UnsafeRawBufferPointer,
        _ position: inout PositionReport
    ) throws(JSONError) -> GPSDReport? {
        lastClass = nil
        outOfRangeCount = 0
        firstInvalidOffset = nil
        var reader = try Self.reader(for: line)
        var kind: GPSDClass
        if let key = try reader.nextKey(), key.word == JSONText.word("class"), let name = try reader.textIfPresent() {
            kind = GPSDClass(name)
            lastClass = kind
        } else {
            // gpsd writes the class first. If the class comes later, the line has to be parsed twice.
            reader = try Self.reader(for: line)
            _ = try skipMembers(&reader, .unknown)
            guard let last = lastClass else { return .malformed(GPSDMalformedReport(.noClass, at: 0)) }
            kind = last
            reader = try Self.reader(for: line)
        }
        while true {
            let report = try members(&reader, kind, &position)
            try reader.finish()
            if reader.firstMismatch >= 0 { firstInvalidOffset = reader.firstMismatch }
            guard let last = lastClass else { return .malformed(GPSDMalformedReport(.noClass, at: 0)) }
            if last == kind { return report }
            // If the "class" key is repeated, the last value determines the class, so the line is parsed again.
            kind = last
            (outOfRangeCount, firstInvalidOffset) = (0, nil)
            reader = try Self.reader(for: line)
        }
    }

    private mutating func members(
        _ reader: inout JSONReader,
        _ kind: GPSDClass,
        _ position: inout PositionReport
    ) throws(JSONError) -> GPSDReport? {
        switch kind {
        case .tpv:
            try readPosition(&reader, &position)
            return nil
        case .sky: return try readSky(&reader)
        case .att: return try readAttitude(&reader)
        case .version: return try readVersion(&reader)
        case .devices: return try readDevices(&reader)
        case .device: return .device(try readDevice(&reader))
        case .watch: return try readWatch(&reader)
        case .error: return try readError(&reader)
        default: return try skipMembers(&reader, kind)
        }
    }

    private mutating func skipMembers(_ reader: inout JSONReader, _ kind: GPSDClass) throws(JSONError) -> GPSDReport {
        while let key = try reader.nextKey() {
            if key.word == JSONText.word("class") {
                try readClass(&reader)
            } else {
                try reader.skipValue()
            }
        }
        return .other(kind)
    }

    private static func reader(for line: UnsafeRawBufferPointer) throws(JSONError) -> JSONReader {
        var reader = JSONReader(line)
        try reader.beginObject()
        return reader
    }

    /// Returns an empty string if the path is absent or too long.
    mutating func readReceiver(_ reader: inout JSONReader) throws(JSONError) -> String {
        guard let text = try reader.textIfPresent(), text.rawBytes.count <= Self.maximumTextLength,
            !text.rawBytes.isEmpty
        else { return "" }
        return receivers.path(for: text)
    }
}

/// A cache of receiver paths, which avoids allocating a new string for each report from a known receiver.
struct ReceiverPathCache: Sendable {
    static let capacity = 32

    private struct Entry: Sendable {
        /// The path as encoded in the report, including escapes.
        var bytes: [UInt8]
        var name: String
    }

    private var entries: [Entry] = []
    /// The index of the most recent match. It is checked first, because most streams come from a single receiver.
    private var lastFoundIndex = 0
    private var oldestIndex = 0

    mutating func path(for text: JSONText) -> String {
        func matches(_ entry: Entry) -> Bool { entry.bytes.withUnsafeBytes { $0.hasSameBytes(as: text.rawBytes) } }
        if lastFoundIndex < entries.count, matches(entries[lastFoundIndex]) { return entries[lastFoundIndex].name }
        if let index = entries.firstIndex(where: matches) {
            lastFoundIndex = index
            return entries[index].name
        }
        let entry = Entry(bytes: [UInt8](text.rawBytes), name: text.string())
        if entries.count < Self.capacity {
            lastFoundIndex = entries.count
            entries.append(entry)
        } else {
            lastFoundIndex = oldestIndex
            entries[oldestIndex] = entry
            oldestIndex = (oldestIndex + 1) % Self.capacity
        }
        return entry.name
    }
}
