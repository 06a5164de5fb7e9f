// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace
import TraceEditing

/// Goes through the events of segments that lie behind each other, with one segment in memory at a time.
struct RingReading {
    private struct Segment {
        var path: String
        /// Nil without a header that can be read: its lines are read with that of another segment.
        var mark: RingMark?
    }

    /// That of the last segment that can be read, which knows the civil time best; without the mark of a segment.
    private(set) var header: TraceHeader?
    /// The triggers that segments were marked with.
    private(set) var triggers: [RingTrigger] = []
    /// Segments, and lines, that could not be read.
    private(set) var remarks: [String] = []
    /// The paths of segments in which there is more than was read.
    private(set) var damaged: [String] = []

    private var segments: [Segment] = []
    private let reached: (String) -> String

    /// The error says that the system does not let a segment be read, now.
    ///
    /// - Parameters:
    ///   - paths: the segments in their order.
    ///   - reached: the way to each: see ``RingFolder/reached(_:)``.
    init(_ paths: [String], reached: @escaping (String) -> String = { $0 }) throws(DeviceError) {
        self.reached = reached
        for path in paths {
            let bytes = try contents(path)
            var file: TraceFile?
            do throws(DeviceError) { file = try TraceFile(contents: bytes, name: path) } catch {}
            if let header = file?.header, let mark = RingMark(header) {
                self.header = header
                for trigger in mark.triggers where !triggers.contains(trigger) { triggers.append(trigger) }
                segments.append(Segment(path: path, mark: mark))
            } else if Self.isCutOff(bytes) {
                remarks.append("\(path) ends before its first event; there is nothing in it.")
            } else {
                remarks.append("\(path) has no header that can be read; its lines are read as those of the others.")
                damaged.append(path)
                segments.append(Segment(path: path))
            }
        }
        header?.otherMembers.removeAll { $0.name == RingMark.member }
    }

    /// True for what a recorder leaves that ended right after it had made a segment: nothing, or part of a header.
    private static func isCutOff(_ bytes: TraceBytes) -> Bool {
        let head = Array("{\"format\":\"\(TraceHeader.formatName)\"".utf8)
        guard let first = bytes.first(where: { $0 != 0 }) else { return true }
        guard first == head[0], !bytes.contains(UInt8(ascii: "\n")) else { return false }
        return zip(bytes, head).allSatisfy { $0 == $1 }
    }

    private func contents(_ path: String) throws(DeviceError) -> TraceBytes {
        do throws(DeviceError) {
            return try TraceBytes(path: reached(path))
        } catch {
            var error = error
            error.message = error.message.replacing(reached(path), with: path)
            throw error
        }
    }

    private func reading(of segment: Segment) throws(DeviceError) -> TraceReading {
        let contents = try contents(segment.path)
        guard segment.mark == nil else { return TraceReading(try TraceFile(contents: contents, name: segment.path)) }
        var bytes = (header ?? TraceHeader()).line()
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: contents)
        return TraceReading(try TraceFile(bytes: bytes, name: segment.path))
    }

    /// Hands over all events, with times since the start of the recording.
    mutating func forEach(_ body: (TraceEvent) throws(DeviceError) -> Void) throws(DeviceError) {
        var former: Int?
        for segment in segments {
            var reading = try reading(of: segment)
            // What the first lines say is known from the segment before, unless that is not there.
            var repeated = former.map { $0 &+ 1 } == segment.mark?.number ? segment.mark?.stateLines ?? 0 : 0
            former = segment.mark?.number
            while let event = reading.next() {
                if repeated > 0 {
                    repeated -= 1
                } else {
                    try body(event)
                }
            }
            // The last line of a recording that was cut off is expected to be incomplete.
            let cutLine = TraceWarning.Reason.cutLine
            guard segment.mark != nil else { continue }
            for entry in reading.diagnostics.entries where entry.message != cutLine.message {
                remarks.append("\(segment.path): \(entry.remark)")
            }
            if !reading.reasons.isSubset(of: [cutLine, .unknownKind, .badMember]) {
                damaged.append(segment.path)
            } else if repeated > 0, !reading.reasons.contains(cutLine) {
                remarks.append("\(segment.path) has fewer lines than its header says.")
                damaged.append(segment.path)
            }
        }
    }

    /// The times of the first and the last event; nil when there is none.
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
