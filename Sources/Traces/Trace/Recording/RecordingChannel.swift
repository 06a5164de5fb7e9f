// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Synchronization

/// A byte channel that wraps another channel and reports the data that passes through it. Bytes read during a write may
/// be a response to it. They are reported after the write, because playback requires this order.
final class RecordingChannel: PollableChannel {
    private struct State {
        var writesInProgress = 0
        /// The events deferred while a write is in progress.
        var deferred: [TraceAccessoryEvent.Change] = []
        var queue = BoundedQueue<TraceAccessoryEvent.Change>()
        var hasEnded = false
    }

    private let channel: any ByteChannel
    private let name: String
    private let receive: @Sendable (TraceAccessoryEvent.Change) -> Void
    private let state = Mutex(State())

    init(
        _ channel: any ByteChannel, protocol name: String,
        receive: @escaping @Sendable (TraceAccessoryEvent.Change) -> Void
    ) {
        (self.channel, self.name, self.receive) = (channel, name, receive)
        receive(.opened(name))
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> ByteChannelRead {
        let result = channel.read(into: buffer)
        switch result {
        case .bytes(let count):
            report(.received(name, [UInt8](UnsafeRawBufferPointer(rebasing: buffer[0..<min(count, buffer.count)]))))
        case .ended(let end): reportEnd(end.reason)
        case .empty: break
        }
        return result
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> ByteChannelWrite {
        state.withLock { $0.writesInProgress += 1 }
        let result = channel.write(bytes)
        state.withLock { state in
            if case .accepted(let count) = result, count > 0, !state.hasEnded {
                let accepted = UnsafeRawBufferPointer(rebasing: bytes[0..<min(count, bytes.count)])
                state.queue.append(.sent(name, [UInt8](accepted)))
            }
            state.writesInProgress -= 1
            guard state.writesInProgress == 0 else { return }
            for change in state.deferred { state.queue.append(change) }
            state.deferred = []
        }
        state.drain(\.queue, receive)
        return result
    }

    var status: ByteChannelStatus { channel.status }
    func observe(_ receive: (@Sendable (ByteChannelEvent) -> Void)?) { channel.observe(receive) }
    func setExecutor(_ executor: ExecutorIdentity?) { (channel as? any PollableChannel)?.setExecutor(executor) }
    func readPendingInput() { (channel as? any PollableChannel)?.readPendingInput() }

    func close() {
        // If the channel has already ended, the original reason is reported instead of `closed`.
        let reason = channel.end?.reason ?? .closed
        channel.close()
        reportEnd(reason)
    }

    private func reportEnd(_ reason: ByteChannelEnd.Reason) { report(.closed(name, reason)) }

    private func report(_ change: TraceAccessoryEvent.Change) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            if case .closed = change { state.hasEnded = true }
            if state.writesInProgress > 0 { state.deferred.append(change) } else { state.queue.append(change) }
        }
        state.drain(\.queue, receive)
    }
}

/// An accessory source that wraps another one. Its listeners receive the events of all sessions opened through the
/// wrapper.
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
            let previousListeners = self?.state.withLock { state in
                let listeners = state.listeners
                state.listeners.removeAll { $0.number == number }
                return listeners
            }
            // The removed closure is released after unlocking, because its release may run arbitrary code.
            withExtendedLifetime(previousListeners) {}
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
    /// Returns a copy of this device that allows a ``TraceRecorder`` to record accessory sessions. Create the recorder
    /// with the copy, and open the sessions through the copy.
    ///
    /// Other sessions, including those of other processes, cannot be recorded, because the operating system provides no
    /// access to them.
    public func recordingAccessories() -> Device {
        if accessorySource is RecordingAccessorySource { return self }
        return Device(
            name: name, clock: clock, configuration: configuration, positionSource: positionSource,
            motionSource: motionSource, accessorySource: RecordingAccessorySource(accessorySource, clock: clock),
            beaconSource: beaconSource, statusSource: statusSource, calibrations: calibrations, playback: playback)
    }
}
