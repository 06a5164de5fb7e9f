// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Foundation
import Synchronization

/// The state that a session and its two streams share. Contains the channel, the delegates and their executors.
///
/// The streams are thin wrappers around this class, because `Stream` objects cannot be shared between threads. No lock
/// is held while app code runs. No lock is held while the channel is read or written either, because the peer of an
/// in-memory channel may respond inside the call.
final class SessionCore: Sendable {
    typealias Direction = StreamEvents.Direction

    struct StreamReference: @unchecked Sendable {
        // Unchecked because the stream is only passed to its own delegate, on the delegate's executor.
        let value: Unmanaged<Stream>
    }

    struct StreamState {
        var events: StreamEvents
        /// The session retains the stream and shuts down this core before releasing the stream.
        var stream: StreamReference?
        weak var delegate: (any StreamDelegate)?
        var error: DeviceError?
        var executors: [StreamExecutor] = []

        init(_ direction: Direction) { events = StreamEvents(direction) }
    }

    struct State {
        var input = StreamState(.input)
        var output = StreamState(.output)
        /// The stream that reported the last event. The other stream is checked first for the next event.
        var lastDirection = Direction.output
        var accessory: EAAccessory
        /// Tasks that are suspended until bytes or space are available, or until another write has finished.
        var readers: [CheckedContinuation<Void, Never>] = []
        var writers: [CheckedContinuation<Void, Never>] = []
        var isWriting = false
        var isReadByTasks = false

        subscript(direction: Direction) -> StreamState {
            _read { if direction == .input { yield input } else { yield output } }
            _modify { if direction == .input { yield &input } else { yield &output } }
        }
    }

    struct Weak { weak var core: SessionCore? }

    /// The maximum number of events in one drain. The limit prevents a high event rate from starving other sources of
    /// the run loop.
    static let maximumEventsPerDrain = 8

    let channel: any ByteChannel
    /// The same channel, or `nil` if it does not support reading by the input stream's executor.
    private let pollableChannel: (any PollableChannel)?
    let device: Device
    let name: String
    let state: Mutex<State>
    /// Copies of the state, so that each read and write can check it without taking the lock.
    private let isInputOpen = Atomic<Bool>(false)
    private let isOutputOpen = Atomic<Bool>(false)

    init(channel: any ByteChannel, device: Device, accessory: EAAccessory, name: String) {
        self.channel = channel
        pollableChannel = channel as? any PollableChannel
        self.device = device
        self.name = name
        state = Mutex(State(accessory: accessory))
    }

    deinit { channel.close() }

    func startObserving() {
        channel.observe { [weak self] event in self?.receive(event) }
        if channel.end != nil { receive(.ended) }
    }

    /// The accessory, which changes when a session created with `init(following:protocol:changed:)` resumes.
    var accessory: EAAccessory { state.withLock { $0.accessory } }

    func setAccessory(_ accessory: EAAccessory) { state.withLock { $0.accessory = accessory } }

    var isInUse: Bool { state.withLock { !$0.input.events.isClosed || !$0.output.events.isClosed } }

    func adopt(input: Stream, output: Stream) {
        let input = StreamReference(value: .passUnretained(input))
        let output = StreamReference(value: .passUnretained(output))
        state.withLock { state in
            state.input.stream = input
            state.output.stream = output
        }
    }

    // MARK: Stream operations

