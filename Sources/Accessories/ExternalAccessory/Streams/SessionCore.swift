// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Foundation
import Synchronization

/// The state shared by a session and its two streams: the channel, the delegates and their executors.
///
/// The streams are thin wrappers around this class, because `Stream` objects cannot be shared between threads. The lock
/// is never held while app code runs. Nor is it held while the channel is read or written, because an in-memory
/// channel's peer may respond before the call returns. With the lock held, only the channel's status and executor may
/// be accessed.
final class SessionCore: Sendable {
    typealias Direction = StreamEvents.Direction

    struct StreamReference: @unchecked Sendable {
        // `@unchecked Sendable` because the stream is passed only to its own delegate, on the delegate's executor.
        let value: Unmanaged<Stream>
    }

    struct StreamState {
        var events: StreamEvents
        /// The stream, which the session retains. The session calls `invalidate()` before releasing it.
        var stream: StreamReference?
        weak var delegate: (any StreamDelegate)?
        var error: DeviceError?
        var executors: [StreamExecutor] = []

        init(_ direction: Direction) { events = StreamEvents(direction) }
    }

    struct State {
        var input = StreamState(.input)
        var output = StreamState(.output)
        /// The stream that reported the most recent event. The next search for an event begins with the other stream.
        var lastDirection = Direction.output
        var accessory: EAAccessory
        /// Suspended tasks. Readers wait for bytes; writers wait for space, or for another write to finish.
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

    /// The maximum number of events to deliver in one drain. Without a limit, frequent events could starve the run
    /// loop's other sources.
    static let maximumEventsPerDrain = 8

    let channel: any ByteChannel
    /// The channel, or `nil` if the input stream's executor cannot read from it.
    private let pollableChannel: (any PollableChannel)?
    let device: Device
    let name: String
    let state: Mutex<State>
    /// True while the corresponding stream is open. The flags are set only with the lock held, but reads and writes can
    /// check them without it.
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
        // The channel may have ended before it was observed.
        if channel.end != nil { receive(.ended) }
    }

    /// The accessory. If the session was created with `init(following:protocol:changed:)`, each reconnection replaces
    /// it with a new object.
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
        // `@unchecked Sendable` because the structure only moves the reference into and out of the lock.
        var delegate: (any StreamDelegate)?
    }

    /// If the input stream has exactly one executor and no task has read from the session, lets that executor read from
    /// the channel. Otherwise, no executor reads from the channel.
    func updatePollingExecutor() {
        guard let pollableChannel else { return }
        // Calls `setExecutor` with the lock held. Otherwise, a concurrent call could overwrite a newer executor with an
        // older one.
        state.withLock { state in
            let executors = state.input.executors
            pollableChannel.setExecutor(
                executors.count == 1 && !state.isReadByTasks ? executors.first?.executorIdentity : nil)
        }
    }

    // MARK: Signaling

    func signal(_ direction: Direction) {
        let executors = state.withLock { executorsToSignal(direction, $0, channel.status) }
        for executor in executors { executor.signal() }
    }

    func rearm(_ direction: Direction) {
        let executors = state.withLock { state in
            state[direction].events.rearm()
            // The app has read or written data in a callback. The executor checks for pending events after the callback
            // anyway, but is signalled here too, in case the callback runs a nested run loop.
            if state[direction].executors.allSatisfy(\.isRunningHere) { return state[direction].executors }
            return executorsToSignal(direction, state, channel.status)
        }
        for executor in executors { executor.signal() }
    }

    private func executorsToSignal(
        _ direction: Direction, _ state: borrowing State, _ status: @autoclosure () -> ByteChannelStatus
    ) -> [StreamExecutor] {
        guard !state[direction].executors.isEmpty, state[direction].events.pending(status()) != nil else { return [] }
        return state[direction].executors
    }

    // Executors are signalled and tasks are resumed outside the lock, because the woken threads take the lock at once.
    private func receive(_ event: ByteChannelEvent) {
        let (inputs, outputs, readers, writers) = state.withLock { state in
            var (inputs, outputs): ([StreamExecutor], [StreamExecutor]) = ([], [])
            var (readers, writers): ([CheckedContinuation<Void, Never>], [CheckedContinuation<Void, Never>]) = ([], [])
            if event != .writable {
                // The `readable` event itself implies that bytes are available, so the channel's status is not needed
                // yet. It is read when the stream event is delivered.
                let readable = ByteChannelStatus(bytesAvailable: 1, spaceAvailable: 0, end: nil)
                inputs = executorsToSignal(.input, state, event == .readable ? readable : channel.status)
                swap(&readers, &state.readers)
            }
            if event != .readable {
                outputs = executorsToSignal(.output, state, channel.status)
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
