// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore

/// The state of a channel: the phase of the connection, what remains to be sent, and the closures to be notified.
///
/// ```
///             POLLHUP with a full pipe          the rest has been read
/// connected ───────────────────────────▶ hungUp ──────────────────────┐
///     │ │                                  │                          │
///     │ └──────────── end(_:) ─────────────┴──▶ ending ───────────────┼─▶ finished
///     │                                           ▲     the rest has  │
///     └── close() ──▶ closing ──── end(_:) ───────┘     been read     │
///                        └────────────────────────────────────────────┘
///                         everything was sent, the deadline, or POLLHUP
/// ```
///
/// An error of the port finishes the channel from every phase.
struct ChannelState: ~Copyable {
    enum Phase {
        case connected
        /// The kernel has hung up. The bytes that it still holds are read as the pipe gets space.
        case hungUp
        /// The connection ends for that reason after the bytes that the kernel still holds have been read; at once if the app
        /// has closed the channel.
        case ending(ByteChannelEnd, bytesRead: Int)
        /// The app has closed the channel. Bytes that were written are sent until the deadline.
        case closing(Closing)
        /// The reactor no longer uses the port.
        case finished(isAbandoned: Bool)
    }

    struct Closing {
        let deadline: BootTime
        var timer: ClockTimer?
        /// True once the port delivers no more input, which is discarded.
        var isInputFinished = false
        /// True once the deadline has been reached: nothing more is sent.
        var isAbandoned = false
    }

    var phase = Phase.connected
    /// The end as the app sees it; nil while it may write.
    var end: ByteChannelEnd?
    var output: ChannelOutput
    var observer: ChannelCore.Observer?
    /// Called when the observer has been notified of the end, or when the end waits for the app to read.
    var endWaiters = Completion()
    /// Called when the port has been released.
    var releaseWaiters = Completion()

    init(capacity: Int) { output = ChannelOutput(capacity: capacity) }

    /// True once the app has closed the channel.
    var isClosed: Bool { end?.reason == .closed }

    var isFinished: Bool { if case .finished = phase { true } else { false } }

    var isEnding: Bool { if case .ending = phase { true } else { false } }

    /// True if nothing more is to be sent after the app has closed the channel.
    var isAbandoned: Bool {
        switch phase {
        case .closing(let closing): closing.isAbandoned
        case .finished(let isAbandoned): isAbandoned
        case .connected, .hungUp, .ending: false
        }
    }

    /// Records bytes that were read. Returns true if enough have been read from a connection that ends.
    mutating func recordInput(_ count: Int) -> Bool {
        guard case .ending(let end, let bytesRead) = phase else { return false }
        phase = .ending(end, bytesRead: bytesRead + count)
        return hasReadEnough
    }

    var hasReadEnough: Bool {
        if case .ending(_, let bytesRead) = phase { bytesRead >= ChannelCore.restLimit } else { false }
    }

    /// Changes the closing phase, if the channel is in it.
    mutating func updateClosing(_ body: (inout Closing) -> Void) {
        guard case .closing(var closing) = phase else { return }
        body(&closing)
        phase = .closing(closing)
    }

    /// The observer, if a writer waits and enough space has become free.
    mutating func observerOfSpace(minimum: Int) -> ChannelCore.Observer? {
        guard output.isWriterWaiting, end == nil, output.ring.space >= minimum else { return nil }
        output.isWriterWaiting = false
        return observer
    }
}

/// The bytes that the app has written and the port has not yet accepted.
struct ChannelOutput: ~Copyable {
    enum Activity {
        /// The reactor writes when the port has space. The count is of consecutive attempts in which the kernel reported space and
        /// accepted nothing.
        case reactor(fruitlessAttempts: Int)
        /// The reactor does not write until the timer expires.
        case paused(ClockTimer?)
        /// A thread writes reports.
        case reportThread
        /// A report could not be written.
        case failed(ByteChannelEnd)
    }

    /// Bytes, or records of ``ReportRecord`` if the port has framing.
    var ring: ByteRing
    /// The number of bytes that were not sent, without the padding of reports.
    var unsentBytes = 0
    var isWriterWaiting = false
    var activity = Activity.reactor(fruitlessAttempts: 0)

    init(capacity: Int) { ring = ByteRing(capacity: capacity) }

    var isPaused: Bool { if case .paused = activity { true } else { false } }

    var isReportThreadRunning: Bool { if case .reportThread = activity { true } else { false } }

    /// Records an attempt in which the kernel accepted nothing. Returns true if output pauses now.
    mutating func recordFruitlessAttempt() -> Bool {
        guard case .reactor(let count) = activity else { return false }
        let isPause = count + 1 >= ChannelCore.maximumFruitlessWrites
        activity = isPause ? .paused(nil) : .reactor(fruitlessAttempts: count + 1)
        return isPause
    }

    /// Ends a pause. The next fruitless attempt begins another one.
    mutating func resume() {
        if isPaused { activity = .reactor(fruitlessAttempts: ChannelCore.maximumFruitlessWrites - 1) }
    }

    /// Records bytes that were sent.
    mutating func recordSent(_ count: Int) { unsentBytes -= min(count, unsentBytes) }
}

/// Closures that are called once an event has occurred, and immediately afterwards.
struct Completion {
    /// nil after the event.
    private var waiters: [@Sendable () -> Void]? = []

    /// Adds a closure. Returns false if the event has occurred; then the caller has to call it.
    mutating func add(_ waiter: @escaping @Sendable () -> Void) -> Bool {
        waiters?.append(waiter)
        return waiters != nil
    }

    var hasOccurred: Bool { waiters == nil }

    /// Returns the closures to be called now. With `isFinal`, the event has occurred.
    mutating func take(isFinal: Bool) -> [@Sendable () -> Void] {
        let due = waiters ?? []
        if waiters != nil { waiters = isFinal ? nil : [] }
        return due
    }
}