    func open(_ direction: Direction) {
        state.withLock { state in
            state[direction].events.open()
            updateOpenFlag(direction, state)
        }
        signal(direction)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard isOpen(.input) else { return -1 }
        guard buffer.count > 0 else { return 0 }
        let result = channel.read(into: buffer)
        rearm(.input)
        switch result {
        case .bytes(let count): return count
        case .empty: return 0
        case .ended(let end): return end.reason == .failed || end.reason == .closed ? -1 : 0
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard isOpen(.output) else { return -1 }
        guard bytes.count > 0 else { return 0 }
        switch channel.write(bytes) {
        case .accepted(let count):
            rearm(.output)
            return count
        case .ended(let end):
            state.withLock { state in
                state.output.events.fail()
                if state.output.error == nil { state.output.error = end.streamFailure }
            }
            signal(.output)
            return -1
        }
    }

    func isOpen(_ direction: Direction) -> Bool {
        switch direction {
        case .input: isInputOpen.load(ordering: .acquiring)
        case .output: isOutputOpen.load(ordering: .acquiring)
        }
    }

    func updateOpenFlag(_ direction: Direction, _ state: borrowing State) {
        let isOpen = state[direction].events.isOpen
        if direction == .input {
            isInputOpen.store(isOpen, ordering: .releasing)
        } else {
            isOutputOpen.store(isOpen, ordering: .releasing)
        }
    }

    var hasBytesAvailable: Bool {
        guard isOpen(.input) else { return false }
        if channel.status.bytesAvailable > 0 { return true }
        guard let pollableChannel else { return false }
        pollableChannel.readPendingInput()
        return channel.status.bytesAvailable > 0
    }

    var hasSpaceAvailable: Bool { isOpen(.output) && channel.status.spaceAvailable > 0 }

    func status(_ direction: Direction) -> Stream.Status {
        state.withLock { $0[direction].events.status(channel.status) }
    }

    func error(_ direction: Direction) -> DeviceError? {
        state.withLock { state in
            if let error = state[direction].error { return error }
            guard state[direction].events.isOpen else { return nil }
            return state[direction].events.failure(in: channel.status)?.streamFailure
        }
    }

    func delegate(_ direction: Direction) -> (any StreamDelegate)? {
        state.withLock { DelegateReference(delegate: $0[direction].delegate) }.delegate
    }

    func setDelegate(_ delegate: (any StreamDelegate)?, _ direction: Direction) {
        let reference = DelegateReference(delegate: delegate)
        state.withLock { $0[direction].delegate = reference.delegate }
        signal(direction)
    }

    private struct DelegateReference: @unchecked Sendable {
        // Unchecked because the structure only moves the reference into or out of the lock.
        var delegate: (any StreamDelegate)?
    }

    /// Lets the executor of the input stream read from the channel if the stream has no other executor and no task has
    /// read from the session.
    func updatePollingExecutor() {
        guard let pollableChannel else { return }
        // The lock prevents an outdated executor from replacing the current executor.
        state.withLock { state in
            let executors = state.input.executors
            pollableChannel.setExecutor(
                executors.count == 1 && !state.isReadByTasks ? executors.first?.executorIdentity : nil)
        }
    }

    // MARK: Signaling

    /// Returns the event to report. Reads the status of the channel at most once.
    func pending(_ direction: Direction, _ state: borrowing State) -> Stream.Event? {
        state[direction].events.pending(channel.status)
    }

    func signal(_ direction: Direction) {
        let executors = state.withLock { executorsToSignal(direction, $0) }
        for executor in executors { executor.signal() }
    }

    func rearm(_ direction: Direction) {
        let executors = state.withLock { state in
            state[direction].events.rearm()
            // Inside a callback of the executor, the check for pending events is omitted, because the executor checks
            // after the callback. The executor is still signaled, because the callback may run a nested run loop.
            if state[direction].executors.allSatisfy(\.isRunningHere) { return state[direction].executors }
            return executorsToSignal(direction, state)
        }
        for executor in executors { executor.signal() }
    }

    private func executorsToSignal(_ direction: Direction, _ state: borrowing State) -> [StreamExecutor] {
        guard !state[direction].executors.isEmpty, pending(direction, state) != nil else { return [] }
        return state[direction].executors
    }

    // Signals executors and resumes tasks outside the lock, because the resumed threads take the lock immediately.
    private func receive(_ event: ByteChannelEvent) {
        let (inputs, outputs, readers, writers) = state.withLock { state in
            var (inputs, outputs): ([StreamExecutor], [StreamExecutor]) = ([], [])
            var (readers, writers): ([CheckedContinuation<Void, Never>], [CheckedContinuation<Void, Never>]) = ([], [])
            if event != .writable {
                inputs = executorsToSignal(.input, state)
                swap(&readers, &state.readers)
            }
            if event != .readable {
                outputs = executorsToSignal(.output, state)
                swap(&writers, &state.writers)
            }
            return (inputs, outputs, readers, writers)
        }
        for executor in inputs { executor.signal() }
        for executor in outputs { executor.signal() }
        resume(readers: readers)
        for writer in writers { writer.resume() }
    }
}
