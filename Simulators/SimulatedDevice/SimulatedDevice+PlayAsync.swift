// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Synchronization

/// Asynchronous playback on the caller's actor, which waits for callbacks and async sequences after each event.
extension SimulatedDevice {
    /// Plays the rest of the trace without delays. Returns when every callback has run and every consumer of an async
    /// sequence has requested its next element. On the main actor, callbacks of managers that were created there run
    /// directly. Throws a `DeviceError` with the code `busy` if called while the device is playing.
    nonisolated(nonsending) public func play() async throws(DeviceError) {
        guard await run(upTo: .never) else { throw Self.alreadyPlaying }
    }

    /// Advances the device's clock and plays all events in that time. Does nothing if the device is already playing.
    nonisolated(nonsending) public func advance(by duration: Duration) async { await advance(by: duration.inSeconds) }

    nonisolated(nonsending) package func advance(by seconds: Double) async { _ = await run(upTo: time(after: seconds)) }

    /// Pauses ``play(speed:)`` until ``resume()`` is called. If playback has not yet begun, it pauses at the beginning.
    /// Events that are already due may still be delivered. Can be called at any time and from any thread, including
    /// from callbacks.
    public func pause() { isPaused.store(true, ordering: .releasing) }

    /// Resumes ``play(speed:)``.
    public func resume() { isPaused.store(false, ordering: .releasing) }

    /// Plays the rest of the trace at `speed` times real time. Cancelling the task ends playback early. If the speed is
    /// zero, negative or not finite, plays without delays. Throws a `DeviceError` with the code `busy` if called while
    /// the device is playing. Until this function returns, other functions that play the device have no effect.
    nonisolated(nonsending) public func play(speed: Double) async throws(DeviceError) {
        guard speed > 0, speed.isFinite else { return try await play() }
        // The player stays claimed until the end of playback. If it were released between steps, another thread could
        // claim it, and the next claim here would fail, which would look like the end of the trace.
        guard player.acquire() else { throw Self.alreadyPlaying }
        defer { player.release() }
        let start = clock.now
        let realClock = ContinuousClock()
        var realStart = realClock.now
        while !Task.isCancelled, let next = player.nextEvent() {
            if isPaused.load(ordering: .acquiring) {
                let pauseStart = realClock.now
                while !Task.isCancelled, isPaused.load(ordering: .acquiring) {
                    try? await Task.sleep(for: .milliseconds(20))
                }
                realStart += realClock.now - pauseStart
                continue
            }
            let due = min(next, clock.nextDeadline ?? .never, hub.nextDeadline)
            // The clock advances in steps of at most 0.1 s of real time, so that ages and timeouts stay up to date.
            let realElapsed = realClock.now - realStart
            let passed = start.advanced(bySeconds: realElapsed.inSeconds * speed)
            if due <= passed {
                await runExclusively(upTo: passed)
            } else {
                clock.move(to: passed)
                let rest = min(due.seconds(since: passed) / speed, 0.1)
                try? await Task.sleep(for: .seconds(max(rest, 0.0005)))
            }
        }
        if !Task.isCancelled { await runExclusively(upTo: .never) }
    }

    nonisolated(nonsending) private func run(upTo limit: BootTime) async -> Bool {
        guard player.acquire() else { return false }
        defer { player.release() }
        await runExclusively(upTo: limit)
        player.moveClock(to: limit)
        return true
    }

    /// Plays up to the limit. The caller must have claimed the player. After each step, waits until all callbacks and
    /// all consumers of async sequences are idle. The first wait also covers everything that was pending before the
    /// call.
    nonisolated(nonsending) private func runExclusively(upTo limit: BootTime) async {
        await Device.$current.withValue(device) {
            callbacks.run(isOnMainThread: MainQueueContext.isCurrent)
            await callbacks.waitUntilIdle()
            repeat {
                while player.step(upTo: limit) != .finished {
                    callbacks.run(isOnMainThread: MainQueueContext.isCurrent)
                    if !callbacks.isIdle { await callbacks.waitUntilIdle() }
                }
                callbacks.run(isOnMainThread: MainQueueContext.isCurrent)
                await callbacks.waitUntilIdle()
                // The last callbacks may have started a timer by writing to an accessory, so the timers are checked
                // again.
            } while limit == .never && player.isTimerDue
        }
    }
}
