// This source file is part of the swift-device-services project.
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
        var first: Int64?
        while let line = lines.next() {
            switch line {
            case .date(let date): if comment == nil { comment = date }
            case .sentences(let text, let arrival):
                decoder.decode(text, arrival: arrival) { report in
                    if firstArrival == nil { firstArrival = report.arrival }
                    if first == nil { first = report.clock }
                }
            }
            let isMoving = decoder.counts.motion > 0
            if decoder.firstDate != nil, isMoving || decoder.counts.read >= Self.enoughSentences { break }
        }
        decoder.finish { report in
            if firstArrival == nil { firstArrival = report.arrival }
            if first == nil { first = report.clock }
        }
        date = decoder.firstDate
        firstTime = first
        hasMotion = decoder.counts.motion > 0
        isLog = decoder.counts.read > 0
    }

    /// True when sentences stand near the beginning: what is looked at first is bounded.
    static func isLog(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let head = UnsafeRawBufferPointer(rebasing: bytes.prefix(1 << 22))
        return NMEALogSurvey(head, NMEALogOptions()).isLog
    }
}
