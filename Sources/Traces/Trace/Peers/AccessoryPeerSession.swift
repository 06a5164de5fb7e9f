// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Synchronization

/// A session that runs a peer at the accessory's end of a channel, until either side ends it.
///
/// The peer's actions are performed in timers of the clock, never within a call of the other side. On a virtual clock,
/// they run on the thread that advances the clock, and their order is deterministic.
public final class AccessoryPeerSession: Sendable {
    /// The number of unsent bytes at which no further events are delivered to the peer (1 MiB).
    private static let maximumWaiting = 1 << 20
    private static let maximumActions = 1024

    private struct State {
        /// nil while the peer handles an event, and after the end.
        var peer: (any AccessoryPeer)?
        var isBusy = false
        var isWanted = false
        var hasBegun = false
        /// The timer for work that is due immediately.
        var prompt: ClockTimer?
        /// The timer for work that is due later.
        var pause: ClockTimer?
        var alarm: ClockTimer?
        var isWoken = false
        var isOver = false
        var actions = Backlog<AccessoryPeerAction>()
        var output = Backlog<UInt8>()
        var sent = 0
        var received = 0
        /// The earliest time at which further bytes are sent.
        var nextPiece = BootTime.zero
        var numbers: SeededNumbers
    }

    private enum Work {
        case tell(AccessoryPeerEvent)
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

    /// Creates a session. Call ``begin()`` to start it.
    ///
    /// - Parameters:
    ///   - peer: The peer; the session uses a copy.
    ///   - channel: The accessory's end. The session observes it, and closes it when the peer hangs up.
    ///   - clock: The clock of the session.
    ///   - faults: The faults to simulate.
    ///   - unplug: Unplugs the accessory. The session has ended when this closure is called.
    public init(
        peer: any AccessoryPeer, channel: any ByteChannel, clock: any DeviceClock,
        faults: AccessoryFaults = AccessoryFaults(), unplug: @escaping @Sendable () -> Void = {}
    ) {
        self.channel = channel
        self.clock = clock
        self.faults = faults
        self.unplug = unplug
        var numbers = SeededNumbers(seed: faults.seed)
        var output = Backlog<UInt8>()
        for _ in 0..<min(max(faults.leadingGarbage, 0), Self.maximumWaiting) {
            output.append(UInt8.random(in: 0...255, using: &numbers))
        }
        state = Mutex(State(peer: peer, output: output, numbers: numbers))
    }

    /// Starts the session. Delivers `opened` to the peer, then the bytes received so far.
    public func begin() {
        channel.observe { [weak self] _ in self?.wake() }
        wake()
    }

    /// True after the peer received the end of the session.
    public var isOver: Bool { state.withLock { $0.isOver && $0.peer == nil } }

    /// Ends the session immediately, as if the accessory had been detached. The peer receives `closed`.
    public func end() {
        channel.close()
        wake()
    }

    /// Schedules a check of the channel.
    private func wake() {
        state.withLock { state in
            guard state.prompt == nil, !state.isOver else { return }
            // Created while holding the lock, which the timer's closure acquires first, so that the closure finds the
            // timer in place.
            state.prompt = clock.timer(at: clock.now) { [weak self] in
                self?.state.withLock { $0.prompt = nil }
                self?.run()
            }
        }
    }

    /// Performs all pending work on one thread at a time. If another thread is already doing so, makes it check again.
    private func run() {
        let isFirst = state.withLock { state in
            if state.isBusy {
                state.isWanted = true
                return false
            }
            state.isBusy = true
            return true
        }
        guard isFirst else { return }
        repeat {
            while step() {}
        } while state.withLock { state in
            defer {
                state.isBusy = state.isWanted
                state.isWanted = false
            }
            return state.isWanted
        }
    }

    /// Performs the next step; returns false if no work is pending.
    private func step() -> Bool {
        let now = clock.now
        let isEnding = channel.end != nil
        let hasEnded = isEnding && channel.bytesAvailable == 0
        switch state.withLock({ next(&$0, now: now, isEnding: isEnding, hasEnded: hasEnded) }) {
        case .nothing: return false
        case .tell(let event):
            tell(event)
            return true
        case .read(let limit): return read(atMost: limit)
        case .send(let bytes): return send(bytes, now: now)
        case .hangUp:
            channel.close()
            tell(.closed)
            return true
        case .unplug:
            unplug()
            tell(.closed)
            return true
        }
    }

