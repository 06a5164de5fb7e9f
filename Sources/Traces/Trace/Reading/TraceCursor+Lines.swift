// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import SystemCalls

extension TraceCursor {
    /// Returns the event in a line of a native trace, or nil if the line is invalid or the kind of event is unknown.
    @inline(__always)
    mutating func nativeRecord(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>, isEnded: Bool) -> TraceRecord? {
        let end = line.upperBound
        if isEnded, ByteMatching.hasPrefix(bytes, at: line.lowerBound, end: end, "{\"t\":") {
            var at = line.lowerBound &+ 5
            if let time = TraceSeconds.scan(bytes, &at, end: end) {
                if let range = Self.canonicalReport(bytes, at, end: end) {
                    return TraceRecord(time: nondecreasingTime(time), kind: .gpsd, range: range)
                }
                if var record = canonicalSample(bytes, at, end: end) {
                    record.time = nondecreasingTime(time)
                    return record
                }
            }
        }
        return event(bytes, line, isEnded: isEnded)
    }

    /// Finds the report in a line with the trace writer's layout, such as `{"t":12.5,"gpsd":{…}}`. Parsing starts after
    /// the time and does not validate the report. Returns nil for any other layout, which requires the full parser.
    @inline(__always)
    private static func canonicalReport(_ bytes: UnsafeRawBufferPointer, _ at: Int, end: Int) -> Range<Int>? {
        guard ByteMatching.hasPrefix(bytes, at: at, end: end, ",\"gpsd\":{"), let base = bytes.baseAddress else {
            return nil
        }
        let start = at &+ 8
        guard end &- start >= 3, bytes[end &- 1] == UInt8(ascii: "}"), bytes[end &- 2] == UInt8(ascii: "}") else {
            return nil
        }
        // A line that contains `},"` is left to the full parser, because another member may follow the report. Within a
        // report, this sequence is rare.
        var search = start
        while let found = memchr(base + search, Int32(UInt8(ascii: "}")), end &- 2 &- search) {
            search = UnsafeRawPointer(found) - base &+ 1
            var next = search
            while next < end, ByteMatching.isBlank(bytes[next]) { next &+= 1 }
            guard next < end, bytes[next] == UInt8(ascii: ",") else { continue }
            next &+= 1
            while next < end, ByteMatching.isBlank(bytes[next]) { next &+= 1 }
            if next < end, bytes[next] == UInt8(ascii: "\"") { return nil }
        }
        return start..<end &- 1
    }

    /// Parses a line whose members may be in any order, with any whitespace between them.
    @inline(never)
    private mutating func event(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>, isEnded: Bool) -> TraceRecord? {
        let text = UnsafeRawBufferPointer(rebasing: bytes[line])
        var contents: ParsedEventLine
        do throws(JSONError) {
            contents = try ParsedEventLine(text, offset: line.lowerBound)
        } catch {
            skipMalformed(isEnded: isEnded)
            return nil
        }
        if var record = contents.record {
            switch record.kind {
            case .sample:
                let kind = record.sensorKind
                record.sensorIndex =
                    contents.sensor.map { sensorTable.findOrAdd($0.string(), kind: kind) }
                    ?? sensorTable.findOrAddDefault(kind)
            case .sensorLost, .sensorRegained:
                record.sensorIndex = contents.sensor.map { sensorTable.findOrAddDefault($0.string()) } ?? -1
            case .accessory:
                let event = TraceAccessoryEvent(line: text)
                guard let event, accessories.apply(event) else {
                    skip(event == nil ? .invalidAccessoryEvent : .unknownAccessory)
                    return nil
                }
            case .beacon:
                let json = UnsafeRawBufferPointer(rebasing: bytes[record.range])
                guard TraceBeacon.event(json, at: .zero) != nil else {
                    skip(.invalidBeaconEvent)
                    return nil
                }
            case .gpsd, .gpsdText, .lost, .regained, .battery: break
            }
            if [.sample, .sensorLost, .sensorRegained].contains(record.kind) {
                guard record.sensorIndex >= 0 else {
                    skip(.unknownSensor)
                    return nil
                }
                record.sensorKind = sensorTable.descriptions[Int(record.sensorIndex)].kind
            }
            let isFullyValid = record.kind != .battery || record.hasFullyValidBattery(in: bytes)
            if contents.hasInvalidMember || !isFullyValid { warn(.invalidMember) }
            record.time = contents.time.map { nondecreasingTime($0) } ?? timeOfPreviousEvent()
            return record
        }
        if contents.isInvalidReading {
            skip(.invalidReading)
        } else if contents.hasInvalidMember {
            skip(.unknownKind)
        } else {
            skipMalformed(isEnded: true)
        }
        return nil
    }
}

extension TraceCursor {
    /// Returns the report in a line of gpsd output, or nil if the line contains no report.
    mutating func gpsdRecord(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>, isEnded: Bool) -> TraceRecord? {
        var start = line.lowerBound
        stamp = nil
        switch bytes[start] {
        case UInt8(ascii: "{"): break
        case UInt8(ascii: "$"), UInt8(ascii: "!"), UInt8(ascii: "#"):
            if bytes[start] != UInt8(ascii: "#") { sentenceCount &+= 1 }
            skippedLines &+= 1
            return nil
        default:
            guard let report = ArrivalStamp.reportStart(bytes, line) else {
                if ArrivalStamp.isStampedSentence(bytes, line) { skippedLines &+= 1 } else { skip(.notAReport) }
                return nil
            }
            stamp = ArrivalStamp.time(UnsafeRawBufferPointer(rebasing: bytes[start..<report - 2]))
            start = report
        }
        let range = start..<line.upperBound
        // A final line without a line feed may be truncated, so its JSON is checked for completeness.
        let isWhole = isEnded || JSONReader.isCompleteValue(UnsafeRawBufferPointer(rebasing: bytes[range]))
        guard bytes[line.upperBound &- 1] == UInt8(ascii: "}"), isWhole else {
            skipMalformed(isEnded: isEnded)
            return nil
        }
        return TraceRecord(time: arrivalTime(isStamped: start > line.lowerBound), kind: .gpsd, range: range)
    }
}
