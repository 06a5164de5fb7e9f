// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// A wrapper of a byte channel that reports all data in an order that can be played back. Bytes that are read during a
/// write are reported after it, because they may be the response to it.
final class RecordingChannel: PollableChannel {
    private struct State {
        /// The number of calls of `write` in progress.
        var writesInProgress = 0
        /// The events that occurred during those calls.
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
        self.channel = channel
        self.name = name
        self.receive = receive
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
                let taken = UnsafeRawBufferPointer(rebasing: bytes[0..<min(count, bytes.count)])
                state.queue.append(.sent(name, [UInt8](taken)))
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

    func setExecutor(_ place: DirectPlace?) { (channel as? any PollableChannel)?.setExecutor(place) }

    func readPendingInput() { (channel as? any PollableChannel)?.readPendingInput() }

    func close() {
        // If the channel had already ended, its reason is kept: this call did not end the session.
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
