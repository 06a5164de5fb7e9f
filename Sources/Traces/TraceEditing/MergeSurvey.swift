// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// What of a trace can collide with others that it is merged with.
struct MergeSurvey {
    /// When a receiver reports, in nanoseconds since the start of the merged trace.
    struct Span: Equatable {
        var first: Int64
        var last: Int64

        /// True when both report at one time. Where one ends as the other begins they do not.
        func overlaps(_ other: Span) -> Bool { self == other || (first < other.last && other.first < last) }
    }

    /// So many receivers are told apart.
    static let maximumReceivers = 256

    /// The receivers by their paths; empty for one without.
    private(set) var receivers: [String: Span] = [:]
    /// True when there are more receivers than are told apart.
    private(set) var hasMore = false
    /// True when it tells of a battery.
    private(set) var hasBattery: Bool
    /// How often positions were lost.
    private(set) var lossCount = 0

    /// Goes through the trace once.
    ///
    /// - Parameter offset: By how much it is moved.
    init(_ trace: TraceFile, _ header: TraceHeader, offset: Int64) {
        hasBattery = header.battery != nil
        var reading = TraceReading(trace)
        var decoder = GPSDDecoder()
        while let event = reading.next() {
            switch event.contents {
            case .gpsd(let line):
                let time = (event.time ?? 0).addingSaturated(offset)
                if let path = line.withUnsafeBytes({ decoder.decode($0) }).receiver { note(path, at: time) }
            case .battery: hasBattery = true
            case .lost: lossCount += 1
            default: break
            }
        }
    }

    private mutating func note(_ path: String, at time: Int64) {
        if receivers[path] != nil {
            receivers[path]?.last = time
        } else if receivers.count < Self.maximumReceivers {
            receivers[path] = Span(first: time, last: time)
        } else {
            hasMore = true
        }
    }
}
