// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// One connection after another with the same accessory, as one that does not end: what is there to be read is read in
/// order, and while the accessory is away there is no space to write.
final class FollowingChannel: LendableChannel {
    private struct State {
        var current: (any ByteChannel)?
        /// Connections that are over and from which something is left to be read, oldest first.
        var former: [any ByteChannel] = []
        var observer: (@Sendable (ByteChannelEvent) -> Void)?
        /// Where the program hears of what comes in.
        var place: DirectPlace?
        var isClosed = false
    }

    /// So many connections are kept for what is left in them; of more the oldest is forgotten.
    private static let formerLimit = 8

    let identity: String
    let name: String
    private let state = Mutex(State())
    /// Tells the program of news.
    let changed: @Sendable (EASession.Connection) -> Void
    private let closed: @Sendable (ObjectIdentifier) -> Void

    init(
        _ first: any ByteChannel, identity: String, name: String,
        changed: @escaping @Sendable (EASession.Connection) -> Void,
        closed: @escaping @Sendable (ObjectIdentifier) -> Void
    ) {
        self.identity = identity
        self.name = name
        self.changed = changed
        self.closed = closed
        adopt(first)
    }

    /// Goes on with a new connection, unless this is closed or has one.
    @discardableResult
    func adopt(_ channel: any ByteChannel) -> Bool {
        let (isTaken, observer) = state.withLock { state -> (Bool, (@Sendable (ByteChannelEvent) -> Void)?) in
            guard !state.isClosed, state.current == nil else { return (false, nil) }
            state.current = channel
            return (true, state.observer)
        }
        guard isTaken else {
            channel.close()
            return false
        }
        channel.observe { [weak self, weak channel] event in
            if let channel { self?.receive(event, from: channel) }
        }
        deliver()
        observer?(.readable)
        observer?(.writable)
        if channel.end != nil { receive(.ended, from: channel) }
        return true
    }

    /// True while there is no connection and one is wanted.
    var isPaused: Bool { state.withLock { !$0.isClosed && $0.current == nil } }

    private func receive(_ event: ByteChannelEvent, from channel: any ByteChannel) {
        guard case .ended = event else {
            state.withLock { $0.current === channel ? $0.observer : nil }?(event)
            return
        }
        let (forgotten, isNews) = state.withLock { state -> ((any ByteChannel)?, Bool) in
            guard !state.isClosed, state.current === channel else { return (nil, false) }
            state.current = nil
            state.former.append(channel)
            return (state.former.count > FollowingChannel.formerLimit ? state.former.removeFirst() : nil, true)
        }
        forgotten?.close()
        if isNews { changed(.paused(unsentBytes: channel.end?.unsentBytes ?? 0)) }
    }

    // MARK: A channel

    func read(into buffer: UnsafeMutableRawBufferPointer) -> ByteChannelRead {
        while true {
            let (channel, isFormer, isClosed) = state.withLock { state in
                (state.former.first ?? state.current, !state.former.isEmpty, state.isClosed)
            }
            if isClosed { return .ended(ByteChannelEnd(.closed)) }
            guard let channel else { return .empty }
            let result = channel.read(into: buffer)
            guard case .ended = result else { return result }
            // Over before its end was told.
            guard isFormer else { return .empty }
            state.withLock { state in
                if state.former.first === channel { state.former.removeFirst() }
            }
            channel.close()
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> ByteChannelWrite {
        let (channel, isClosed) = state.withLock { ($0.current, $0.isClosed) }
        if isClosed { return .ended(ByteChannelEnd(.closed)) }
        guard let result = channel?.write(bytes), case .taken = result else { return .taken(0) }
        return result
    }

    var status: ByteChannelStatus {
        let (current, former, isClosed) = state.withLock { ($0.current, $0.former, $0.isClosed) }
        if isClosed { return .closed }
        var status = current?.status ?? ByteChannelStatus(bytesAvailable: 0, spaceAvailable: 0, end: nil)
        // That of the present connection is no end of this one.
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

    func deliver(in place: DirectPlace?) {
        state.withLock { $0.place = place }
        deliver()
    }

    private func deliver() {
        // Under the lock, so that no former place comes after the present one.
        state.withLock { state in (state.current as? any LendableChannel)?.deliver(in: state.place) }
    }

    func takeIn() {
        let current = state.withLock { $0.current }
        (current as? any LendableChannel)?.takeIn()
    }

    func close() {
        let (channels, observer) = state.withLock { state in
            defer {
                state.isClosed = true
                state.current = nil
                state.former = []
                state.observer = nil
            }
            return (state.former + [state.current].compactMap { $0 }, state.observer)
        }
        for channel in channels { channel.close() }
        closed(ObjectIdentifier(self))
        withExtendedLifetime(observer) {}
    }
}
