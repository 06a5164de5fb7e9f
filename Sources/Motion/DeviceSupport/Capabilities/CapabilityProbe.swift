// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Foundation
import Synchronization

/// Determines a device's capabilities, querying each source only once. When the position source is queried, waits up to
/// `positionTimeout` for its first event.
struct CapabilityProbe {
    enum Availability {
        case available(String)
        case absent(String)
        case unknown
    }

    private struct PositionSourceState {
        var isResponding = false
        var hasReceiver = false
        var reason = "The position source has not responded yet. Check that gpsd runs at the configured address."
    }

    let device: Device
    let positionTimeout: Duration
    private var sensors: [SensorDescription]?
    private var position: PositionSourceState?

    init(device: Device, positionTimeout: Duration) { (self.device, self.positionTimeout) = (device, positionTimeout) }

    mutating func availability(of name: String) -> Availability {
        switch name {
        case "accelerometer": return sensor(.accelerometer)
        case "gyroscope": return sensor(.gyroscope)
        case "magnetometer": return sensor(.magnetometer)
        case "location-services":
            let position = positionSourceState()
            return position.isResponding ? .available("The position source responds.") : .absent(position.reason)
        case "gps":
            let position = positionSourceState()
            if position.hasReceiver { return .available("The position source has a receiver.") }
            let noReceiver = "The position source responds but has no receiver. Plug one in."
            return .absent(position.isResponding ? noReceiver : position.reason)
        default: return .unknown
        }
    }

    private mutating func sensor(_ kind: SensorKind) -> Availability {
        let sensors = sensors ?? device.motionSource.sensors
        self.sensors = sensors
        guard let sensor = sensors.first(where: { $0.kind == kind }) else {
            return .absent("The motion source has no \(kind.rawValue).")
        }
        return .available("The motion source has the \(kind.rawValue) \(sensor.displayName).")
    }

    private mutating func positionSourceState() -> PositionSourceState {
        if let position { return position }
        let known = knownState()
        let found = known.hasReceiver ? known : queryState()
        position = found
        return found
    }

    private func knownState() -> PositionSourceState {
        let source = device.positionSource
        var position = PositionSourceState()
        position.hasReceiver = source.lastFix != nil || source.receivers.contains(where: \.isActive)
        position.isResponding = position.hasReceiver || !source.receivers.isEmpty
        return position
    }

    /// Does not wait for a simulated device, because simulated time would not advance during the wait. In this case,
    /// only events that arrive while `subscribe` is running are recorded.
    private func queryState() -> PositionSourceState {
        let listener = EventRecorder()
        let subscription = device.positionSource.subscribe(PositionRequest()) { event in listener.record(event) }
        if !device.isSimulated, positionTimeout > .zero { listener.wait(min(positionTimeout, .seconds(60))) }
        subscription.cancel()
        var position = listener.state
        let known = knownState()
        position.isResponding = position.isResponding || known.isResponding
        position.hasReceiver = position.hasReceiver || known.hasReceiver
        return position
    }

    private final class EventRecorder: Sendable {
        private let position = Mutex(PositionSourceState())
        private let eventReceived = DispatchSemaphore(value: 0)

        var state: PositionSourceState { position.withLock { $0 } }

        func wait(_ duration: Duration) { _ = eventReceived.wait(timeout: .now() + duration.inSeconds) }

        func record(_ event: PositionEvent) {
            position.withLock { position in
                switch event {
                case .receivers(let receivers):
                    position.isResponding = true
                    position.hasReceiver = receivers.contains(where: \.isActive)
                case .report, .sky, .attitude:
                    position.isResponding = true
                    position.hasReceiver = true
                case .lost(let error): position.reason = error.message
                case .regained, .line: position.isResponding = true
                }
            }
            eventReceived.signal()
        }
    }
}
