// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

extension SimulatedDevice {
    /// Plays the rest of the trace at once, and returns when every callback has run and every consumer of an async
    /// sequence has asked for its next element. On the main actor callbacks of managers made there run in place.
    nonisolated(nonsending) public func play() async { await run(upTo: .never) }

    /// Lets that many seconds pass on the device's clock, with all that happens in them.
    nonisolated(nonsending) public func advance(by seconds: Double) async {
        let limit = time(after: seconds)
        if await run(upTo: limit), !player.isStopped { clock.move(to: limit) }
    }

    /// Pauses ``play(speed:)``, running or not yet begun, until it is resumed. May be called at any time and from
    /// anywhere, callbacks included; what is due at once still comes.
    public func pause() { isPaused.store(true, ordering: .releasing) }

    /// Lets ``play(speed:)`` go on where it paused.
    public func resume() { isPaused.store(false, ordering: .releasing) }

    /// Plays the rest of the trace in real time, or that many times faster; ends early when the task is cancelled.
    /// A speed that is not above zero, or not finite, plays it at once. Does nothing when called
    /// while the device plays, and keeps others from playing it until it returns.
    nonisolated(nonsending) public func play(speed: Double) async {
        guard speed > 0, speed.isFinite else {
            await play()
            return
        }
        // Claimed all the while, so that nobody who looks at the device or steps it on seems to be the trace's end.
        guard player.claim() else { return }
        defer { player.release() }
        let start = clock.now
        let realClock = ContinuousClock()
        var realStart = realClock.now
        while !Task.isCancelled, let next = player.nextEvent() {
            if isPaused.load(ordering: .acquiring) {
                let since = realClock.now
                while !Task.isCancelled, isPaused.load(ordering: .acquiring) {
                    try? await Task.sleep(for: .milliseconds(20))
                }
                realStart += realClock.now - since
                continue
            }
            let due = min(next, clock.nextDeadline ?? .never, hub.nextDeadline)
            // In small pieces, so that ages and time-outs that look at the clock see it move.
            let reached = realClock.now - realStart
            let passed = start.advanced(bySeconds: reached.inSeconds * speed)
            if due <= passed {
                await runClaimed(upTo: passed)
            } else {
                clock.move(to: passed)
                let rest = min(due.seconds(since: passed) / speed, 0.1)
                try? await Task.sleep(for: .seconds(max(rest, 0.0005)))
            }
        }
        if !Task.isCancelled { await runClaimed(upTo: .never) }
    }

    @discardableResult
    nonisolated(nonsending) private func run(upTo limit: BootTime) async -> Bool {
        guard player.claim() else { return false }
        defer { player.release() }
        await runClaimed(upTo: limit)
        return true
    }

    nonisolated(nonsending) private func runClaimed(upTo limit: BootTime) async {
        await Device.$current.withValue(device) {
            callbacks.run(isOnMainThread: MainThread.isCurrent)
            await callbacks.settle()
            repeat {
                while player.step(upTo: limit) != .finished {
                    callbacks.run(isOnMainThread: MainThread.isCurrent)
                    if !callbacks.isSettled { await callbacks.settle() }
                }
                callbacks.run(isOnMainThread: MainThread.isCurrent)
                await callbacks.settle()
                // The last callbacks may have written to an accessory.
            } while limit == .never && player.isTimerDue
        }
    }
}

extension Duration {
    fileprivate var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
