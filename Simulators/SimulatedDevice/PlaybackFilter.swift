// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import GPSDProtocol
package import Trace

/// A filter for manual fault injection. It receives the trace events during playback and can replace them.
package struct PlaybackFilter: Sendable {
    package var includesSamples: Bool
    /// Returns the events that replace an event, or nil to keep the event. Called on the thread that plays the trace.
    /// If several samples are read together, it is called for all of them before the first is delivered.
    package var apply: @Sendable (TraceEvent) -> [TraceEvent]?

    package init(includesSamples: Bool, apply: @escaping @Sendable (TraceEvent) -> [TraceEvent]?) {
        (self.includesSamples, self.apply) = (includesSamples, apply)
    }
}

extension SimulatedDevice {
    /// Applies the filter to all subsequent events. Pass nil to remove the current filter. Does nothing while the
    /// device is playing.
    package func filter(by filter: PlaybackFilter?) {
        guard player.acquire() else { return }
        defer { player.release() }
        player.filter = filter
    }

    package func accessory(named name: String) -> AccessoryDescription.ID? { player.accessory(named: name) }
}

extension TraceFeed {
    /// Consumes samples that arrived together and returns each as an event. Returns no events if the device does not
    /// include the sensor.
    mutating func readSampleEvents() -> [TraceEvent] {
        let sensor = record.flatMap { sensorID(of: $0) }
        var batch = MotionBatch(sensor: "", kind: .pressure)
        readSamples(into: &batch, isWanted: sensor != nil)
        guard let sensor, let kind = record?.sample?.kind else { return [] }
        let (origin, traceTime) = (bootTime(0).nanoseconds, lastTraceTime)
        return zip(batch.values, batch.times).map { value, time in
            let stamp = time.nanoseconds.subtractingSaturated(origin)
            return TraceEvent(time: traceTime, .sample(value, kind: kind, sensor: sensor, stamp: stamp))
        }
    }

    /// Stores an event from a filter in `event`.
    mutating func decode(_ replacement: TraceEvent, into event: inout PlaybackEvent) {
        event.line = nil
        switch replacement.contents {
        case .gpsd(let line):
            event.line = line
            line.withUnsafeBytes { event.decode($0, with: &decoder) }
            event.shiftTime(by: shift)
        case .gpsdText(let line):
            event.line = line
            event.content = .text
        case .sample(let value, let kind, let sensor, let stamp):
            let measured = bootTime(stamp ?? replacement.time ?? lastTraceTime)
            event.content = .sample(MotionBatch(sensor: sensor, kind: kind, values: [value], times: [measured]))
        case .lost, .regained, .sensorLost, .sensorRegained, .battery, .accessory, .beacon:
            event.content = .other(replacement.contents)
        }
    }
}

extension PlaybackEvent {
    /// Returns the event to pass to a filter, or nil if filters do not receive it. For gpsd lines, `line` must be set.
    func traceEvent(at time: Int64) -> TraceEvent? {
        switch content {
        case .position, .report: TraceEvent(time: time, .gpsd(line ?? []))
        case .text: TraceEvent(time: time, .gpsdText(line ?? []))
        case .other(let contents): TraceEvent(time: time, contents)
        case .sample, .loopStart, .ignored: nil
        }
    }
}
