// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// What a device is like at a place of a trace, as the events before that place tell.
struct TraceState: Sendable {
    var battery: BatteryReading?
    /// Nil while positions can be had.
    var positionLoss: DeviceError?
    /// The sensors that are lost, by their place in the trace's list.
    var sensorLosses: [Int: DeviceError] = [:]
    /// The last fix of each receiver, at most as many as a hub tells apart.
    var fixes: [PositionReport] = []
    var receivers: [ReceiverDescription] = []
    /// The accessories that are attached, in the order in which they came, as they were described last.
    var accessories: [TraceAccessoryEvent] = []

    private static let maximumReceivers = 64

    mutating func take(_ fix: PositionReport) {
        positionLoss = nil
        guard fix.hasFix else { return }
        fixes.removeAll { $0.receiver == fix.receiver }
        if fixes.count == Self.maximumReceivers { fixes.removeFirst() }
        fixes.append(fix)
    }

    mutating func take(_ receiver: ReceiverDescription) {
        receivers.removeAll { $0.path == receiver.path }
        if receiver.isActive, receivers.count < Self.maximumReceivers { receivers.append(receiver) }
    }

    mutating func take(_ event: TraceAccessoryEvent) {
        let index = accessories.firstIndex { $0.accessory == event.accessory }
        switch event.change {
        case .attached: if let index { accessories[index] = event } else { accessories.append(event) }
        case .detached:
            if let index { accessories.remove(at: index) }
        // What was said before is not said again.
        case .opened, .closed, .received, .sent: break
        }
    }
}
