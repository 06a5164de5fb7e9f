// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import Trace

/// An event that causes a ring to be saved, and its time. Stored in segments and saved traces, so its JSON keys must
/// not change.
package struct RingTrigger: Sendable, Hashable {
    /// The text of the event, for example `impact>4g`.
    package var event: String
    /// The time in nanoseconds since the start of the recording or, if read from a saved trace, since the start of that
    /// trace.
    package var time: Int64

    package init(event: String, time: Int64) {
        self.event = event
        self.time = time
    }

    static let member = "triggers"

    static func list(_ triggers: [RingTrigger], since start: Int64 = 0) -> TraceMember {
        var writer = JSONWriter()
        write(triggers, since: start, to: &writer)
        return TraceMember(name: member, json: writer.bytes)
    }

    static func write(_ triggers: [RingTrigger], since start: Int64 = 0, to writer: inout JSONWriter) {
        writer.array { writer in
            for trigger in triggers {
                writer.object { writer in
                    writer.member("t", Double(trigger.time.subtractingSaturated(start)) / 1e9)
                    writer.member("event", trigger.event)
                }
            }
        }
    }

    static func read(_ reader: inout JSONReader) throws(JSONError) -> [RingTrigger] {
        var triggers: [RingTrigger] = []
        guard try reader.beginArrayIfPresent() else { return [] }
        while try reader.nextElement() {
            var trigger = RingTrigger(event: "", time: 0)
            guard try reader.beginObjectIfPresent(reading: triggers.count < 1000) else { continue }
            while let key = try reader.nextKey() {
                switch key.word {
                case JSONText.word("t"):
                    trigger.time = Int64(saturatingSeconds: try reader.doubleIfPresent()) ?? 0
                case JSONText.word("event"): trigger.event = try reader.textIfPresent()?.string() ?? ""
                default: try reader.skipValue()
                }
            }
            triggers.append(trigger)
        }
        return triggers
    }
}

/// The member `ring` of a segment's header, which identifies segments. Its keys are stored and must not change.
struct RingSegmentHeader: Sendable, Equatable {
    static let member = "ring"
    /// The segment number within the recording, counted from 1.
    var number: Int
    /// The number of lines that directly follow the header and restore the state at the beginning of the segment.
    var stateLines: Int
    /// The triggers whose traces had not been saved when the segment began.
    var triggers: [RingTrigger]

    var traceMember: TraceMember {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("segment", number)
            writer.member("state", stateLines)
            guard !triggers.isEmpty else { return }
            writer.key("triggers")
            RingTrigger.write(triggers, to: &writer)
        }
        return TraceMember(name: Self.member, json: writer.bytes)
    }
}

extension RingSegmentHeader {
    /// Reads the segment header from a trace header. Returns nil if the trace is not a segment.
    init?(_ header: TraceHeader) {
        let member = header.otherMembers.first { $0.name == Self.member }
        guard let segmentHeader = member.flatMap({ $0.json.withUnsafeBytes { JSONReader.parse($0, Self.read) } }) else {
            return nil
        }
        self = segmentHeader
    }

    private static func read(_ reader: inout JSONReader) throws(JSONError) -> RingSegmentHeader? {
        var segmentHeader = RingSegmentHeader(number: 0, stateLines: 0, triggers: [])
        guard try reader.beginObjectIfPresent() else { return nil }
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("segment"): segmentHeader.number = Int(clamping: try reader.int64IfPresent() ?? 0)
            case JSONText.word("state"): segmentHeader.stateLines = Int(clamping: try reader.int64IfPresent() ?? 0)
            case JSONText.word("triggers"): segmentHeader.triggers = try RingTrigger.read(&reader)
            default: try reader.skipValue()
            }
        }
        return segmentHeader.number > 0 && segmentHeader.stateLines >= 0 ? segmentHeader : nil
    }
}
