// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace
import TraceEditing

/// Reads the events of a ring's segments, some of which may be missing. Holds one segment in memory at a time.
struct RingReader {
    private struct Segment {
        var path: String
        /// nil if the header is damaged. In that case, the segment's lines are read with another segment's header.
        var segmentHeader: RingSegmentHeader?
    }

    /// The header of the last readable segment, which has the most accurate civil time.
    private(set) var header: TraceHeader?
    private(set) var triggers: [RingTrigger] = []
    private(set) var remarks: [String] = []
    /// The paths of segments that were not read completely. Like ``remarks``, this list is complete only after
    /// ``forEach(_:)`` has returned.
    private(set) var damagedPaths: [String] = []
    private var segments: [Segment] = []
    private let stablePath: (String) -> String

    /// Reads the segment headers. The paths must be in ascending order of segment numbers. `stablePath` converts the
    /// path of a segment to a path that stays valid if the directory is renamed. Messages show the original path.
    init(_ paths: [String], stablePath: @escaping (String) -> String = { $0 }) throws(DeviceError) {
        self.stablePath = stablePath
        for path in paths {
            let bytes = try contents(path)
            var file: TraceFile?
            do throws(DeviceError) { file = try TraceFile(contents: bytes, name: path) } catch {}
            if let header = file?.header, let segmentHeader = RingSegmentHeader(header) {
                self.header = header
                for trigger in segmentHeader.triggers where !triggers.contains(trigger) { triggers.append(trigger) }
                segments.append(Segment(path: path, segmentHeader: segmentHeader))
            } else if Self.isTruncatedHeader(bytes) {
                remarks.append("\(path) ends before its first event and contains no data.")
            } else {
                remarks.append(
                    "\(path) has no readable header; its lines are read with the header of the other segments.")
                damagedPaths.append(path)
                segments.append(Segment(path: path))
            }
        }
        header?.otherMembers.removeAll { $0.name == RingSegmentHeader.member }
    }

    /// Returns true if the file is empty or contains only zero bytes or a part of a header. A power failure can leave
    /// such a file behind, as can killing the recorder right after it creates the file.
    private static func isTruncatedHeader(_ bytes: TraceBytes) -> Bool {
        let head = Array("{\"format\":\"\(TraceHeader.formatName)\"".utf8)
        guard let first = bytes.first(where: { $0 != 0 }) else { return true }
        guard first == head[0], !bytes.contains(UInt8(ascii: "\n")) else { return false }
        return zip(bytes, head).allSatisfy { $0 == $1 }
    }

    private func contents(_ path: String) throws(DeviceError) -> TraceBytes {
        do throws(DeviceError) {
            return try TraceBytes(path: stablePath(path))
        } catch {
            var error = error
            error.message = error.message.replacing(stablePath(path), with: path)
            throw error
        }
    }

    private func reading(of segment: Segment) throws(DeviceError) -> TimedEventReader {
        let contents = try contents(segment.path)
        guard segment.segmentHeader == nil else {
            return TimedEventReader(try TraceFile(contents: contents, name: segment.path))
        }
        var bytes = (header ?? TraceHeader()).line()
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: contents)
        return TimedEventReader(try TraceFile(bytes: bytes, name: segment.path))
    }

    /// Calls the closure with each event. Event times are relative to the start of the recording. Call this method only
    /// once, because it appends to ``remarks`` and ``damagedPaths``.
    mutating func forEach(_ body: (TraceEvent) throws(DeviceError) -> Void) throws(DeviceError) {
        var previousNumber: Int?
        for segment in segments {
            var reading = try reading(of: segment)
            // The first lines of a segment repeat the state. They are skipped, unless the previous segment is missing.
            var repeated =
                previousNumber.map { $0 &+ 1 } == segment.segmentHeader?.number
                ? segment.segmentHeader?.stateLines ?? 0 : 0
            previousNumber = segment.segmentHeader?.number
            while let event = reading.next() {
                if repeated > 0 {
                    repeated -= 1
                } else {
                    try body(event)
                }
            }
            // A segment without a header has already been reported.
            guard segment.segmentHeader != nil else { continue }
            // An interrupted recording normally ends with an incomplete line, so such a line is not reported.
            let cutLine = TraceWarning.Reason.truncatedLine
            for entry in reading.diagnostics.entries where entry.message != cutLine.message {
                remarks.append("\(segment.path): \(entry.remark)")
            }
            // Unknown kinds and members are not damage, because a newer version may have written them.
            if !reading.reasons.isSubset(of: [cutLine, .unknownKind, .invalidMember]) {
                damagedPaths.append(segment.path)
            } else if repeated > 0, !reading.reasons.contains(cutLine) {
                remarks.append("\(segment.path) has fewer lines than its header states.")
                damagedPaths.append(segment.path)
            }
        }
    }

    /// Returns the times of the first and last event in nanoseconds since the start of the recording, or nil if there
    /// are no events.
    func extent() throws(DeviceError) -> (first: Int64, last: Int64)? {
        var first: Int64?
        for segment in segments where first == nil {
            var reading = try reading(of: segment)
            first = reading.next()?.time
        }
        guard let first else { return nil }
        var last: Int64?
        for segment in segments.reversed() where last == nil {
            var reading = try reading(of: segment)
            while let event = reading.next() { last = max(last ?? .min, event.time ?? .min) }
        }
        return (first, max(first, last ?? first))
    }
}
