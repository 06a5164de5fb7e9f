// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore

/// A channel's state: the connection's phase, the unsent output, and the closures to call.
///
/// ```
/// connected ────── POLLHUP while the input pipe is full ──────────▶ hungUp
/// connected ────── close() ───────────────────────────────────────▶ closing
/// connected, closing ─── end(_:) ─────────────────────────────────▶ ending
/// hungUp ───────── end(_:) or close() ────────────────────────────▶ ending
/// connected ────── end of file, or POLLHUP and all has been read ─▶ finished
/// hungUp, ending ─ the rest has been read ────────────────────────▶ finished
/// ending ───────── the byte limit is reached, or app has closed ───▶ finished
/// closing ──────── everything was sent, abandon(), or POLLHUP ────▶ finished
/// ```
///
/// In every phase, an error on the port finishes the channel. The mutex `ChannelCore.state` protects the state. The
/// methods in `ChannelCore.swift`, on any thread, enter the phases `closing` and `ending`, and make the reactor enter
/// `finished`. The methods in `ChannelCore+Reactor.swift` enter `hungUp` and `finished`. `abandon()` may set
/// `isAbandoned` even after that.
struct ChannelState: ~Copyable {
    enum Phase {
        case connected
        /// The connection has hung up, but the kernel still holds bytes that do not fit into the input pipe.
        case hungUp
        /// The connection is about to end for the given reason. Before it ends, the reactor reads the bytes that the
        /// kernel still holds, unless the app has closed the channel.
        case ending(ByteChannelEnd, bytesRead: Int)
        /// The app has closed the channel. The reactor sends the remaining output until the deadline.
        case closing(Closing)
        /// The connection has ended. If `isAbandoned` is true, releasing the port does not wait for unsent bytes to be
        /// sent.
        case finished(isAbandoned: Bool)
    }

    struct Closing {
        let deadline: BootTime
        var timer: ClockTimer?
        /// True once the input has ended. Until then, input is read and discarded.
        var isInputFinished = false
        /// True after `abandon()`, which is also called when the deadline has passed.
        var isAbandoned = false
    }

    var phase = Phase.connected
    /// The end of the connection as reported to the app, or `nil` while the app can still write. In the phase `ending`,
    /// the app can still write. `close()` sets this property immediately, before `phase` becomes `finished`. The app
    /// then receives the reason `closed`, even if the phase `ending` has a different one.
    var end: ByteChannelEnd?
    var output: ChannelOutput
    var observer: ChannelCore.Observer?
    /// The closures of `NodeChannel.end(_:then:)`.
    var endWaiters = Completion()
    /// The closures of `whenReleased(_:)`, called after the port has been released.
    var releaseWaiters = Completion()

    init(capacity: Int) { output = ChannelOutput(capacity: capacity) }

    var isClosed: Bool { end?.reason == .closed }

    var isFinished: Bool { if case .finished = phase { true } else { false } }

    var isEnding: Bool { if case .ending = phase { true } else { false } }

    var isAbandoned: Bool {
        switch phase {
        case .closing(let closing): closing.isAbandoned
        case .finished(let isAbandoned): isAbandoned
        case .connected, .hungUp, .ending: false
        }
    }

    /// Counts bytes read while the connection is ending. Returns true once the limit is reached.
    mutating func recordInput(_ count: Int) -> Bool {
        guard case .ending(let end, let bytesRead) = phase else { return false }
        phase = .ending(end, bytesRead: bytesRead + count)
        return hasReadEnough
    }

    var hasReadEnough: Bool {
        if case .ending(_, let bytesRead) = phase { bytesRead >= ChannelCore.maximumBytesAfterEnd } else { false }
    }

    mutating func updateClosing(_ body: (inout Closing) -> Void) {
        guard case .closing(var closing) = phase else { return }
        body(&closing)
        phase = .closing(closing)
    }

    /// If the observer must be notified of free space, returns the observer and marks the writer as no longer waiting.
    mutating func observerOfSpace(minimum: Int) -> ChannelCore.Observer? {
        guard output.isWriterWaiting, end == nil, output.ring.space >= minimum else { return nil }
        output.isWriterWaiting = false
        return observer
    }
}

/// The bytes that the app has written but the port has not yet accepted.
struct ChannelOutput: ~Copyable {
    /// ```
    /// reactor ────── the kernel repeatedly accepted no bytes ───────────────▶ paused
    /// paused ─────── the timer fires ───────────────────────────────────────▶ reactor
    /// reactor ────── the app has queued a report ───────────────────────────▶ reportThread
    /// reportThread ─ the queue is empty, or the channel has ended ──────────▶ reactor
    /// reportThread ─ the thread cannot start, or a report cannot be sent ───▶ failed
    /// ```
    enum Activity {
        /// The reactor writes whenever the port has space. `fruitlessAttempts` counts consecutive writes in which the
        /// kernel accepted no bytes even though it had reported space.
        case reactor(fruitlessAttempts: Int)
        /// The kernel repeatedly refused to accept bytes, so output is paused until the timer fires. The timer is `nil`
        /// until it is created.
        case paused(ClockTimer?)
        /// A separate thread writes HID reports. See `ChannelCore+Reports.swift`.
        case reportThread
        /// The report thread has failed, so the reactor ends the connection.
        case failed(ByteChannelEnd)
    }

    /// The queued bytes. If the port has a report format (HID), the bytes are stored as ``ReportRecord`` records.
    var ring: ByteRingBuffer
    /// The number of unsent bytes, not counting the padding of reports.
    var unsentBytes = 0
    var isWriterWaiting = false
    var activity = Activity.reactor(fruitlessAttempts: 0)

    init(capacity: Int) { ring = ByteRingBuffer(capacity: capacity) }

    var isPaused: Bool { if case .paused = activity { true } else { false } }

    var isReportThreadRunning: Bool { if case .reportThread = activity { true } else { false } }

    /// Counts an attempt in which the kernel accepted no bytes. Returns true if output must pause.
    mutating func recordFruitlessAttempt() -> Bool {
        guard case .reactor(let count) = activity else { return false }
        let isPause = count + 1 >= ChannelCore.maximumFruitlessWrites
        activity = isPause ? .paused(nil) : .reactor(fruitlessAttempts: count + 1)
        return isPause
    }

    /// Ends a pause. If the next attempt is fruitless too, output pauses again immediately.
    mutating func resume() {
        if isPaused { activity = .reactor(fruitlessAttempts: ChannelCore.maximumFruitlessWrites - 1) }
    }

    mutating func recordSent(_ count: Int) { unsentBytes -= min(count, unsentBytes) }
}

/// Closures that wait for an event. Each is called once: when the event occurs, or earlier if the event cannot occur
/// until the app reads from the input pipe.
struct Completion {
    /// The closures, or `nil` after the event has occurred.
    private var waiters: [@Sendable () -> Void]? = []

    /// Adds a closure. If the event has already occurred, returns false, and the caller must call the closure.
    mutating func add(_ waiter: @escaping @Sendable () -> Void) -> Bool {
        waiters?.append(waiter)
        return waiters != nil
    }

    var hasOccurred: Bool { waiters == nil }

    /// Removes and returns all closures, which the caller must then call. If `isFinal` is true, the event has occurred,
    /// and no more closures can be added. If `isFinal` is false, the event cannot occur until the app has read the
    /// bytes that fill the input pipe.
    mutating func complete(isFinal: Bool) -> [@Sendable () -> Void] {
        let due = waiters ?? []
        if waiters != nil { waiters = isFinal ? nil : [] }
        return due
    }
}
