// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// The properties of a trace that may conflict with other traces in a merge.
struct MergeSurvey {
    /// The period in which a receiver reports, in nanoseconds since the start of the merged trace.
    struct Span: Equatable {
        var first: Int64
        var last: Int64

        /// True if the periods overlap or are equal. Periods that only share a boundary do not overlap.
        func overlaps(_ other: Span) -> Bool { self == other || (first < other.last && other.first < last) }
    }

    /// The maximum number of distinguished receivers.
    static let maximumReceivers = 256

    /// The periods of the receivers by path; the path is empty for reports without a receiver.
    private(set) var receivers: [String: Span] = [:]
    /// True if there are more receivers than the maximum.
    private(set) var exceedsMaximum = false
    /// True if the trace contains a battery.
    private(set) var hasBattery: Bool
    /// The number of losses of the position source.
    private(set) var lossCount = 0

    /// Reads the whole trace.
    ///
    /// - Parameter offset: The offset added to the times of the trace.
    init(_ trace: TraceFile, _ header: TraceHeader, offset: Int64) {
        hasBattery = header.battery != nil
        var reading = TimedEventReader(trace)
        var decoder = GPSDDecoder()
        while let event = reading.next() {
            switch event.contents {
            case .gpsd(let line):
                let time = (event.time ?? 0).addingSaturated(offset)
                if let path = line.withUnsafeBytes({ decoder.decode($0) }).receiver { recordReceiver(path, at: time) }
            case .battery: hasBattery = true
            case .lost: lossCount += 1
            default: break
            }
        }
    }

    private mutating func recordReceiver(_ path: String, at time: Int64) {
        if receivers[path] != nil {
            receivers[path]?.last = time
        } else if receivers.count < Self.maximumReceivers {
            receivers[path] = Span(first: time, last: time)
        } else {
            exceedsMaximum = true
        }
    }
}
