// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Foundation
import Synchronization

/// Methods that schedule and close the streams, and deliver their events. Delegates are called outside the lock.
extension SessionCore {
    private struct Call: @unchecked Sendable {
        // `@unchecked Sendable` because a call is created and used only on its executor's thread.
        var direction: Direction
        var event: Stream.Event
        var stream: Stream
        var delegate: any StreamDelegate
    }

    // MARK: Executors

    func schedule(_ direction: Direction, in loop: RunLoop, _ mode: RunLoop.Mode) {
        let key = StreamExecutor.key(of: loop, mode)
        if add(existing: key, to: direction) { return }
        add(StreamExecutor(loop: loop, mode: mode, session: self, device: device), to: direction)
    }

    func remove(_ direction: Direction, from loop: RunLoop, _ mode: RunLoop.Mode) {
        remove(direction, StreamExecutor.key(of: loop, mode))
    }

    /// Delivers the events of both streams exclusively on a dispatch queue. If `queue` is `nil`, no events are
    /// delivered until the streams are scheduled again.
    func setQueue(_ queue: DispatchQueue?) {
        let executor = queue.map { StreamExecutor(queue: $0, session: self, device: device) }
        for direction in [Direction.input, .output] {
            remove(direction, nil)
            if let executor { add(executor, to: direction) }
        }
    }

    /// If the other stream already has an executor with this key, adds that executor to this stream. If neither stream
    /// has such an executor, returns false, and the caller must create one.
    private func add(existing key: StreamExecutor.Key, to direction: Direction) -> Bool {
        let isAdded = state.withLock { state -> Bool in
            if state[direction].events.isClosed || state[direction].executors.contains(where: { $0.key == key }) {
                return true
            }
            let other = direction == .input ? state.output : state.input
            guard let executor = other.executors.first(where: { $0.key == key }) else { return false }
            state[direction].executors.append(executor)
            return true
        }
        if isAdded {
            signal(direction)
            if direction == .input { updatePollingExecutor() }
        }
        return isAdded
    }

    private func add(_ executor: StreamExecutor, to direction: Direction) {
        let isAdded = state.withLock { state in
            guard !state[direction].events.isClosed else { return false }
            state[direction].executors.append(executor)
            return true
        }
        if isAdded { signal(direction) } else { executor.invalidate() }
        if direction == .input { updatePollingExecutor() }
    }

    private func remove(_ direction: Direction, _ key: StreamExecutor.Key?) {
        let unused = state.withLock { $0.remove(direction, key) }
        if direction == .input { updatePollingExecutor() }
        for executor in unused { executor.invalidate() }
    }

    // MARK: Closing

    func close(_ direction: Direction) {
        let error = error(direction)
        let (unused, isLast) = state.withLock { state -> ([StreamExecutor], Bool) in
            guard !state[direction].events.isClosed else { return ([], false) }
            state[direction].events.close()
            updateOpenFlag(direction, state)
            state[direction].error = error
            return (state.remove(direction, nil), state.input.events.isClosed && state.output.events.isClosed)
        }
        if direction == .input { updatePollingExecutor() }
        for executor in unused { executor.invalidate() }
        if direction == .input { wakeReaders() } else { wakeWriters() }
        if isLast { channel.close() }
    }

    /// Called when the session is released, or when another session takes over its protocol.
    func closeStreams() {
        close(.input)
        close(.output)
    }

    func invalidate() {
        closeStreams()
        state.withLock { state in
            state.input.stream = nil
            state.output.stream = nil
        }
    }

    // MARK: Delivery

    /// Delivers pending events on the executor's thread.
    ///
    /// - Parameter all: True to lift the limit on the number of events per call. Has an effect only if the connection
    ///   has ended.
    func deliver(at executor: StreamExecutor, all: Bool = false) {
        guard var call = next(at: executor, after: nil) else { return }
        let isDone = device.withCurrent {
            var count = 1
            while count < SessionCore.maximumEventsPerDrain || (all && channel.end != nil) {
                call.delegate.stream(call.stream, handle: call.event)
                guard let following = next(at: executor, after: call) else { return true }
                call = following
                count += 1
            }
            call.delegate.stream(call.stream, handle: call.event)
            state.withLock { $0[call.direction].events.finish(call.event) }
            signal(call.direction)
            return false
        }
        if !isDone { executor.signal() }
    }

    /// Called on the main thread before the app is notified of the disconnection.
    func deliverOnMainThread() {
        let executors = state.withLock { state in
            state.input.executors
                + state.output.executors.filter { executor in !state.input.executors.contains { $0 === executor } }
        }
        for executor in executors { executor.drainIfMainRunLoop() }
    }

    private func next(at executor: StreamExecutor, after former: Call?) -> Call? {
        let (direction, event) = (former?.direction, former?.event)
        let (call, hasMoved) = state.withLock { state -> (Call?, Bool) in
            var wasRescheduled = false
            if let direction, let event {
                state[direction].events.finish(event)
                wasRescheduled = !state[direction].executors.contains { $0 === executor }
            }
            let first: Direction = state.lastDirection == .input ? .output : .input
            // The status is read with the lock held. Any later channel event is processed after the lock is released,
            // and then signals the executor again.
            let status = channel.status
            return (
                nextCall(first, at: executor, status, &state)
                    ?? nextCall(state.lastDirection, at: executor, status, &state), wasRescheduled
            )
        }
        // The callback has moved the stream to a new executor. That executor found no pending event while the callback
        // was running, so it is signalled again.
        if hasMoved, let direction { signal(direction) }
        return call
    }

    private func nextCall(
        _ direction: Direction, at executor: StreamExecutor, _ status: ByteChannelStatus, _ state: inout State
    ) -> Call? {
        guard let stream = state[direction].stream, state[direction].executors.contains(where: { $0 === executor }),
            let event = state[direction].events.pending(status),
            // Without a delegate, the event stays pending. The delegate must be loaded last. If a later condition
            // failed, the delegate could be released with the lock held.
            let delegate = state[direction].delegate
        else { return nil }
        state[direction].events.begin(event)
        if event == .errorOccurred, state[direction].error == nil { state[direction].error = status.end?.streamFailure }
        state.lastDirection = direction
        return Call(direction: direction, event: event, stream: stream.value.takeUnretainedValue(), delegate: delegate)
    }
}

extension SessionCore.State {
    /// Removes one executor from a stream, or all executors if `key` is `nil`. Returns the removed executors that the
    /// other stream does not use.
    fileprivate mutating func remove(_ direction: SessionCore.Direction, _ key: StreamExecutor.Key?) -> [StreamExecutor]
    {
        let removed = self[direction].executors.filter { key == nil || $0.key == key }
        self[direction].executors.removeAll { key == nil || $0.key == key }
        let others = direction == .input ? output.executors : input.executors
        return removed.filter { executor in !others.contains { $0 === executor } }
    }
}
