// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Synchronization
import SystemCalls

/// Methods that run only on the reactor thread.
extension ChannelCore {
    /// Returns the poll(2) events to request on the port, or `nil` if the port must not be polled now. If an executor
    /// polls the port, also returns the descriptor from `updatePolling()`, which the reactor must poll as well.
    func pollInterest() -> (events: Int16?, coordinator: Int32?) {
        let coordinator = updatePolling()
        let reads = coordinator == nil && !input.isWriterWaiting
        let events = state.withLock { state -> Int16? in
            let writes = state.output.ring.count > 0 && port.framing == nil && !state.output.isPaused
            switch state.phase {
            case .connected: return port.interest(reads: reads, writes: writes)
            case .closing(let closing):
                return port.interest(reads: state.output.unsentBytes > 0 && !closing.isInputFinished, writes: writes)
            // The connection has ended. poll(2) would report this repeatedly until the app had read the remaining
            // bytes, so the port is not polled.
            case .hungUp, .ending, .finished: return nil
            }
        }
        return (coordinator == nil ? events : events.map { $0 | Self.peerHasShutDown }, coordinator)
    }

    /// POLLRDHUP, which indicates that the peer has shut down its sending side. The reactor polls for this event even
    /// while an executor polls the port, because a busy executor would notice it too late.
    private static let peerHasShutDown: Int16 = 0x2000

    func serve(_ events: Int16) {
        let (phase, isClosed) = state.withLock { state in (state.phase, state.isClosed) }
        if case .finished = phase { return }
        port.collectCompletions()
        let isHangUp = events & Int16(POLLHUP | POLLERR | POLLNVAL) != 0
        var attemptsIO = port.hasUnreportedReadiness || isHangUp
        if isHangUp || events & Self.peerHasShutDown != 0 { stopPolling() }
        switch phase {
        case .connected where !isHangUp:
            if attemptsIO || events & Int16(POLLIN) != 0, case .ended(let end) = readInput(.pass) {
                return finish(end)
            }
        case .connected, .hungUp:
            stopPolling()
            switch readInput(.remainder) {
            case .ended(let end): return finish(end)
            case .empty: return finish(ByteChannelEnd(.hungUp))
            case .full:
                attemptsIO = true
                state.withLock { state in if case .connected = state.phase { state.phase = .hungUp } }
            }
        case .ending(let end, _):
            stopPolling()
            // If the input pipe is full, the remaining bytes are read after the app has read from the pipe. Reading
            // stops after `maximumBytesAfterEnd` bytes.
            if !isClosed, case .full = readInput(.remainder), !state.withLock({ $0.hasReadEnough }) {
                return notifyEndWaiters(isFinal: false)
            }
            return finish(end)
        case .closing:
            stopPolling()
            if isHangUp { return finish(ByteChannelEnd(.hungUp)) }
            discardInput()
        case .finished: return
        }
        if attemptsIO || events & Int16(POLLOUT) != 0, let end = sendOutput(isReady: events & Int16(POLLOUT) != 0) {
            // The peer may have sent bytes before the connection ended. The app can still read them.
            if !isClosed { _ = readInput(.remainder) }
            return finish(end)
        }
        finishIfDone()
    }

    private func finishIfDone() {
        let (end, isAbandoned) = state.withLock { state -> (ByteChannelEnd?, Bool) in
            if case .failed(let failure) = state.output.activity { return (failure, true) }
            guard case .closing(let closing) = state.phase else { return (nil, false) }
            let isSent = state.output.unsentBytes == 0 && !state.output.isReportThreadRunning
            return (closing.isAbandoned || isSent ? ByteChannelEnd(.closed) : nil, closing.isAbandoned)
        }
        if let end, isAbandoned || port.pendingBytes == 0 { finish(end) }
    }

