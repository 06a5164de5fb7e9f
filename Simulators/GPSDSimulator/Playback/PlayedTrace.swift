// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// Goes through a trace and hands over what a gpsd says, once or over and over.
struct PlayedTrace {
    /// Without stamps of arrival, a step from one fix to the next that is longer than this is taken for a second.
    private static let longestStep: Int64 = 10_000_000_000
    private static let second: Int64 = 1_000_000_000

    private let file: TraceFile
    private let repeats: Bool
    private let roundLength: Int64
    private var cursor: TraceCursor
    private var decoder = GPSDDecoder()
    /// Sentences that were found between two reports, with the event that they come before.
    private var pending: [PlayedEvent] = []
    /// Where the last report of gpsd's text ended.
    private var textOffset = 0
    private var isOver = false
    /// Of this round: the time of the last event, and the last step between two.
    private var last: Int64 = 0
    private var step = second
    /// The beginning of this round.
    private var start: Int64 = 0
    private var hasPlayedAny = false
    /// Without stamps: the receiver that sets the pace, and its last time.
    private var lead: (receiver: String, time: WallTime)?

    /// - Parameters:
    ///   - repeats: true to begin again at the end, for ever.
    ///   - roundLength: how long a round takes at least, in nanoseconds.
    init(_ file: TraceFile, repeats: Bool = false, roundLength: Int64 = 0) {
        self.file = file
        self.repeats = repeats
        self.roundLength = roundLength
        cursor = TraceCursor(file)
    }

    mutating func next() -> PlayedEvent? {
        while pending.isEmpty {
            if isOver { return nil }
            let bytes = file.bytes
            bytes.withUnsafeBytes { read($0) }
        }
        return pending.removeFirst()
    }

    /// Reads the next record, or what stands behind the last one.
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

    /// gpsd's text may hold what the receiver sent between the reports.
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

    /// The time of a report in a trace without stamps: as much later as its fix is.
    private mutating func estimatedTime(_ contents: PlayedEvent.Contents) -> Int64 {
        guard case .report(_, .position(let report)) = contents, let time = report.time else { return last }
        guard let lead else {
            self.lead = (report.receiver, time)
            return last
        }
        guard lead.receiver == report.receiver else { return last }
        self.lead = (report.receiver, time)
        let step = time.nanoseconds.subtractingSaturated(lead.time.nanoseconds)
        return last.addingSaturated(step > Self.longestStep ? Self.second : max(0, step))
    }

    private mutating func rewind() {
        guard repeats, hasPlayedAny else {
            isOver = true
            return
        }
        // The first event comes as long after the last one as that after the one before; times in reports have
        // milliseconds.
        let length = max(last.addingSaturated(step), roundLength)
        start = start.addingSaturated((length + 999_999) / 1_000_000 * 1_000_000)
        cursor = TraceCursor(file)
        textOffset = 0
        last = 0
        lead = nil
    }
}

/// Something of a trace that a simulated gpsd plays.
struct PlayedEvent {
    enum Contents {
        /// A line of gpsd, as it stands in the trace and decoded.
        case report([UInt8], GPSDReport)
        /// A line that is not JSON: what a receiver sent, without its line end.
        case text([UInt8])
        /// gpsd could not be reached any more.
        case lost
        /// gpsd was back.
        case regained
    }

    /// Nanoseconds since the beginning of playback at speed 1, all rounds counted.
    var time: Int64
    /// By how many nanoseconds the times in reports have to be moved because the trace is played again.
    var shift: Int64
    var contents: Contents
}
