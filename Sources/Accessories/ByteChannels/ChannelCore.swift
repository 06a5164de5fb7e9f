// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Synchronization
import SystemCalls

/// Transfers bytes between an app and an accessory's port. The reactor is a thread that reads into `input` and sends
/// the bytes in `state.output`. An executor may read in place of the reactor. HID reports are sent on a separate
/// thread.
///
/// `NodeChannel` documents most methods; the extensions `+Reactor`, `+Polling`, `+Reading`, `+Writing` and `+Reports`
/// contain the others. The reactor retains the channel until the connection ends. Any thread may call the methods in
/// this file, except that calls to `observe(_:)` must not overlap.
final class ChannelCore: Sendable {
    typealias Observer = @Sendable (ByteChannelEvent) -> Void

    /// The maximum time for sending the remaining output after `close()`, in seconds.
    static let closeTimeout = 2.0
    /// The maximum number of bytes to read from the port after `end(_:then:)`. The kernel's buffers are smaller, so
    /// this limit matters only if the peer continues to send.
    static let maximumBytesAfterEnd = 1_048_576
    /// Output pauses after this many consecutive writes in which the kernel accepted no bytes. See
    /// `ChannelOutput.Activity`.
    static let maximumFruitlessWrites = 3
    static let outputRetryDelay = 0.01

    let port: any Port
    let clock: any DeviceClock
    let reactor: ChannelReactor
    let input: BytePipe
    /// Locked after `polling.readLock`.
    let state: Mutex<ChannelState>
    let polling: ChannelPolling
    /// The free space, in bytes, at which a waiting writer is notified: a quarter of the buffer, but at most 4 KiB and
    /// at least one report. Waking the writer for every free byte would be expensive.
    let notifiedSpace: Int

    /// `capacity` is in bytes, `tolerance` in seconds. See `NodeChannel.init`.
    init(_ port: any Port, clock: any DeviceClock, capacity: Int, tolerance: Double, reactor: ChannelReactor) {
        self.port = port
        self.clock = clock
        self.reactor = reactor
        polling = ChannelPolling(tolerance: tolerance)
        let minimumWrite = port.framing.map(ReportRecord.length) ?? 1
        // At least four reports, so that `notifiedSpace` is at most a quarter of the buffer.
        let capacity = max(capacity, minimumWrite * 4)
        // If the pipe fills up, reading stops until half of it is free.
        input = BytePipe(capacity: capacity, minimumWritableSpace: capacity / 2)
        state = Mutex(ChannelState(capacity: capacity))
        notifiedSpace = max(minimumWrite, min(4096, capacity / 4))
    }

    /// Adds the channel to the reactor. Called once, before all other methods.
    func start() throws(DeviceError) {
        input.observeWriter { [weak self] event in if case .writable = event { self?.reactor.requestService() } }
        try reactor.add(self)
    }

    var descriptor: Int32 { port.descriptor }

    /// If the pipe is empty and an executor polls the port, reads from the port first. See `readPendingInput`.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> ByteChannelRead {
        let result = input.read(into: buffer)
        guard case .empty = result, readPendingInput() else { return result }
        return input.read(into: buffer)
    }

    /// Replaces the observer. Calls must not overlap, because the observer is stored in two places. If `close()` runs
    /// at the same time, the input pipe may still store `receive`. This has no effect, because a pipe that has ended no
    /// longer calls its observer.
    func observe(_ receive: Observer?) {
        let (former, isClosed) = state.withLock { state -> (Observer?, Bool) in
            defer { state.observer = state.isClosed ? nil : receive }
            return (state.observer, state.isClosed)
        }
        // Releases the former observer outside the lock, because the objects it captured may use the channel.
        withExtendedLifetime(former) {}
        guard let receive, !isClosed else { return input.observeReader(nil) }
        input.observeReader { event in
            // Called with `polling.readLock` held, so the observer must not read. Other events use `state.observer`.
            if case .readable = event { receive(.readable) }
        }
    }

    /// The closure runs on the thread that releases the port, or on the calling thread if the port has already been
    /// released.
    func whenReleased(_ body: @escaping @Sendable () -> Void) {
        if !state.withLock({ $0.releaseWaiters.add(body) }) { body() }
    }

    /// Makes the reactor read the bytes that the kernel still holds, discard unsent output and end the connection. See
    /// `NodeChannel.end(_:then:)` for when and on which thread `body` is called.
    func end(_ end: ByteChannelEnd, then body: (@Sendable () -> Void)? = nil) {
        let (hasEnded, timer) = state.withLock { state -> (Bool, ClockTimer?) in
            if state.endWaiters.hasOccurred { return (true, nil) }
            if let body { _ = state.endWaiters.add(body) }
            switch state.phase {
            case .connected, .hungUp:
                state.phase = .ending(end, bytesRead: 0)
                return (false, nil)
            case .closing(let closing):
                state.phase = .ending(end, bytesRead: 0)
                return (false, closing.timer)
            case .ending, .finished: return (false, nil)  // The first reason is kept.
            }
        }
        timer?.cancel()
        if hasEnded { body?() } else { reactor.requestService() }
    }

    /// Discards unread input. The reactor sends the remaining output for at most `closeTimeout`.
    func close() {
        let deadline = clock.now.advanced(bySeconds: ChannelCore.closeTimeout)
        let (isFirst, isClosing, observer) = state.withLock { state -> (Bool, Bool, Observer?) in
            guard !state.isClosed else { return (false, false, nil) }
            state.end = ByteChannelEnd(.closed)
            switch state.phase {
            case .connected: state.phase = .closing(ChannelState.Closing(deadline: deadline))
            case .hungUp: state.phase = .ending(ByteChannelEnd(.hungUp), bytesRead: 0)
            case .ending, .closing, .finished: break  // If it is ending, the reactor finishes it without reading.
            }
            let isClosing = if case .closing = state.phase { true } else { false }
            return (true, isClosing, state.observer.take())
        }
        withExtendedLifetime(observer) {}  // Released outside the lock, as in `observe`.
        guard isFirst else { return }
        input.observeReader(nil)
        input.finish(ByteChannelEnd(.closed), discardsUnread: true)
        if isClosing { startCloseTimer(deadline) }
        reactor.requestService()
    }

    private func startCloseTimer(_ deadline: BootTime) {
        let timer = clock.timer(at: deadline) { [weak self] in self?.abandon() }
        var isClosing = false
        state.withLock { state in
            state.updateClosing { closing in
                closing.timer = timer
                isClosing = true
            }
        }
        // Another thread may have ended the channel in the meantime.
        if !isClosing { timer.cancel() }
    }

    /// Discards a closed channel's remaining output. Called when the close timeout expires, or through
    /// `NodeChannel.abandon` if the port is needed sooner.
    func abandon() {
        let isPending = state.withLock { state in
            switch state.phase {
            case .closing(var closing) where !closing.isAbandoned:
                closing.isAbandoned = true
                state.phase = .closing(closing)
                return true
            case .finished where state.isClosed:
                // Another thread may be releasing the port and waiting for the device. This flag ends the wait.
                state.phase = .finished(isAbandoned: true)
                return false
            case .connected, .hungUp, .ending, .closing, .finished: return false
            }
        }
        if isPending { reactor.requestService() }
    }
}
