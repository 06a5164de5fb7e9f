// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Synchronization

/// A source that passes everything on, and tells listeners what is said in the sessions that are opened through it.
final class AccessoryTap: AccessorySource {
    typealias Listener = @Sendable (AccessoryDescription.ID, TraceAccessoryEvent.Change, BootTime) -> Void

    private struct State {
        var listeners: [(number: Int, receive: Listener)] = []
        var last = 0
    }

    private let source: any AccessorySource
    private let clock: any DeviceClock
    private let state = Mutex(State())

    init(_ source: any AccessorySource, clock: any DeviceClock) {
        self.source = source
        self.clock = clock
    }

    var accessories: [AccessoryDescription] { source.accessories }

    var problems: [DeviceError] { source.problems }

    func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription {
        source.subscribe(receive)
    }

    func open(_ accessory: AccessoryDescription.ID, protocol name: String) throws(DeviceError) -> any ByteChannel {
        let channel = try source.open(accessory, protocol: name)
        return TappedChannel(channel, protocol: name) { [weak self] change in self?.tell(accessory, change) }
    }

    /// Has the closure told of what is said from now on, in the order of each session, until the subscription ends.
    func listen(_ receive: @escaping Listener) -> Subscription {
        let number = state.withLock { state in
            state.last += 1
            state.listeners.append((state.last, receive))
            return state.last
        }
        return Subscription { [weak self] in
            let former = self?.state.withLock { state in
                let former = state.listeners
                state.listeners.removeAll { $0.number == number }
                return former
            }
            withExtendedLifetime(former) {}
        }
    }

    private func tell(_ accessory: AccessoryDescription.ID, _ change: TraceAccessoryEvent.Change) {
        let listeners = state.withLock { $0.listeners }
        guard !listeners.isEmpty else { return }
        let now = clock.now
        for listener in listeners { listener.receive(accessory, change, now) }
    }
}

extension Device {
    /// The same device, whose sessions with accessories can be recorded: what is read and written in sessions that are
    /// opened through it reaches every ``TraceRecorder`` of the device it returns.
    ///
    /// Only the sessions of this process can be recorded, and only those: the system has no place at which to listen to
    /// others.
    public func recordingAccessories() -> Device {
        if accessorySource is AccessoryTap { return self }
        return Device(
            name: name, clock: clock, configuration: configuration, positionSource: positionSource,
            motionSource: motionSource, accessorySource: AccessoryTap(accessorySource, clock: clock),
            statusSource: statusSource, calibrations: calibrations, playback: playback)
    }
}
