// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Synchronization
import SystemCalls

/// A channel as the reactor knows it: the port, a buffer each way, and who is told. ChannelCore+Reactor.swift holds what
/// runs on the reactor's thread.
final class ChannelCore: Sendable {
    typealias Observer = @Sendable (ByteChannelEvent) -> Void

    struct State: ~Copyable {
        /// Bytes, or records of ``ReportRecord`` where there is framing.
        var output: ByteRing
        /// Bytes that `write` took and the port has not; without filling.
        var unsent = 0
        /// What the app sees as the end.
        var end: ByteChannelEnd?
        /// An end that came from elsewhere, for the reactor to carry out.
        var asked: ByteChannelEnd?
        /// How much was read from the port after that.
        var takenAfterEnd = 0
        /// To be called when what was asked for is done, or goes on only when the app reads.
        var whenEnded: [@Sendable () -> Void] = []
        /// The observer has been told of the end, if there was one to be told.
        var isEndTold = false
        /// The app has closed the channel.
        var isClosed = false
        /// The time for sending what is left after a close is over.
        var isAbandoned = false
        /// The kernel has hung up, and bytes may still be read when there is space for them.
        var isHungUp = false
        /// Nothing comes in any more, of what would be thrown away after a close.
        var isInputOver = false
        /// How often, one time after the other, the kernel said that there was space and took nothing.
        var vainWrites = 0
        /// It is left alone for a moment.
        var isOutputPaused = false
        /// The reactor is done with the port.
        var isGone = false
        /// A thread writes reports.
        var isWritingReports = false
        /// Writing reports failed that way.
        var reportFailure: ByteChannelEnd?
        var isWriterWaiting = false
        var isReleased = false
        var observer: Observer?
        var deadline: BootTime?
        var timer: ClockTimer?
        /// Ends the pause of the output.
        var pause: ClockTimer?
        var hooks: [@Sendable () -> Void] = []
    }

    /// How long what was written is still sent after `close`, in seconds.
    static let patience = 2.0
    /// How much is still read from a port after an end from outside: more than kernels hold, in case that the other side
    /// is there after all and goes on sending.
    static let restLimit = 1_048_576
    /// How often a port may have space and take nothing until it is left alone, and for how many seconds.
    static let vainWriteLimit = 3
    static let outputPause = 0.01

    /// The state of reading, under the lock that the reactor or the executor holds while it reads.
    struct Reading {
        /// True once the port was closed.
        var isOver = false
    }

    let port: any Port
    let clock: any DeviceClock
    let reactor: ChannelReactor
    let input: BytePipe
    let state: Mutex<State>
    /// Held while the port is read.
    let reading = Mutex(Reading())
    /// Used on the reactor's thread; nil before the channel has joined the reactor, and after it has left.
    let coordinator = Mutex<ReadinessCoordinator?>(nil)
    /// The executor of the app's callbacks.
    let executor = Mutex<DirectPlace?>(nil)
    /// The longest delay of a read by the executor, in seconds.
    let tolerance: Double
    /// False once the connection is about to end, so that only the reactor may poll the port.
    let isPollable = Atomic<Bool>(true)
    let isExecutorPolling = Atomic<Bool>(false)
    /// What a writer that waits is told of; more than a byte, because waking it is dear.
    let spaceToTell: Int

    init(_ port: any Port, clock: any DeviceClock, capacity: Int, lateness: Double, reactor: ChannelReactor) {
        self.port = port
        self.clock = clock
        self.reactor = reactor
        tolerance = lateness
        let record = port.framing.map(ReportRecord.length) ?? 1
        let capacity = max(capacity, record * 4)
        input = BytePipe(capacity: capacity, spaceToTell: capacity / 2)
        state = Mutex(State(output: ByteRing(capacity: capacity)))
        spaceToTell = max(record, min(4096, capacity / 4))
    }

    /// Joins the reactor; until then nothing comes in.
    func start() throws(DeviceError) {
        input.observeWriter { [weak self] event in
            if case .writable = event { self?.reactor.ask() }
        }
        try reactor.add(self)
    }

    var descriptor: Int32 { port.descriptor }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> ByteChannelRead {
        let result = input.read(into: buffer)
        guard case .empty = result, takeIn() else { return result }
        return input.read(into: buffer)
    }

    func observe(_ receive: Observer?) {
        let former = state.withLock { state in
            defer { state.observer = state.isClosed ? nil : receive }
            return state.observer
        }
        withExtendedLifetime(former) {}
        guard let receive else { return input.observeReader(nil) }
        input.observeReader { event in
            // The end is told by the one who brings it about, once for both ways.
            if case .readable = event { receive(.readable) }
        }
    }

    /// Calls the closure once the port is free, on the thread that freed it; at once when it is.
    func whenReleased(_ body: @escaping @Sendable () -> Void) {
        let isReleased = state.withLock { state in
            if !state.isReleased { state.hooks.append(body) }
            return state.isReleased
        }
        if isReleased { body() }
    }

    /// Ends the channel from outside. What the kernel still gives is read before; what waits to be sent is lost.
    ///
    /// The closure is called once, on the reactor's thread: when the observer has heard of the end, or when there is more
    /// to read than there is space for, so that the end has to wait for the app. At once when the channel is over.
    func end(_ end: ByteChannelEnd, then body: (@Sendable () -> Void)? = nil) {
        let isOver = state.withLock { state in
            if state.isEndTold { return true }
            if let body { state.whenEnded.append(body) }
            if state.asked == nil { state.asked = end }
            return false
        }
        if isOver { body?() } else { reactor.ask() }
    }

    /// What was asked for is done as far as it goes without the app.
    func tellEnded(isOver: Bool) {
        let bodies = state.withLock { state in
            if isOver { state.isEndTold = true }
            defer { state.whenEnded = [] }
            return state.whenEnded
        }
        for body in bodies { body() }
    }

    func close() {
        let deadline = clock.now.advanced(bySeconds: ChannelCore.patience)
        let (isNews, sends, observer) = state.withLock { state -> (Bool, Bool, Observer?) in
            guard !state.isClosed else { return (false, false, nil) }
            state.isClosed = true
            state.end = ByteChannelEnd(.closed)
            state.deadline = deadline
            return (true, !state.isGone, state.observer.take())
        }
        withExtendedLifetime(observer) {}
        guard isNews else { return }
        input.observeReader(nil)
        input.finish(ByteChannelEnd(.closed), drops: true)
        guard sends else { return }
        let timer = clock.timer(at: deadline) { [weak self] in self?.giveUp() }
        let isLate = state.withLock { state in
            if !state.isGone { state.timer = timer }
            return state.isGone
        }
        if isLate { timer.cancel() }
        reactor.ask()
    }

    /// Sends no more of what was written before the close.
    func giveUp() {
        let isNews = state.withLock { state in
            guard state.isClosed, !state.isAbandoned else { return false }
            state.isAbandoned = true
            return !state.isGone
        }
        if isNews { reactor.ask() }
    }
}
