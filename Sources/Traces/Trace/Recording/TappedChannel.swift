// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// A wrapper of a byte channel that reports all data in an order that can be played back. Bytes that are read during a
/// write are reported after it, because they may be the response to it.
final class TappedChannel: LendableChannel {
    private struct State {
        /// The number of calls of `write` in progress.
        var writing = 0
        /// The events that occurred during those calls.
        var held: [TraceAccessoryEvent.Change] = []
        var outbox = Outbox<TraceAccessoryEvent.Change>()
        var isOver = false
    }

    private let channel: any ByteChannel
    private let name: String
    private let receive: @Sendable (TraceAccessoryEvent.Change) -> Void
    private let state = Mutex(State())

    init(
        _ channel: any ByteChannel, protocol name: String,
        receive: @escaping @Sendable (TraceAccessoryEvent.Change) -> Void
    ) {
        self.channel = channel
        self.name = name
        self.receive = receive
        receive(.opened(name))
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> ByteChannelRead {
        let result = channel.read(into: buffer)
        switch result {
        case .bytes(let count):
            tell(.received(name, [UInt8](UnsafeRawBufferPointer(rebasing: buffer[0..<min(count, buffer.count)]))))
        case .ended(let end): tellEnd(end.reason)
        case .empty: break
        }
        return result
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> ByteChannelWrite {
        state.withLock { $0.writing += 1 }
        let result = channel.write(bytes)
        state.withLock { state in
            if case .taken(let count) = result, count > 0, !state.isOver {
                let taken = UnsafeRawBufferPointer(rebasing: bytes[0..<min(count, bytes.count)])
                state.outbox.append(.sent(name, [UInt8](taken)))
            }
            state.writing -= 1
            guard state.writing == 0 else { return }
            for change in state.held { state.outbox.append(change) }
            state.held = []
        }
        state.handOn(\.outbox, receive)
        return result
    }

    var status: ByteChannelStatus { channel.status }

    func observe(_ receive: (@Sendable (ByteChannelEvent) -> Void)?) { channel.observe(receive) }

    func deliver(in place: DirectPlace?) { (channel as? any LendableChannel)?.deliver(in: place) }

    func takeIn() { (channel as? any LendableChannel)?.takeIn() }

    func close() {
        // If the channel had already ended, its reason is kept: this call did not end the session.
        let reason = channel.end?.reason ?? .closed
        channel.close()
        tellEnd(reason)
    }

    private func tellEnd(_ reason: ByteChannelEnd.Reason) { tell(.closed(name, reason)) }

    private func tell(_ change: TraceAccessoryEvent.Change) {
        state.withLock { state in
            guard !state.isOver else { return }
            if case .closed = change { state.isOver = true }
            if state.writing > 0 { state.held.append(change) } else { state.outbox.append(change) }
        }
        state.handOn(\.outbox, receive)
    }
}
