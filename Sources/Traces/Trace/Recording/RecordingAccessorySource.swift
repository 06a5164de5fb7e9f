// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Synchronization

/// A wrapper of an accessory source that reports the data of all sessions opened through it to listeners.
final class RecordingAccessorySource: AccessorySource {
    typealias Listener = @Sendable (AccessoryDescription.ID, TraceAccessoryEvent.Change, BootTime) -> Void

    private struct State {
        var listeners: [(number: Int, receive: Listener)] = []
        var lastNumber = 0
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
        return RecordingChannel(channel, protocol: name) { [weak self] change in self?.notify(accessory, change) }
    }

    /// Subscribes a listener to the events of all sessions. The events of each session arrive in order.
    func listen(_ receive: @escaping Listener) -> Subscription {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.listeners.append((state.lastNumber, receive))
            return state.lastNumber
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

    private func notify(_ accessory: AccessoryDescription.ID, _ change: TraceAccessoryEvent.Change) {
        let listeners = state.withLock { $0.listeners }
        guard !listeners.isEmpty else { return }
        let now = clock.now
        for listener in listeners { listener.receive(accessory, change, now) }
    }
}

extension Device {
    /// Returns the same device with a wrapped accessory source, so that each ``TraceRecorder`` of the returned device
    /// records the data of sessions that are opened through it.
    ///
    /// Other sessions, including those of other processes, cannot be recorded, because the operating system provides no
    /// access to them.
    public func recordingAccessories() -> Device {
        if accessorySource is RecordingAccessorySource { return self }
        return Device(
            name: name, clock: clock, configuration: configuration, positionSource: positionSource,
            motionSource: motionSource, accessorySource: RecordingAccessorySource(accessorySource, clock: clock),
            statusSource: statusSource, calibrations: calibrations, playback: playback)
    }
}
