// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Synchronization

/// A session that runs a peer at the accessory's end of a channel until either side ends the session.
///
/// The peer's actions are performed in the clock's timer callbacks, never during a call from the other side. On a
/// virtual clock, the timers fire in a deterministic order, on the thread that advances the clock.
package final class AccessoryPeerSession: Sendable {
    /// The maximum number of unsent bytes (1 MiB). Reading pauses while there are this many unsent bytes or
    /// `maximumActions` pending actions.
    private static let maximumUnsentBytes = 1 << 20
    /// The maximum number of pending actions.
    private static let maximumActions = 1024

    private struct State {
        /// The peer, or nil while the peer is handling an event and after the session has ended.
        var peer: (any AccessoryPeer)?
        var isRunning = false
        var needsRerun = false
        var hasStarted = false
        var immediateTimer: ClockTimer?
        var delayTimer: ClockTimer?
        var wakeTimer: ClockTimer?
        var isWakePending = false
        var hasEnded = false
        var actions = FIFOQueue<AccessoryPeerAction>()
        var output = FIFOQueue<UInt8>()
        var sent = 0
        var received = 0
        var nextSendTime = BootTime.zero
        var random: SplitMix64
    }

    private enum Work {
        case deliver(AccessoryPeerEvent)
        case read(Int)
        case send([UInt8])
        case hangUp
        case unplug
        case nothing
    }

    private let channel: any ByteChannel
    private let clock: any DeviceClock
    private let faults: AccessoryFaults
    private let unplug: @Sendable () -> Void
    private let state: Mutex<State>

    /// Creates a session on the channel. The session closes the channel when the peer hangs up. If the peer or a fault
    /// unplugs the accessory, the session ends and calls `unplug`.
    package init(
        peer: any AccessoryPeer, channel: any ByteChannel, clock: any DeviceClock,
        faults: AccessoryFaults = AccessoryFaults(), unplug: @escaping @Sendable () -> Void = {}
    ) {
        (self.channel, self.clock, self.faults, self.unplug) = (channel, clock, faults, unplug)
        var numbers = SplitMix64(seed: faults.seed)
        var output = FIFOQueue<UInt8>()
        for _ in 0..<min(max(faults.leadingRandomByteCount, 0), Self.maximumUnsentBytes) {
            output.append(UInt8.random(in: 0...255, using: &numbers))
        }
        state = Mutex(State(peer: peer, output: output, random: numbers))
    }

    /// Delivers `opened` to the peer, then the bytes received so far.
    package func start() {
        channel.observe { [weak self] _ in self?.scheduleRun() }
        scheduleRun()
    }

    /// True once the delivery of `closed` to the peer has begun.
    package var hasEnded: Bool { state.withLock { $0.hasEnded && $0.peer == nil } }

    /// Ends the session immediately, as if the accessory had been detached. The peer receives `closed`.
    package func end() {
        channel.close()
        scheduleRun()
    }

    private func scheduleRun() {
        state.withLock { state in
            guard state.immediateTimer == nil, !state.hasEnded else { return }
            // The timer cannot fire before it has been stored, because its closure needs the lock that is held here.
            state.immediateTimer = clock.timer(at: clock.now) { [weak self] in
                self?.state.withLock { $0.immediateTimer = nil }
                self?.run()
            }
        }
    }

    /// Performs all pending work. If another thread is already doing so, requests another pass from that thread.
    private func run() {
        let isFirst = state.withLock { state in
            if state.isRunning {
                state.needsRerun = true
                return false
            }
            state.isRunning = true
            return true
        }
        guard isFirst else { return }
        repeat {
            while step() {}
        } while state.withLock { state in
            defer {
                state.isRunning = state.needsRerun
                state.needsRerun = false
            }
            return state.needsRerun
        }
    }

    /// Performs the next step. Returns false if no work is pending.
    private func step() -> Bool {
        let now = clock.now
        let isEnding = channel.end != nil
        let hasEnded = isEnding && channel.bytesAvailable == 0
        switch state.withLock({ next(&$0, now: now, isEnding: isEnding, hasEnded: hasEnded) }) {
        case .nothing: return false
        case .deliver(let event):
            deliver(event)
            return true
        case .read(let limit): return read(atMost: limit)
        case .send(let bytes): return send(bytes, now: now)
        case .hangUp:
            channel.close()
            deliver(.closed)
            return true
        case .unplug:
            unplug()
            deliver(.closed)
            return true
        }
    }

    private func next(_ state: inout State, now: BootTime, isEnding: Bool, hasEnded: Bool) -> Work {
        guard !state.hasEnded else { return .nothing }
        if !state.hasStarted {
            state.hasStarted = true
            return .deliver(.opened)
        }
        if let limit = faults.unplugsAfterReceiving, state.received >= limit { return finish(&state, .unplug) }
        if let limit = faults.unplugsAfterSending, state.sent >= limit { return finish(&state, .unplug) }
        if hasEnded { return finish(&state, .deliver(.closed)) }
        if state.isWakePending {
            state.isWakePending = false
            return .deliver(.timerFired)
        }
        // Once the channel has ended, the limits no longer block input, so the peer receives all remaining bytes.
        let isInputBlocked =
            !isEnding
            && (state.actions.count >= Self.maximumActions || state.output.count >= Self.maximumUnsentBytes)
        if !isInputBlocked, channel.bytesAvailable > 0 {
            return .read((faults.unplugsAfterReceiving ?? .max) - state.received)
        }
        while true {
            if now < state.nextSendTime {
                state.delayTimer = clock.timer(at: state.nextSendTime) { [weak self] in self?.run() }
                return .nothing
            }
            if state.output.count > 0 {
                var count = min(state.output.count, chunkLength)
                if let limit = faults.unplugsAfterSending { count = min(count, limit - state.sent) }
                return .send(Array(state.output.elements.prefix(count)))
            }
            guard let action = state.actions.first else { return .nothing }
            state.actions.removeFirst()
            switch action {
            case .send(let bytes):
                for byte in bytes { state.output.append(corrupted(byte, &state.random)) }
            case .wait(let duration): state.nextSendTime = now.advanced(bySeconds: max(duration.inSeconds, 0))
            case .setTimer(let duration):
                let time = now.advanced(bySeconds: max(duration.inSeconds, 0))
                state.wakeTimer = clock.timer(at: time) { [weak self] in
                    self?.state.withLock { $0.isWakePending = true }
                    self?.run()
                }
            case .hangUp: return finish(&state, .hangUp)
            case .unplug: return finish(&state, .unplug)
            }
        }
    }

    private func finish(_ state: inout State, _ work: Work) -> Work {
        state.hasEnded = true
        state.actions.removeAll()
        state.output.removeAll()
        return work
    }

    /// The maximum number of bytes sent at once.
    private var chunkLength: Int {
        if let length = faults.maximumChunkLength { return min(max(length, 1), 65_536) }
        guard let rate = faults.bytesPerSecond else { return 65_536 }
        // The number of bytes that the rate allows in 10 ms.
        return Int(max(min(rate / 100, 65_536), 1))
    }

    private func corrupted(_ byte: UInt8, _ numbers: inout SplitMix64) -> UInt8 {
        guard faults.corruptionProbability > 0, Double.random(in: 0..<1, using: &numbers) < faults.corruptionProbability
        else { return byte }
        return UInt8.random(in: 0...255, using: &numbers)
    }

    private func read(atMost limit: Int) -> Bool {
        let bytes = [UInt8](unsafeUninitializedCapacity: min(max(limit, 1), 4096)) { buffer, count in
            if case .bytes(let readCount) = channel.read(into: UnsafeMutableRawBufferPointer(buffer)) {
                count = readCount
            }
        }
        guard !bytes.isEmpty else { return false }
        state.withLock { $0.received += bytes.count }
        deliver(.received(bytes))
        return true
    }

    private func send(_ bytes: [UInt8], now: BootTime) -> Bool {
        guard case .accepted(let count) = bytes.withUnsafeBytes({ channel.write($0) }), count > 0 else { return false }
        state.withLock { state in
            state.sent += count
            state.output.removeFirst(count)
            var gap = 0.0
            if let rate = faults.bytesPerSecond, rate > 0 { gap = Double(count) / rate }
            if faults.maximumChunkLength != nil { gap = max(gap, faults.minimumChunkInterval.inSeconds) }
            if gap > 0 { state.nextSendTime = now.advanced(bySeconds: gap) }
        }
        return true
    }

    /// Delivers an event to the peer. The lock is not held during the call, because the call may take a long time.
    private func deliver(_ event: AccessoryPeerEvent) {
        guard
            var peer = state.withLock({ state -> (any AccessoryPeer)? in
                defer { state.peer = nil }
                return state.peer
            })
        else { return }
        let actions = peer.react(to: event)
        let timers = state.withLock { state -> [ClockTimer?] in
            guard event != .closed else {
                defer { (state.delayTimer, state.wakeTimer) = (nil, nil) }
                return [state.delayTimer, state.wakeTimer]
            }
            state.peer = peer
            state.actions.append(contentsOf: actions)
            return []
        }
        withExtendedLifetime(timers) {}
    }
}
