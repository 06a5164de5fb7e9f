// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// An event that `TraceFeed` passes to the player. Motion samples are passed in batches instead, unless a filter
/// replaces them. The feed and the player swap event values, so that the memory of `position` is reused.
struct PlaybackEvent {
    enum Content {
        /// A position. Its value is in `position`.
        case position
        case report(GPSDReport)
        /// A line that is not JSON. Only subscribers to raw lines receive it.
        case text
        /// A motion sample from a filter, without an arrival time.
        case sample(MotionBatch)
        /// An event that is neither a line nor a motion sample. Any sensor in it is identified by its ID on the device.
        case other(TraceEvent.Contents)
        /// The start of a new pass, with the device's state at that time.
        case loopStart(PlaybackState, isEndless: Bool)
        /// An event that cannot be decoded, or an event of a sensor that the device does not include.
        case ignored
    }

    var content = Content.ignored
    var position = PositionReport()
    /// The line from gpsd, or nil if the event is not a line or the player has not requested it.
    var line: [UInt8]?

    mutating func decode(_ line: UnsafeRawBufferPointer, with decoder: inout GPSDDecoder) {
        content = decoder.decode(line, position: &position).map { .report($0) } ?? .position
    }

    mutating func rename(by names: [String: String]) {
        switch content {
        case .position: position.receiver = names[position.receiver] ?? position.receiver
        case .report(let report): content = .report(report.renamed(by: names))
        default: break
        }
    }

    /// Shifts the receiver's time, if the event has one, by the given number of nanoseconds.
    mutating func shiftTime(by shift: Int64) {
        guard shift != 0 else { return }
        switch content {
        case .position: position.time = position.time?.shifted(by: shift)
        case .report(let report): content = .report(report.shifted(by: shift))
        default: break
        }
    }
}

extension GPSDReport {
    fileprivate func renamed(by names: [String: String]) -> GPSDReport {
        func renamed(_ receiver: ReceiverDescription) -> ReceiverDescription {
            var receiver = receiver
            receiver.path = names[receiver.path] ?? receiver.path
            return receiver
        }
        switch self {
        case .sky(var sky):
            sky.receiver = names[sky.receiver] ?? sky.receiver
            return .sky(sky)
        case .attitude(var attitude):
            attitude.receiver = names[attitude.receiver] ?? attitude.receiver
            return .attitude(attitude)
        case .devices(let receivers): return .devices(receivers.map(renamed))
        case .device(let receiver): return .device(renamed(receiver))
        case .position, .version, .watch, .error, .other, .malformed: return self
        }
    }
}
