// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import NMEAFormat
import Trace

/// Information about an NMEA log that must be known before the first event is written.
struct NMEALogSummary {
    /// The number of sentences after which the search for speed and course ends.
    private static let maximumScannedSentences = 2000
    /// The date of the first sentence with a time, or nil if no sentence contains a date.
    var date: WallTime?
    /// The date in gpsd's comment, or nil if there is no such comment.
    var commentDate: WallTime?
    var firstArrival: WallTime?
    /// The first time in a report, in nanoseconds since 1970 or, if the date was not known yet, since an arbitrary
    /// midnight.
    var firstTime: Int64?
    var allowsMissingChecksum: Bool
    var hasMotion = false
    var isLog = false

    /// Scans a log. If no sentence with a checksum is found and the option `allowsMissingChecksum` is nil, a second
    /// scan accepts sentences without checksums. The pages of `contents` are released after they have been read.
    init(_ bytes: UnsafeRawBufferPointer, _ options: NMEALogOptions, _ contents: TraceBytes? = nil) {
        allowsMissingChecksum = options.allowsMissingChecksum ?? false
        scan(bytes, contents)
        guard !isLog, options.allowsMissingChecksum == nil else { return }
        allowsMissingChecksum = true
        scan(bytes, contents)
    }

    private mutating func scan(_ bytes: UnsafeRawBufferPointer, _ contents: TraceBytes?) {
        var decoderOptions = NMEADecoderOptions()
        decoderOptions.allowsMissingChecksum = allowsMissingChecksum
        var decoder = NMEADecoder(options: decoderOptions)
        var lines = NMEALogLines(bytes, of: contents)
        var first: (arrival: WallTime?, time: Int64?)
        func record(_ report: NMEAReport) { first = (first.arrival ?? report.arrival, first.time ?? report.epochTime) }
        while let line = lines.next() {
            switch line {
            case .date(let date): if commentDate == nil { commentDate = date }
            case .other: break
            case .sentences(let text, let arrival):
                decoder.decode(text, arrival: arrival, receive: record)
            }
            // The issues are discarded here, because the import will find them again.
            _ = decoder.drainIssues()
            let isMoving = decoder.counts.motionSentences > 0
            if decoder.hasCertainDate, isMoving || decoder.counts.decoded >= Self.maximumScannedSentences { break }
        }
        decoder.finish(receive: record)
        date = decoder.firstDate
        firstArrival = firstArrival ?? first.arrival
        firstTime = first.time
        hasMotion = decoder.counts.motionSentences > 0
        isLog = decoder.counts.decoded > 0
    }

    /// Returns true if the first 4 MiB contain sentences. If `allowsMissingChecksum` is nil, sentences without a
    /// checksum are accepted only if no sentence has one.
    static func isLog(_ bytes: UnsafeRawBufferPointer, allowsMissingChecksum: Bool? = nil) -> Bool {
        let head = UnsafeRawBufferPointer(rebasing: bytes.prefix(1 << 22))
        var options = NMEALogOptions()
        options.allowsMissingChecksum = allowsMissingChecksum
        return NMEALogSummary(head, options).isLog
    }
}

struct NMEALogLines {
    /// The maximum length, in bytes, of an arrival time that precedes a sentence.
    private static let maximumStamp = 64
    /// The maximum length of a line in bytes. Longer text, such as a binary block, is read in pieces.
    private static let maximumLine = 1 << 16
    /// The number of bytes read before their pages are released (8 MiB).
    private static let window = 8 << 20

    enum Line {
        /// The sentences of a line, and their arrival time if the line contains one.
        case sentences(UnsafeRawBufferPointer, arrival: WallTime?)
        case date(WallTime)
        case other(UnsafeRawBufferPointer)
    }

    /// The number of the last line, starting at 1.
    private(set) var line = 0
    /// The byte that ended the last line, or 0 if only a piece of the line was read.
    private var lineEnd: UInt8 = 0x0a
    private let bytes: UnsafeRawBufferPointer
    private let contents: TraceBytes?
    private var position = 0
    private var releasedOffset = 0

    /// Creates an iterator. `contents` owns the bytes. Unless it is nil, its memory pages are released after they have
    /// been read.
    init(_ bytes: UnsafeRawBufferPointer, of contents: TraceBytes? = nil) {
        self.bytes = bytes
        self.contents = contents
    }

    /// Returns the next line, or nil at the end of the log. Skips empty lines and comments without a date.
    mutating func next() -> Line? {
        while position < bytes.count {
            let start = position
            // The line number increases after an LF, and after a CR that is not followed by an LF. It does not increase
            // within a line that is read in pieces.
            if lineEnd == 0x0a || lineEnd == 0x0d && bytes[position] != 0x0a { line &+= 1 }
            if start &- releasedOffset >= Self.window {
                contents?.releaseMemory(of: releasedOffset..<start)
                releasedOffset = start
            }
            let end = min(bytes.count, start &+ Self.maximumLine)
            while position < end, bytes[position] != UInt8(ascii: "\n"), bytes[position] != UInt8(ascii: "\r") {
                position &+= 1
            }
            let text = UnsafeRawBufferPointer(rebasing: bytes[start..<position])
            lineEnd = position < end ? bytes[position] : 0
            if position < end { position &+= 1 }
            guard let first = text.first else { continue }
            if first == UInt8(ascii: "$") { return .sentences(text, arrival: nil) }
            if first == UInt8(ascii: "#") {
                guard let date = Self.date(text) else { continue }
                return .date(date)
            }
            // The text that precedes a sentence may be its arrival time.
            let head = text.prefix(Self.maximumStamp)
            guard let sentence = head.firstIndex(where: Self.isSentenceStart) else {
                guard text.contains(where: Self.isSentenceStart) else { return .other(text) }
                return .sentences(text, arrival: nil)
            }
            return .sentences(text, arrival: sentence > 0 ? Self.arrival(text, sentence) : nil)
        }
        return nil
    }

    private static func isSentenceStart(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "$") || byte == UInt8(ascii: "!") || byte == UInt8(ascii: "\\")
    }

    /// Returns the arrival time of a sentence. In gpspipe's formats, the time precedes the sentence. In lines written
    /// by Android's GnssLogger, `NMEA,$…*hh,milliseconds`, the time follows the sentence.
    private static func arrival(_ line: UnsafeRawBufferPointer, _ sentence: Int) -> WallTime? {
        var start = 0
        var end = sentence
        if end == 5, line.starts(with: "NMEA,".utf8) {
            guard let comma = line.lastIndex(of: UInt8(ascii: ",")), comma > sentence else { return nil }
            start = comma + 1
            end = line.count
        }
        while start < end, isPunctuation(line[start]) { start += 1 }
        while end > start, isPunctuation(line[end - 1]) { end -= 1 }
        let text = UnsafeRawBufferPointer(rebasing: line[start..<end])
        // A number with 13 digits is in milliseconds, as in tag blocks.
        if text.count == 13, let time = NMEATagBlock.time(text) { return time }
        return ArrivalStamp.time(text).map { WallTime(nanoseconds: $0) }
    }

    private static func isPunctuation(_ byte: UInt8) -> Bool { " \t,;:[]()|>\"".utf8.contains(byte) }

    /// Returns the date in gpsd's comment, `# Date: 2009-12-09`. An equals sign may replace the colon.
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
