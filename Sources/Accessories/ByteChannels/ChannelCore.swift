// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Synchronization
import SystemCalls

/// The implementation of `NodeChannel`, which documents it. The reactor retains this object until the connection ends.
/// Any thread may call the methods in this file. `write`, `status` and others are in `ChannelCore+*.swift`.
final class ChannelCore: Sendable {
    typealias Observer = @Sendable (ByteChannelEvent) -> Void

    /// The maximum time to send the remaining output after `close()`, in seconds.
    static let closeTimeout = 2.0
    /// The maximum number of bytes to read from the port after `end(_:then:)`. The kernel's buffers are smaller, so
    /// this limit matters only if the peer continues to send.
    static let maximumBytesAfterEnd = 1_048_576
    /// The number of consecutive fruitless writes after which output is paused. In a fruitless write, the kernel
    /// accepts no bytes although it has reported space.
    static let maximumFruitlessWrites = 3
    static let outputRetryDelay = 0.01

    let port: any Port
    let clock: any DeviceClock
    let reactor: ChannelReactor
    let input: BytePipe
    let state: Mutex<ChannelState>
    let polling: ChannelPolling
    /// A waiting writer is notified when at least this number of bytes is free. Waking the writer for every free byte
    /// would be expensive.
    let notifiedSpace: Int

    init(_ port: any Port, clock: any DeviceClock, capacity: Int, tolerance: Double, reactor: ChannelReactor) {
        self.port = port
        self.clock = clock
        self.reactor = reactor
        polling = ChannelPolling(tolerance: tolerance)
        let record = port.framing.map(ReportRecord.length) ?? 1
        let capacity = max(capacity, record * 4)
        input = BytePipe(capacity: capacity, minimumWritableSpace: capacity / 2)
        state = Mutex(ChannelState(capacity: capacity))
        notifiedSpace = max(record, min(4096, capacity / 4))
    }

    func start() throws(DeviceError) {
        input.observeWriter { [weak self] event in if case .writable = event { self?.reactor.requestService() } }
        try reactor.add(self)
    }

    var descriptor: Int32 { port.descriptor }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> ByteChannelRead {
        let result = input.read(into: buffer)
        guard case .empty = result, readPendingInput() else { return result }
        return input.read(into: buffer)
    }

    func observe(_ receive: Observer?) {
        let (former, isClosed) = state.withLock { state -> (Observer?, Bool) in
            defer { state.observer = state.isClosed ? nil : receive }
            return (state.observer, state.isClosed)
        }
        // Releases the former observer outside the lock, because the objects that it captured may use the channel.
        withExtendedLifetime(former) {}
        guard let receive, !isClosed else { return input.observeReader(nil) }
        input.observeReader { event in
            // Called with `polling.readLock` held. `finish` in `ChannelCore+Reactor.swift` reports the end instead.
            if case .readable = event { receive(.readable) }
        }
    }

    /// The closure runs on the thread that releases the port.
    func whenReleased(_ body: @escaping @Sendable () -> Void) {
        if !state.withLock({ $0.releaseWaiters.add(body) }) { body() }
    }

    /// Reads the bytes that the kernel still holds, but discards unsent output.
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
            case .ending, .finished: return (false, nil)
            }
        }
        timer?.cancel()
        if hasEnded { body?() } else { reactor.requestService() }
    }

    func close() {
        let deadline = clock.now.advanced(bySeconds: ChannelCore.closeTimeout)
        let (isFirst, isClosing, observer) = state.withLock { state -> (Bool, Bool, Observer?) in
            guard !state.isClosed else { return (false, false, nil) }
            state.end = ByteChannelEnd(.closed)
            switch state.phase {
            case .connected: state.phase = .closing(ChannelState.Closing(deadline: deadline))
            case .hungUp: state.phase = .ending(ByteChannelEnd(.hungUp), bytesRead: 0)
            case .ending, .closing, .finished: break
            }
            let isClosing = if case .closing = state.phase { true } else { false }
            return (true, isClosing, state.observer.take())
        }
        // Released outside the lock, as in `observe`.
        withExtendedLifetime(observer) {}
        guard isFirst else { return }
        input.observeReader(nil)
        input.finish(ByteChannelEnd(.closed), discardsUnread: true)
        if isClosing { startCloseTimer(deadline) }
        reactor.requestService()
    }

    private func startCloseTimer(_ deadline: BootTime) {
        let timer = clock.timer(at: deadline) { [weak self] in self?.abandon() }
        var isLate = true
        state.withLock { state in
            state.updateClosing { closing in
                closing.timer = timer
                isLate = false
            }
        }
        if isLate { timer.cancel() }
    }

    /// Discards the remaining output of a closed channel. Called when the close timeout has passed, or through
    /// `NodeChannel.abandon` if the port is needed earlier.
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
