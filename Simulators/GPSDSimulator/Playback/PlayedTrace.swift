// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// An iterator over the gpsd events of a trace. It can repeat the trace.
struct PlayedTrace {
    /// The maximum interval, in nanoseconds, between two fixes in a trace without arrival times. A longer interval is
    /// replaced by one second.
    private static let maximumStep: Int64 = 10_000_000_000
    private static let second: Int64 = 1_000_000_000

    private let file: TraceFile
    private let repeats: Bool
    private let minimumPassDuration: Int64
    private var cursor: TraceCursor
    private var decoder = GPSDDecoder()
    /// Events that have been read but not yet returned. As in the trace, sentences precede the report to which they
    /// belong.
    private var pending: [PlayedEvent] = []
    /// The byte offset at which the last report ends. Sentences may begin at this offset. Used only for recordings of
    /// gpsd output.
    private var textOffset = 0
    private var isFinished = false
    /// `last` is the time of the last event in the current pass. `step` is the last positive interval between events.
    /// `start` is the start of the current pass, relative to the start of playback. All are in nanoseconds.
    private var last: Int64 = 0
    private var step = second
    private var start: Int64 = 0
    /// False for a trace without events. If such a trace were repeated, `next()` would never return.
    private var hasPlayedAny = false
    /// The receiver whose fixes determine the event times, and the time of its last fix. Used only for traces without
    /// arrival times.
    private var lead: (receiver: String, time: WallTime)?

    /// Creates an iterator. Each pass lasts at least `minimumPassDuration` nanoseconds.
    init(_ file: TraceFile, repeats: Bool = false, minimumPassDuration: Int64 = 0) {
        (self.file, self.repeats, self.minimumPassDuration) = (file, repeats, minimumPassDuration)
        cursor = TraceCursor(file)
    }

    mutating func next() -> PlayedEvent? {
        while pending.isEmpty {
            if isFinished { return nil }
            let bytes = file.bytes
            bytes.withUnsafeBytes { read($0) }
        }
        return pending.removeFirst()
    }

    /// Reads the next record. After the last record, reads the remaining text and begins the next pass if the trace is
    /// repeated.
    private mutating func read(_ bytes: UnsafeRawBufferPointer) {
        guard let record = cursor.next(bytes) else {
            if file.format == .gpsd { appendSentences(bytes, before: bytes.count, at: last) }
            rewind()
            return
        }
        guard let contents = contents(of: record, bytes) else { return }
        let time = max(last, record.time ?? estimatedTime(contents))
        if time > last { step = time - last }
        last = time
        if file.format == .gpsd {
            appendSentences(bytes, before: record.range.lowerBound, at: time)
            textOffset = record.range.upperBound
        }
        append(contents, at: time)
    }

    private mutating func append(_ contents: PlayedEvent.Contents, at time: Int64) {
        hasPlayedAny = true
        pending.append(PlayedEvent(time: start.addingSaturated(time), shift: start, contents: contents))
    }

    private mutating func contents(of record: TraceRecord, _ bytes: UnsafeRawBufferPointer) -> PlayedEvent.Contents? {
        switch record.kind {
        case .gpsd:
            let report = decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[record.range]))
            return .report(record.line(in: bytes), report)
        case .gpsdText: return .text(record.line(in: bytes))
        case .lost: return .lost
        case .regained: return .regained
        case .sample, .battery, .sensorLost, .sensorRegained, .accessory, .beacon: return nil
        }
    }

    private mutating func appendSentences(_ bytes: UnsafeRawBufferPointer, before end: Int, at time: Int64) {
        guard textOffset < end else { return }
        var line = textOffset
        while line < end {
            var next = line
            while next < end, bytes[next] != UInt8(ascii: "\n") { next += 1 }
            if bytes[line] == UInt8(ascii: "$") || bytes[line] == UInt8(ascii: "!") {
                var text = [UInt8](bytes[line..<next])
                if text.last == UInt8(ascii: "\r") { text.removeLast() }
                append(.text(text), at: time)
            }
            line = next + 1
        }
        textOffset = end
    }

    /// Estimates the arrival time of a report from the fix times.
    private mutating func estimatedTime(_ contents: PlayedEvent.Contents) -> Int64 {
        guard case .report(_, .position(let report)) = contents, let time = report.time else { return last }
        guard let lead else {
            self.lead = (report.receiver, time)
            return last
        }
        guard lead.receiver == report.receiver else { return last }
        self.lead = (report.receiver, time)
        let step = time.nanoseconds.subtractingSaturated(lead.time.nanoseconds)
        return last.addingSaturated(step > Self.maximumStep ? Self.second : max(0, step))
    }

    private mutating func rewind() {
        guard repeats, hasPlayedAny else {
            isFinished = true
            return
        }
        // The next pass begins one event interval after the last event, but not before the minimum duration has
        // elapsed. The duration of a pass is rounded up to whole milliseconds.
        let length = max(last.addingSaturated(step), minimumPassDuration)
        start = start.addingSaturated((length + 999_999) / 1_000_000 * 1_000_000)
        cursor = TraceCursor(file)
        textOffset = 0
        last = 0
        lead = nil
    }
}

struct PlayedEvent {
    enum Contents {
        case report([UInt8], GPSDReport)
        /// A line of receiver output that is not JSON, without the line ending.
        case text([UInt8])
        case lost, regained
    }

    /// The time at which the event is due at speed 1, in nanoseconds since the start of the first pass.
    var time: Int64
    /// The amount by which report times are shifted in the current pass, in nanoseconds. 0 in the first pass.
    var shift: Int64
    var contents: Contents
}
