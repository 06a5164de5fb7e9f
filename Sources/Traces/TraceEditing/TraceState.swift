// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
package import Trace

/// The state at a point in a trace. The events in ``events`` restore this state.
package struct TraceState: Sendable {
    private struct Attachment {
        var id: String
        var description: AccessoryDescription
        var openProtocols: [String] = []
    }

    /// The battery state, or nil if there was no battery event. The inner optional is nil if the battery was removed.
    private var battery: BatteryReading??
    private var positionLoss: DeviceError?
    private var beaconLoss: DeviceError?
    private var sensorLosses: [(id: SensorDescription.ID, error: DeviceError)] = []
    private var attachments: [Attachment] = []
    private var version: [UInt8]?
    private var devices: [UInt8]?
    /// For each receiver, the latest DEVICE report since the latest device list.
    private var receivers: [(path: String, line: [UInt8])] = []
    private var decoder = GPSDDecoder()

    package init() {}

    package mutating func update(with event: TraceEvent) {
        switch event.contents {
        case .gpsd(let line): update(with: line)
        case .gpsdText, .sample, .beacon(.sighting): break
        case .lost(let error): positionLoss = error
        case .regained: positionLoss = nil
        case .sensorLost(let error, let sensor):
            sensorLosses.removeAll { $0.id == sensor }
            sensorLosses.append((sensor, error))
        case .sensorRegained(let sensor): sensorLosses.removeAll { $0.id == sensor }
        case .battery(let reading): battery = .some(reading)
        case .accessory(let event): update(with: event)
        case .beacon(.lost(let error)): beaconLoss = error
        case .beacon(.regained): beaconLoss = nil
        }
    }

    /// The order matters: a device list discards earlier DEVICE reports, and a session needs an attached accessory.
    package var events: [TraceEvent.Contents] {
        var events: [TraceEvent.Contents] = []
        if let battery { events.append(.battery(battery)) }
        for line in [version, devices].compactMap(\.self) + receivers.map(\.line) { events.append(.gpsd(line)) }
        if let positionLoss { events.append(.lost(positionLoss)) }
        if let beaconLoss { events.append(.beacon(.lost(beaconLoss))) }
        for loss in sensorLosses { events.append(.sensorLost(loss.error, sensor: loss.id)) }
        for attachment in attachments {
            events.append(.accessory(TraceAccessoryEvent(accessory: attachment.id, .attached(attachment.description))))
            for name in attachment.openProtocols {
                events.append(.accessory(TraceAccessoryEvent(accessory: attachment.id, .opened(name))))
            }
        }
        return events
    }

    private mutating func update(with line: [UInt8]) {
        switch line.withUnsafeBytes({ decoder.decode($0) }) {
        case .version: version = line
        case .devices:
            devices = line
            receivers = []
        case .device(let receiver):
            receivers.removeAll { $0.path == receiver.path }
            // Limits the memory that a malicious trace can use. `TraceCursor` limits the sensors and accessories.
            if receivers.count < 64 { receivers.append((receiver.path, line)) }
        default: break
        }
    }

    private mutating func update(with event: TraceAccessoryEvent) {
        let index = attachments.firstIndex { $0.id == event.accessory }
        switch event.change {
        case .attached(let description):
            if let index {
                attachments[index].description = description
            } else {
                attachments.append(Attachment(id: event.accessory, description: description))
            }
        case .detached: if let index { attachments.remove(at: index) }
        case .opened(let name):
            if let index, !attachments[index].openProtocols.contains(name) {
                attachments[index].openProtocols.append(name)
            }
        case .closed(let name, _): if let index { attachments[index].openProtocols.removeAll { $0 == name } }
        case .received, .sent: break
        }
    }
}