    /// Sends queued output. Returns the reason if the connection has ended, and `nil` otherwise. `isReady` is true if
    /// poll(2) has reported that the port is writable.
    private func sendOutput(isReady: Bool) -> ByteChannelEnd? {
        guard port.framing == nil else { return nil }
        var isReady = isReady
        while true {
            // A pointer to the protected state must not leave the lock, so its address is passed as an integer. The
            // address stays valid, because bytes are removed only on this thread.
            let front = state.withLock { state -> (address: UInt, count: Int, isLast: Bool) in
                let front = state.output.ring.front
                return (UInt(bitPattern: front.baseAddress), front.count, front.count == state.output.ring.count)
            }
            guard front.count > 0, let start = UnsafeRawPointer(bitPattern: front.address) else { return nil }
            switch port.write(UnsafeRawBufferPointer(start: start, count: front.count), isLast: front.isLast) {
            case .ended(let end): return end
            case .wouldBlock:
                if isReady, !port.hasUnreportedReadiness { suspendOutput() }
                return nil
            case .bytes(let count):
                isReady = false
                let observer = state.withLock { state in
                    state.output.ring.consume(count)
                    state.output.activity = .reactor(fruitlessAttempts: 0)
                    state.output.recordSent(count)
                    return state.observerOfSpace(minimum: notifiedSpace)
                }
                observer?(.writable)
                if count < front.count && !port.hasUnreportedReadiness { return nil }
            }
        }
    }

    /// Pauses output if the kernel repeatedly reports space but accepts no bytes. Without the pause, the reactor would
    /// spin.
    private func suspendOutput() {
        guard state.withLock({ $0.output.recordFruitlessAttempt() }) else { return }
        let timer = clock.timer(at: clock.now.advanced(bySeconds: ChannelCore.outputRetryDelay)) { [weak self] in
            guard let self else { return }
            state.withLock { $0.output.resume() }
            reactor.requestService()
        }
        let isLate = state.withLock { state in
            guard state.output.isPaused, !state.isFinished else { return true }
            state.output.activity = .paused(timer)
            return false
        }
        if isLate { timer.cancel() }
    }

    /// Ends the channel and releases the port. Only the first call has an effect.
    private func finish(_ end: ByteChannelEnd) {
        // Stops reading first, because no bytes may arrive after the app has been notified of the end.
        detachFromReactor()
        let pending = port.pendingBytes
        typealias Result = (end: ByteChannelEnd, observer: Observer?, timers: [ClockTimer?], timeout: Double)
        let result = state.withLock { state -> Result? in
            let former = state.phase
            if case .finished = former { return nil }
            let isAbandoned = state.isAbandoned
            state.phase = .finished(isAbandoned: isAbandoned)
            let unsent = state.output.unsentBytes + pending
            let error = end.error ?? (unsent > 0 ? lostBytesError(unsent, end.reason) : nil)
            let reported = ByteChannelEnd(end.reason, error: error, unsentBytes: unsent)
            state.output.unsentBytes = 0
            if !state.output.isReportThreadRunning { state.output.ring.clear() }
            if state.end == nil { state.end = reported }
            var timers: [ClockTimer?] = []
            var timeout = 0.0
            if case .closing(let closing) = former {
                timers.append(closing.timer)
                if end.reason == .closed, !isAbandoned { timeout = max(0, closing.deadline.seconds(since: clock.now)) }
            }
            if case .paused(let timer) = state.output.activity { timers.append(timer) }
            return (state.end ?? reported, state.observer.take(), timers, timeout)
        }
        guard let result else { return }
        for timer in result.timers { timer?.cancel() }
        input.finish(result.end)
        result.observer?(.ended)
        notifyEndWaiters(isFinal: true)
        reactor.remove(self)
        release(timeout: result.timeout)
    }

    private func notifyEndWaiters(isFinal: Bool) {
        for waiter in state.withLock({ $0.endWaiters.complete(isFinal: isFinal) }) { waiter() }
    }

    private func lostBytesError(_ count: Int, _ reason: ByteChannelEnd.Reason) -> DeviceError {
        DeviceError(
            .connectionLost, "The connection through \(port.path) ended before \(count) written bytes were sent.",
            cause: .system(call: "write", errno: reason == .detached ? ENODEV : port.lossErrno))
    }

    private func release(timeout: Double) {
        let work: @Sendable () -> Void = { [self] in
            // While a report is being written, the descriptor is in use, so the port cannot be released yet. The wait
            // is short, because the kernel limits the duration of a write.
            while state.withLock({ $0.output.isReportThreadRunning }) { WorkerThread.sleep(seconds: 0.005) }
            port.release(timeout: timeout) { state.withLock { $0.isAbandoned } }
            for waiter in state.withLock({ $0.releaseWaiters.complete(isFinal: true) }) { waiter() }
        }
        // A slow release runs on another thread, so that it does not delay the other channels.
        guard port.isSlowToRelease else { return work() }
        do {
            try WorkerThread.start(work)
        } catch {
            work()
        }
    }
}
