// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import NMEAFormat
import Trace

/// What has to be known of an NMEA log before its first event is written.
struct NMEALogSurvey {
    /// How many sentences are read to find out whether there are any for speed and course.
    private static let enoughSentences = 2000

    /// The day of the first sentence that has a time.
    var date: WallTime?
    /// The date of the comment.
    var comment: WallTime?
    /// The first arrival that is told.
    var firstArrival: WallTime?
    /// The time of day of the first report, in nanoseconds.
    var firstTime: Int64?
    var allowsMissingChecksum: Bool
    var hasMotion = false
    /// True when there are sentences to read.
    var isLog = false

    /// - Parameter contents: where the bytes are from, to give memory back.
    init(_ bytes: UnsafeRawBufferPointer, _ options: NMEALogOptions, _ contents: TraceBytes? = nil) {
        allowsMissingChecksum = options.allowsMissingChecksum ?? false
        survey(bytes, contents)
        guard !isLog, options.allowsMissingChecksum == nil else { return }
        allowsMissingChecksum = true
        survey(bytes, contents)
    }

    private mutating func survey(_ bytes: UnsafeRawBufferPointer, _ contents: TraceBytes?) {
        var known = NMEADecoderOptions()
        known.allowsMissingChecksum = allowsMissingChecksum
        var decoder = NMEADecoder(options: known)
        var lines = NMEALogLines(bytes, of: contents)
        var first: (arrival: WallTime?, time: Int64?)
        func note(_ report: NMEAReport) {
            first = (first.arrival ?? report.arrival, first.time ?? report.clock)
        }
        while let line = lines.next() {
            switch line {
            case .date(let date): if comment == nil { comment = date }
            case .other: break
            case .sentences(let text, let arrival):
                decoder.decode(text, arrival: arrival, receive: note)
            }
            _ = decoder.drainIssues()
            let isMoving = decoder.counts.motion > 0
            if decoder.hasCertainDate, isMoving || decoder.counts.read >= Self.enoughSentences { break }
        }
        decoder.finish(receive: note)
        date = decoder.firstDate
        firstArrival = firstArrival ?? first.arrival
        firstTime = first.time
        hasMotion = decoder.counts.motion > 0
        isLog = decoder.counts.read > 0
    }

    /// True when sentences stand near the beginning: what is looked at first is bounded.
    ///
    /// - Parameter allowsMissingChecksum: nil to accept sentences without checksums if none has one.
    static func isLog(_ bytes: UnsafeRawBufferPointer, allowsMissingChecksum: Bool? = nil) -> Bool {
        let head = UnsafeRawBufferPointer(rebasing: bytes.prefix(1 << 22))
        var options = NMEALogOptions()
        options.allowsMissingChecksum = allowsMissingChecksum
        return NMEALogSurvey(head, options).isLog
    }
}

/// Goes through the lines of an NMEA log: sentences, perhaps with the time of their arrival beside them, and comments.
struct NMEALogLines {
    /// The longest stamp, in bytes.
    private static let maximumStamp = 64
    /// What goes on longer without a line end is taken in pieces: binary blocks, and lines of hostile files.
    private static let maximumLine = 1 << 16
    /// So many bytes may stay in memory behind the lines.
    private static let window = 8 << 20

    /// What stands on a line.
    enum Line {
        /// Sentences, and when they came.
        case sentences(UnsafeRawBufferPointer, arrival: WallTime?)
        /// A comment that tells the date.
        case date(WallTime)
        /// A line without a sentence, other than a comment.
        case other(UnsafeRawBufferPointer)
    }

    /// The number of the last line, counted from 1.
    private(set) var line = 0
    /// The byte that ended the last line.
    private var lineEnd: UInt8 = 0x0a

    private let bytes: UnsafeRawBufferPointer
    private let contents: TraceBytes?
    private var at = 0
    private var forgotten = 0

    /// - Parameter contents: where the bytes are from, to give memory back.
    init(_ bytes: UnsafeRawBufferPointer, of contents: TraceBytes? = nil) {
        self.bytes = bytes
        self.contents = contents
    }

    /// The next line that is neither empty nor a comment without a date; nil at the end.
    mutating func next() -> Line? {
        while at < bytes.count {
            let start = at
            // LF after CR does not begin a line, nor does the rest of a line that is read in pieces.
            if lineEnd == 0x0a || lineEnd == 0x0d && bytes[at] != 0x0a { line &+= 1 }
            if start &- forgotten >= Self.window {
                contents?.forget(forgotten..<start)
                forgotten = start
            }
            let end = min(bytes.count, start &+ Self.maximumLine)
            while at < end, bytes[at] != UInt8(ascii: "\n"), bytes[at] != UInt8(ascii: "\r") { at &+= 1 }
            let line = UnsafeRawBufferPointer(rebasing: bytes[start..<at])
            lineEnd = at < end ? bytes[at] : 0
            if at < end { at &+= 1 }
            guard let first = line.first else { continue }
            if first == UInt8(ascii: "$") { return .sentences(line, arrival: nil) }
            if first == UInt8(ascii: "#") {
                guard let date = Self.date(line) else { continue }
                return .date(date)
            }
            // Only text in front of a sentence can be a stamp.
            let head = line.prefix(Self.maximumStamp)
            guard let sentence = head.firstIndex(where: Self.isStart) else {
                guard line.contains(where: Self.isStart) else { return .other(line) }
                return .sentences(line, arrival: nil)
            }
            return .sentences(line, arrival: sentence > 0 ? Self.arrival(line, sentence) : nil)
        }
        return nil
    }

    private static func isStart(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "$") || byte == UInt8(ascii: "!") || byte == UInt8(ascii: "\\")
    }

    /// The time in front of a sentence, in any form that gpspipe has, with or without marks around it; behind it for
    /// Android's GnssLogger, which writes `NMEA,$…*hh,milliseconds`.
    private static func arrival(_ line: UnsafeRawBufferPointer, _ sentence: Int) -> WallTime? {
        var start = 0
        var end = sentence
        if end == 5, line.starts(with: "NMEA,".utf8) {
            guard let comma = line.lastIndex(of: UInt8(ascii: ",")), comma > sentence else { return nil }
            start = comma + 1
            end = line.count
        }
        while start < end, isMark(line[start]) { start += 1 }
        while end > start, isMark(line[end - 1]) { end -= 1 }
        let text = UnsafeRawBufferPointer(rebasing: line[start..<end])
        // Thirteen digits are milliseconds, as in tag blocks.
        if text.count == 13, let time = NMEATagBlock.time(text) { return time }
        return ArrivalStamp.time(text).map { WallTime(nanoseconds: $0) }
    }

    private static func isMark(_ byte: UInt8) -> Bool { " \t,;:[]()|>\"".utf8.contains(byte) }

    /// The date of gpsd's comment, `# Date: 2009-12-09`, written with a colon or an equals sign.
    private static func date(_ line: UnsafeRawBufferPointer) -> WallTime? {
        var rest = line.dropFirst().drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard rest.starts(with: "Date".utf8) else { return nil }
        rest = rest.dropFirst(4).drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }
        let parts = rest.prefix { $0 > 0x20 }.split(separator: UInt8(ascii: "-"))
        let numbers = parts.compactMap { $0.count <= 4 ? Int(String(decoding: $0, as: UTF8.self)) : nil }
        guard parts.count == 3, numbers.count == 3 else { return nil }
        return CivilDate.time(year: numbers[0], month: numbers[1], day: numbers[2])
    }
}
