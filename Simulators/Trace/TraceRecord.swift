// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// One event of a trace, as ``TraceCursor`` finds it: a time, a kind, and where its contents lie in the file.
///
/// It holds no memory of its own. ``line(in:)`` and ``loss(in:)`` copy contents out when they are wanted.
public struct TraceRecord: Sendable, Hashable {
    /// What happened.
    public enum Kind: UInt8, Sendable {
        /// gpsd sent a report: its bytes are those of the range.
        case gpsd
        /// gpsd sent a line that is not JSON. The range holds it encoded; ``TraceRecord/line(in:)`` decodes it.
        case gpsdText
        /// Positions could not be had any more; ``TraceRecord/loss(in:)`` says why.
        case lost
        /// The position source was back.
        case regained
    }

    /// Nanoseconds since the start of the trace, 0 or more, never less than that of the record before. Nil when the
    /// file has no arrival stamps.
    public var time: Int64?
    /// What happened.
    public var kind: Kind
    /// Where the contents lie: for a report the line exactly as gpsd sent it, without its line end.
    public var range: Range<Int>
    /// True when the text of a line is written in hexadecimal digits.
    var isHexadecimal = false

    init(time: Int64?, kind: Kind, range: Range<Int>) {
        self.time = time
        self.kind = kind
        self.range = range
    }
}
