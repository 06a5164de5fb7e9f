// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import GPSDProtocol
package import Trace

/// Sees the events of a trace while it is played, and may change them: what a person lets go wrong by hand.
package struct PlaybackFilter: Sendable {
    /// True when it is to see the readings of motion sensors too.
    package var takesSamples: Bool
    /// What becomes of an event; nil for one that stays as it is. Called by whoever plays.
    package var apply: @Sendable (TraceEvent) -> [TraceEvent]?

    package init(takesSamples: Bool, apply: @escaping @Sendable (TraceEvent) -> [TraceEvent]?) {
        (self.takesSamples, self.apply) = (takesSamples, apply)
    }
}

extension SimulatedDevice {
    /// Has the filter see what is played from here on; nil for none. Does nothing when called while the device plays.
    package func filter(by filter: PlaybackFilter?) {
        guard player.claim() else { return }
        defer { player.release() }
        player.filter = filter
    }

    /// The number of an accessory by the trace's name for it; nil while it is not attached. For filters, which are called by
    /// whoever plays.
    package func accessory(named name: String) -> AccessoryDescription.ID? { player.accessory(named: name) }
}

extension TraceFeed {
    /// The event that comes next in memory of its own; nil for a reading of a sensor, and for what no filter sees.
    ///
    /// - Parameter sensor: the one that it is about.
    func event(sensor: SensorDescription.ID?) -> TraceEvent? {
        let contents: TraceEvent.Contents
        switch content {
        case .position, .other: contents = .gpsd(line())
        case .line where kind == .gpsdText: contents = .gpsdText(line())
        case .line, .round: return nil
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
        return TraceEvent(time: lastPlace, contents)
    }

    /// Puts that in the place of the event that comes next.
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
            move()
        case .gpsdText(let line):
            replacedLine = line
            kind = .gpsdText
            content = .line
        case .lost(let error): set(.lost, .lost(error))
        case .regained: set(.regained, .regained)
        case .battery(let battery): set(.battery, .battery(battery))
        case .accessory(let event): set(.accessory, .accessory(event))
        case .beacon(let event): set(.beacon, .beacon(event))
        // Those are handed on by the name of the sensor.
        case .sample, .sensorLost, .sensorRegained: break
        }
    }

    private mutating func set(_ kind: TraceRecord.Kind, _ content: Content) {
        self.kind = kind
        self.content = content
    }
}
