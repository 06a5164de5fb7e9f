// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Foundation
import Synchronization

/// What a session and its two streams share: the channel, and who is to be told what and where.
///
/// The streams are faces of it, since streams cannot be shared between threads. No lock is held while the program's code
/// runs, or while the channel is read or written: the peer of a channel in memory may answer inside of that.
final class SessionCore: Sendable {
    typealias Direction = StreamEvents.Direction

    struct HeldStream: @unchecked Sendable {
        // Unchecked: only handed to the stream's own delegate, in its place.
        let value: Unmanaged<Stream>
    }

    struct Side {
        var events: StreamEvents
        /// The session holds the stream, and shuts this down before it lets it go.
        var stream: HeldStream?
        weak var delegate: (any StreamDelegate)?
        var error: DeviceError?
        var places: [StreamPlace] = []

        init(_ direction: Direction) {
            events = StreamEvents(direction)
        }
    }

    struct State {
        var input = Side(.input)
        var output = Side(.output)
        /// The stream that was told something last: the other has the next turn.
        var last = Direction.output
        var accessory: EAAccessory
        /// Tasks that wait for bytes, or for space, or for another write to end.
        var readers: [CheckedContinuation<Void, Never>] = []
        var writers: [CheckedContinuation<Void, Never>] = []
        var isWriting = false
        /// A task has read.
        var isReadByTasks = false

        subscript(direction: Direction) -> Side {
            _read {
                if direction == .input { yield input } else { yield output }
            }
            _modify {
                if direction == .input { yield &input } else { yield &output }
            }
        }
    }

    /// Does not keep the session.
    struct Weak {
        weak var core: SessionCore?
    }

    /// So many events are told in one turn at most, so that a flood leaves the run loop time for others.
    static let eventsInOneTurn = 8

    let channel: any ByteChannel
    /// The same, where the place of the input stream can read from it.
    private let lendable: (any LendableChannel)?
    let device: Device
    let name: String
    let state: Mutex<State>
    /// What `state` says too, where it is looked at for each byte.
    private let isInputOpen = Atomic<Bool>(false)
    private let isOutputOpen = Atomic<Bool>(false)

    init(channel: any ByteChannel, device: Device, accessory: EAAccessory, name: String) {
        self.channel = channel
        lendable = channel as? any LendableChannel
        self.device = device
        self.name = name
        state = Mutex(State(accessory: accessory))
    }

    deinit {
        channel.close()
    }

    /// Begins to listen to the channel.
    func begin() {
        channel.observe { [weak self] event in self?.receive(event) }
        if channel.end != nil { receive(.ended) }
    }

    /// The accessory; for a session that follows one, the one of the present connection.
    var accessory: EAAccessory { state.withLock { $0.accessory } }

    func setAccessory(_ accessory: EAAccessory) {
        state.withLock { $0.accessory = accessory }
    }

    /// True until both streams are closed.
    var isInUse: Bool { state.withLock { !$0.input.events.isClosed || !$0.output.events.isClosed } }

    func adopt(input: Stream, output: Stream) {
        let input = HeldStream(value: .passUnretained(input))
        let output = HeldStream(value: .passUnretained(output))
        state.withLock { state in
            state.input.stream = input
            state.output.stream = output
        }
    }

    // MARK: What the streams ask and do

    func open(_ direction: Direction) {
        state.withLock { state in
            state[direction].events.open()
            noteOpenness(direction, state)
        }
        signal(direction)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard isOpen(.input) else { return -1 }
        guard buffer.count > 0 else { return 0 }
        let result = channel.read(into: buffer)
        wasUsed(.input)
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
        case .taken(let count):
            wasUsed(.output)
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

    /// To be called when a stream was opened or closed.
    func noteOpenness(_ direction: Direction, _ state: borrowing State) {
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
        guard let lendable else { return false }
        lendable.takeIn()
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
        state.withLock { Listener(delegate: $0[direction].delegate) }.delegate
    }

    func setDelegate(_ delegate: (any StreamDelegate)?, _ direction: Direction) {
        let listener = Listener(delegate: delegate)
        state.withLock { $0[direction].delegate = listener.delegate }
        signal(direction)
    }

    private struct Listener: @unchecked Sendable {
        // Unchecked: only carried across the lock.
        var delegate: (any StreamDelegate)?
    }

    /// Has the place of the input stream read what comes in, where it is the only one.
    func lendToPlace() {
        guard let lendable else { return }
        // Under the lock, so that no former place comes after the present one.
        state.withLock { state in
            let places = state.input.places
            lendable.deliver(in: places.count == 1 && !state.isReadByTasks ? places.first?.direct : nil)
        }
    }

    // MARK: How it goes on

    /// What is to be told now. The channel is asked once.
    func pending(_ direction: Direction, _ state: borrowing State) -> Stream.Event? {
        state[direction].events.pending(channel.status)
    }

    /// Wakes the places of a stream when there is something to tell.
    func signal(_ direction: Direction) {
        let places = state.withLock { placesToSignal(direction, $0) }
        for place in places { place.signal() }
    }

    /// The program has read or written, which makes more of it news.
    func wasUsed(_ direction: Direction) {
        let places = state.withLock { state in
            state[direction].events.wasUsed()
            // In a callback the place looks after it itself, and is signalled for a run loop that the callback may run.
            if state[direction].places.allSatisfy(\.isRunningHere) { return state[direction].places }
            return placesToSignal(direction, state)
        }
        for place in places { place.signal() }
    }

    private func placesToSignal(_ direction: Direction, _ state: borrowing State) -> [StreamPlace] {
        guard !state[direction].places.isEmpty, pending(direction, state) != nil else { return [] }
        return state[direction].places
    }

    // Whoever is woken takes the lock at once, so that it is taken once here, and before.
    private func receive(_ event: ByteChannelEvent) {
        let (inputs, outputs, readers, writers) = state.withLock { state in
            var (inputs, outputs): ([StreamPlace], [StreamPlace]) = ([], [])
            var (readers, writers): ([CheckedContinuation<Void, Never>], [CheckedContinuation<Void, Never>]) = ([], [])
            if event != .writable {
                inputs = placesToSignal(.input, state)
                swap(&readers, &state.readers)
            }
            if event != .readable {
                outputs = placesToSignal(.output, state)
                swap(&writers, &state.writers)
            }
            return (inputs, outputs, readers, writers)
        }
        for place in inputs { place.signal() }
        for place in outputs { place.signal() }
        resume(readers: readers)
        for writer in writers { writer.resume() }
    }
}
