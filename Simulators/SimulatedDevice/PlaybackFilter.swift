// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import GPSDProtocol
package import Trace

/// A filter for manual fault injection. It receives the trace events during playback and can replace them.
package struct PlaybackFilter: Sendable {
    package var includesSamples: Bool
    /// Returns the events that replace an event, or nil to keep the event. Called on the playing thread.
    package var apply: @Sendable (TraceEvent) -> [TraceEvent]?

    package init(includesSamples: Bool, apply: @escaping @Sendable (TraceEvent) -> [TraceEvent]?) {
        (self.includesSamples, self.apply) = (includesSamples, apply)
    }
}

extension SimulatedDevice {
    /// Applies the filter to all further events. Pass nil to remove the current filter. Does nothing while the device
    /// is playing.
    package func filter(by filter: PlaybackFilter?) {
        guard player.acquire() else { return }
        defer { player.release() }
        player.filter = filter
    }

    package func accessory(named name: String) -> AccessoryDescription.ID? { player.accessory(named: name) }
}

extension TraceFeed {
    /// Returns a copy of the next event, or nil for motion samples and other events that filters do not receive.
    func event(sensor: SensorDescription.ID?) -> TraceEvent? {
        let contents: TraceEvent.Contents
        switch content {
        case .position, .other: contents = .gpsd(line())
        case .line where kind == .gpsdText: contents = .gpsdText(line())
        case .line, .loopStart: return nil
        case .lost(let error): contents = .lost(error)
        case .regained: contents = .regained
        case .sensorLost(let error):
            guard let sensor else { return nil }
            contents = .sensorLost(error, sensor: sensor)
        case .sensorRegained:
            guard let sensor else { return nil }
            contents = .sensorRegained(sensor: sensor)
        case .battery(let battery): contents = .battery(battery)
        case .accessory(let event): contents = .accessory(event)
        case .beacon(let event): contents = .beacon(event)
        }
        return TraceEvent(time: lastTraceTime, contents)
    }

    /// Makes an event from a filter the current event, until `consume()` is called.
    mutating func replace(with contents: TraceEvent.Contents) {
        switch contents {
        case .gpsd(let line):
            replacedLine = line
            kind = .gpsd
            if let report = line.withUnsafeBytes({ decoder.decode($0, position: &position) }) {
                content = .other(report)
            } else {
                content = .position
            }
            shiftTimes()
        case .gpsdText(let line):
            replacedLine = line
            kind = .gpsdText
            content = .line
        case .lost(let error): set(.lost, .lost(error))
        case .regained: set(.regained, .regained)
        case .battery(let battery): set(.battery, .battery(battery))
        case .accessory(let event): set(.accessory, .accessory(event))
        case .beacon(let event): set(.beacon, .beacon(event))
        // The player itself delivers the events of motion sensors.
        case .sample, .sensorLost, .sensorRegained: break
        }
    }

    private mutating func set(_ kind: TraceRecord.Kind, _ content: Content) {
        (self.kind, self.content) = (kind, content)
    }
}
