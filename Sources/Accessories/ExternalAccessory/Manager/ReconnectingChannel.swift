// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// A channel that does not end when its accessory is disconnected. Each time the accessory is reconnected, the channel
/// continues with the new connection. Bytes are read in the order received. While the accessory is disconnected, there
/// is no space to write.
final class ReconnectingChannel: PollableChannel {
    private struct State {
        /// The channel of the connected accessory, or `nil` while the accessory is disconnected.
        var current: (any ByteChannel)?
        /// Ended connections with unread bytes, oldest first.
        var previous: [any ByteChannel] = []
        var observer: (@Sendable (ByteChannelEvent) -> Void)?
        var executor: ExecutorIdentity?
        var isClosed = false
    }

    /// The maximum number of ended connections with unread bytes. If there are more, the oldest is closed and its
    /// unread bytes are lost.
    private static let maximumPreviousConnections = 8

    let identity: String
    /// The name of the protocol.
    let name: String
    private let state = Mutex(State())
    let onChange: @Sendable (EASession.Connection) -> Void
    private let onClose: @Sendable (ObjectIdentifier) -> Void

    init(
        _ first: any ByteChannel, identity: String, name: String,
        changed: @escaping @Sendable (EASession.Connection) -> Void,
        closed: @escaping @Sendable (ObjectIdentifier) -> Void
    ) {
        self.identity = identity
        self.name = name
        self.onChange = changed
        self.onClose = closed
        adopt(first)
    }

    /// Continues with a new connection. If this channel is closed or already has a connection, closes the new one and
    /// returns false.
    @discardableResult func adopt(_ channel: any ByteChannel) -> Bool {
        let (isAdopted, observer) = state.withLock { state -> (Bool, (@Sendable (ByteChannelEvent) -> Void)?) in
            guard !state.isClosed, state.current == nil else { return (false, nil) }
            state.current = channel
            return (true, state.observer)
        }
        guard isAdopted else {
            channel.close()
            return false
        }
        channel.observe { [weak self, weak channel] event in if let channel { self?.receive(event, from: channel) } }
        updatePollingExecutor()
        observer?(.readable)
        observer?(.writable)
        // The connection may have ended before it was observed.
        if channel.end != nil { receive(.ended, from: channel) }
        return true
    }

    var isPaused: Bool { state.withLock { !$0.isClosed && $0.current == nil } }

    private func receive(_ event: ByteChannelEvent, from channel: any ByteChannel) {
        guard case .ended = event else {
            state.withLock { $0.current === channel ? $0.observer : nil }?(event)
            return
        }
        let (discarded, isNew) = state.withLock { state -> ((any ByteChannel)?, Bool) in
            guard !state.isClosed, state.current === channel else { return (nil, false) }
            state.current = nil
            state.previous.append(channel)
            return (
                state.previous.count > ReconnectingChannel.maximumPreviousConnections
                    ? state.previous.removeFirst() : nil, true
            )
        }
        discarded?.close()
        if isNew { onChange(.paused(unsentBytes: channel.end?.unsentBytes ?? 0)) }
    }

    // MARK: PollableChannel

    func read(into buffer: UnsafeMutableRawBufferPointer) -> ByteChannelRead {
        while true {
            let (channel, isFormer, isClosed) = state.withLock { state in
                (state.previous.first ?? state.current, !state.previous.isEmpty, state.isClosed)
            }
            if isClosed { return .ended(ByteChannelEnd(.closed)) }
            guard let channel else { return .empty }
            let result = channel.read(into: buffer)
            guard case .ended = result else { return result }
            // The current connection has ended, but `receive(_:from:)` has not yet processed its `ended` event.
            guard isFormer else { return .empty }
            state.withLock { state in if state.previous.first === channel { state.previous.removeFirst() } }
            channel.close()
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> ByteChannelWrite {
        let (channel, isClosed) = state.withLock { ($0.current, $0.isClosed) }
        if isClosed { return .ended(ByteChannelEnd(.closed)) }
        guard let result = channel?.write(bytes), case .accepted = result else { return .accepted(0) }
        return result
    }

    var status: ByteChannelStatus {
        let (current, former, isClosed) = state.withLock { ($0.current, $0.previous, $0.isClosed) }
        if isClosed { return .closed }
        var status = current?.status ?? ByteChannelStatus(bytesAvailable: 0, spaceAvailable: 0, end: nil)
        // This channel does not end when its current connection ends.
        status.end = nil
        for channel in former { status.bytesAvailable += channel.status.bytesAvailable }
        return status
    }

    func observe(_ receive: (@Sendable (ByteChannelEvent) -> Void)?) {
        let former = state.withLock { state in
            defer { state.observer = receive }
            return state.observer
        }
        withExtendedLifetime(former) {}
    }

    func setExecutor(_ executor: ExecutorIdentity?) {
        state.withLock { $0.executor = executor }
        updatePollingExecutor()
    }

    private func updatePollingExecutor() {
        // Calls `setExecutor` with the lock held. Otherwise, a concurrent call could overwrite a newer executor with an
        // older one.
        state.withLock { state in (state.current as? any PollableChannel)?.setExecutor(state.executor) }
    }

    func readPendingInput() {
        let current = state.withLock { $0.current }
        (current as? any PollableChannel)?.readPendingInput()
    }

    func close() {
        let (channels, observer) = state.withLock { state in
            defer {
                state.isClosed = true
                state.current = nil
                state.previous = []
                state.observer = nil
            }
            return (state.previous + [state.current].compactMap { $0 }, state.observer)
        }
        for channel in channels { channel.close() }
        onClose(ObjectIdentifier(self))
        withExtendedLifetime(observer) {}
    }
}
