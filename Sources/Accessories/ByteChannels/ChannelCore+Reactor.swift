// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Synchronization
import SystemCalls

/// On the reactor's thread only.
extension ChannelCore {
    /// The events of the port to be polled, nil for none; and a descriptor to be polled while an executor polls the port.
    func pollInterest() -> (events: Int16?, coordinator: Int32?) {
        let coordinator = updatePolling()
        let reads = coordinator == nil && !input.isWriterWaiting
        let events = state.withLock { state -> Int16? in
            if state.isGone { return nil }
            // Poll would come back at once for as long as the app does not read.
            if state.isHungUp || state.asked != nil, !state.isClosed { return nil }
            let writes = state.output.count > 0 && port.framing == nil && !state.isOutputPaused
            let events = port.interest(
                reads: state.isClosed ? state.unsent > 0 && !state.isInputOver : reads, writes: writes)
            return coordinator == nil ? events : events | Self.peerIsDone
        }
        return (events, coordinator)
    }

    /// POLLRDHUP: the peer has shut down its side, which an executor that is busy would find late.
    private static let peerIsDone: Int16 = 0x2000

    /// Does what there is to do, after poll has told of events or somebody has asked.
    func serve(_ events: Int16) {
        let (isGone, isClosed, asked, wasHungUp) = state.withLock { state in
            (state.isGone, state.isClosed, state.asked, state.isHungUp)
        }
        if isGone { return }
        port.prepare()
        let isHungUp = wasHungUp || events & Int16(POLLHUP | POLLERR | POLLNVAL) != 0
        let tries = port.isTriedAlways || isHungUp || asked != nil
        if isClosed || isHungUp || asked != nil || events & Self.peerIsDone != 0 { stopPolling() }
        if !isClosed, tries || events & Int16(POLLIN) != 0 {
            // Before the end is told, all that the kernel still gives.
            switch takeInput(isHungUp || asked != nil ? .rest : .turn) {
            case .ended(let end): return finish(asked ?? end)
            case .empty: if asked == nil, isHungUp { return finish(ByteChannelEnd(.hungUp)) }
            case .full:
                if isHungUp { state.withLock { $0.isHungUp = true } }
                // The rest comes in as the app reads.
                if asked != nil, state.withLock({ $0.takenAfterEnd < ChannelCore.restLimit }) {
                    return tellEnded(isOver: false)
                }
            }
        }
        if let asked { return finish(asked) }
        if isClosed, isHungUp { return finish(ByteChannelEnd(.hungUp)) }
        if isClosed { dropInput() }
        if tries || events & Int16(POLLOUT) != 0, let end = sendOutput(isReady: events & Int16(POLLOUT) != 0) {
            // What the other side wrote before it went is kept.
            if !isClosed { _ = takeInput(.rest) }
            return finish(end)
        }
        let (isDone, failure) = state.withLock { state in
            (
                state.isAbandoned || (state.isClosed && state.unsent == 0 && !state.isWritingReports),
                state.isWritingReports ? nil : state.reportFailure
            )
        }
        if let failure { return finish(failure) }
        if isDone, port.pendingBytes == 0 || state.withLock({ $0.isAbandoned }) {
            return finish(ByteChannelEnd(.closed))
        }
    }

    /// - Parameter isReady: Poll has told of space.
    private func sendOutput(isReady: Bool) -> ByteChannelEnd? {
        guard port.framing == nil else { return nil }
        var isReady = isReady
        while true {
            // As a number, because a pointer into what the lock guards may not leave it. The bytes stay where they are:
            // nobody else takes any.
            let place = state.withLock { state -> (address: UInt, count: Int, isLast: Bool) in
                let front = state.output.front
                return (UInt(bitPattern: front.baseAddress), front.count, front.count == state.output.count)
            }
            guard place.count > 0, let start = UnsafeRawPointer(bitPattern: place.address) else { return nil }
            switch port.write(UnsafeRawBufferPointer(start: start, count: place.count), isLast: place.isLast) {
            case .ended(let end): return end
            case .wait:
                if isReady, !port.isTriedAlways { pauseOutput() }
                return nil
            case .bytes(let count):
                isReady = false
                let observer = state.withLock { state in
                    state.output.consume(count)
                    state.vainWrites = 0
                    state.unsent -= min(count, state.unsent)
                    return observerOfSpace(&state)
                }
                observer?(.writable)
                if count < place.count && !port.isTriedAlways { return nil }
            }
        }
    }

    /// Poll would come back at once, again and again, where the kernel says that there is space and takes nothing.
    private func pauseOutput() {
        let isPause = state.withLock { state in
            state.vainWrites += 1
            state.isOutputPaused = state.vainWrites >= ChannelCore.vainWriteLimit
            return state.isOutputPaused
        }
        guard isPause else { return }
        let timer = clock.timer(at: clock.now.advanced(bySeconds: ChannelCore.outputPause)) { [weak self] in
            guard let self else { return }
            let former = state.withLock { state in
                state.isOutputPaused = false
                return state.pause.take()
            }
            withExtendedLifetime(former) {}
            reactor.ask()
        }
        let isLate = state.withLock { state in
            guard state.isOutputPaused, !state.isGone else { return true }
            state.pause = timer
            return false
        }
        if isLate { timer.cancel() }
    }

    /// Ends the channel and gives the port back; the first call counts.
    private func finish(_ end: ByteChannelEnd) {
        // Before the end can be seen, behind which nothing comes.
        leave()
        let pending = port.pendingBytes
        typealias News = (end: ByteChannelEnd, observer: Observer?, timers: [ClockTimer?], patience: Double)
        let news = state.withLock { state -> News? in
            guard !state.isGone else { return nil }
            state.isGone = true
            let unsent = state.unsent + pending
            let error = end.error ?? (unsent > 0 ? lostBytes(unsent, end.reason) : nil)
            let told = ByteChannelEnd(end.reason, error: error, unsentBytes: unsent)
            state.unsent = 0
            if !state.isWritingReports { state.output.clear() }
            if state.end == nil { state.end = told }
            let isKind = end.reason == .closed && !state.isAbandoned
            let patience = isKind ? max(0, (state.deadline ?? clock.now).seconds(since: clock.now)) : 0
            let timers = [state.timer.take(), state.pause.take()]
            return (state.end ?? told, state.observer.take(), timers, patience)
        }
        guard let news else { return }
        for timer in news.timers { timer?.cancel() }
        input.finish(news.end)
        news.observer?(.ended)
        tellEnded(isOver: true)
        reactor.remove(self)
        release(patience: news.patience)
    }

    private func lostBytes(_ count: Int, _ reason: ByteChannelEnd.Reason) -> DeviceError {
        DeviceError(
            .connectionLost,
            "The connection through \(port.path) ended before \(count) bytes that were written had been sent.",
            cause: .system(call: "write", errno: reason == .detached ? ENODEV : port.errorOfLoss))
    }

    private func release(patience: Double) {
        let work: @Sendable () -> Void = { [self] in
            // A report that is under way uses the descriptor; the wait for it is bounded by the kernel.
            while state.withLock({ $0.isWritingReports }) { WorkerThread.pause(seconds: 0.005) }
            port.release(patience: patience) { state.withLock { $0.isAbandoned } }
            let hooks = state.withLock { state in
                state.isReleased = true
                defer { state.hooks = [] }
                return state.hooks
            }
            for hook in hooks { hook() }
        }
        // Waiting for a device must not hold up the other channels.
        guard port.isSlowToRelease else { return work() }
        do {
            try WorkerThread.start(work)
        } catch {
            work()
        }
    }
}