    private func next(_ state: inout State, now: BootTime, isEnding: Bool, hasEnded: Bool) -> Work {
        guard !state.isOver else { return .nothing }
        if !state.hasBegun {
            state.hasBegun = true
            return .tell(.opened)
        }
        if let limit = faults.unplugsAfterReceiving, state.received >= limit { return over(&state, .unplug) }
        if let limit = faults.unplugsAfterSending, state.sent >= limit { return over(&state, .unplug) }
        if hasEnded { return over(&state, .tell(.closed)) }
        if state.isWoken {
            state.isWoken = false
            return .tell(.woken)
        }
        // After the end of the connection, unsent bytes do not delay events: the peer receives the remaining bytes and
        // the end.
        let isHeldUp =
            !isEnding
            && (state.actions.count >= Self.maximumActions || state.output.count >= Self.maximumWaiting)
        if !isHeldUp, channel.bytesAvailable > 0 {
            return .read((faults.unplugsAfterReceiving ?? .max) - state.received)
        }
        while true {
            if now < state.nextPiece {
                state.pause = clock.timer(at: state.nextPiece) { [weak self] in self?.run() }
                return .nothing
            }
            if state.output.count > 0 {
                var count = min(state.output.count, pieceLength)
                if let limit = faults.unplugsAfterSending { count = min(count, limit - state.sent) }
                return .send(Array(state.output.all.prefix(count)))
            }
            guard let action = state.actions.first else { return .nothing }
            state.actions.removeFirst()
            switch action {
            case .send(let bytes):
                for byte in bytes { state.output.append(spoiled(byte, &state.numbers)) }
            case .wait(let seconds): state.nextPiece = now.advanced(bySeconds: max(seconds, 0))
            case .wake(let seconds):
                state.alarm = clock.timer(at: now.advanced(bySeconds: max(seconds, 0))) { [weak self] in
                    self?.state.withLock { $0.isWoken = true }
                    self?.run()
                }
            case .hangUp: return over(&state, .hangUp)
            case .unplug: return over(&state, .unplug)
            }
        }
    }

    private func over(_ state: inout State, _ work: Work) -> Work {
        state.isOver = true
        state.actions.removeAll()
        state.output.removeAll()
        return work
    }

    /// The maximum number of bytes sent at once.
    private var pieceLength: Int {
        if let length = faults.pieceLength { return min(max(length, 1), 65_536) }
        guard let rate = faults.bytesPerSecond else { return 65_536 }
        // The number of bytes for 10 ms.
        return Int(max(min(rate / 100, 65_536), 1))
    }

    private func spoiled(_ byte: UInt8, _ numbers: inout SeededNumbers) -> UInt8 {
        guard faults.garbageShare > 0, Double.random(in: 0..<1, using: &numbers) < faults.garbageShare else {
            return byte
        }
        return UInt8.random(in: 0...255, using: &numbers)
    }

    private func read(atMost limit: Int) -> Bool {
        let bytes = [UInt8](unsafeUninitializedCapacity: min(max(limit, 1), 4096)) { buffer, count in
            if case .bytes(let taken) = channel.read(into: UnsafeMutableRawBufferPointer(buffer)) { count = taken }
        }
        guard !bytes.isEmpty else { return false }
        state.withLock { $0.received += bytes.count }
        tell(.received(bytes))
        return true
    }

    private func send(_ bytes: [UInt8], now: BootTime) -> Bool {
        guard case .taken(let count) = bytes.withUnsafeBytes({ channel.write($0) }), count > 0 else { return false }
        state.withLock { state in
            state.sent += count
            state.output.removeFirst(count)
            var gap = 0.0
            if let rate = faults.bytesPerSecond, rate > 0 { gap = Double(count) / rate }
            if faults.pieceLength != nil { gap = max(gap, faults.pieceInterval) }
            if gap > 0 { state.nextPiece = now.advanced(bySeconds: gap) }
        }
        return true
    }

    /// Delivers an event to the peer. Does not hold the lock, because the peer may take long.
    private func tell(_ event: AccessoryPeerEvent) {
        guard
            var peer = state.withLock({ state -> (any AccessoryPeer)? in
                defer { state.peer = nil }
                return state.peer
            })
        else { return }
        let actions = peer.react(to: event)
        let timers = state.withLock { state -> [ClockTimer?] in
            guard event != .closed else {
                defer { (state.pause, state.alarm) = (nil, nil) }
                return [state.pause, state.alarm]
            }
            state.peer = peer
            state.actions.append(contentsOf: actions)
            return []
        }
        withExtendedLifetime(timers) {}
    }
}
