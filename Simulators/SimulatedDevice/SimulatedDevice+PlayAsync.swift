// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Synchronization

/// Asynchronous playback on the caller's actor, which waits for callbacks and async sequences after each event.
extension SimulatedDevice {
    /// Plays the rest of the trace without delays. Returns when every callback has run and every consumer of an async
    /// sequence has requested its next element. On the main actor, callbacks of managers that were created there run
    /// directly. Tasks that callbacks start on the main actor have also run, up to their first suspension. Cancelling
    /// the task ends playback early. Throws a `DeviceError` with the code `busy` if called while the device is playing.
    nonisolated(nonsending) public func play() async throws(DeviceError) {
        guard player.acquire() else { throw unavailabilityError }
        defer { player.release() }
        _ = await runExclusively(upTo: .never) { _ in Task.isCancelled }
        await Self.runMainActorTasks()
    }

    /// Plays without delays until the condition is true.
    ///
    /// The condition is evaluated on the caller's actor: before playback, and after each event when its callbacks, the
    /// consumers of async sequences, and the tasks that callbacks start on the main actor have run. Such a task has run
    /// up to its first suspension. If the condition is true, the rest of the trace can be played later. The main thread
    /// must not be blocked.
    ///
    /// Throws a `DeviceError` if the trace ends, or if one pass of an endless playback ends, while the condition is
    /// false, and also if the device is already playing. Throws a `CancellationError` if the task is cancelled.
    nonisolated(nonsending) public func play(until condition: () -> Bool) async throws {
        try checkCondition(await run { condition() })
    }

    /// Plays without delays until an asynchronous condition is true, such as one that reads the state of an actor.
    /// Otherwise like the form with a synchronous condition.
    nonisolated(nonsending) public func play(until condition: nonisolated(nonsending) () async -> Bool) async throws {
        try checkCondition(await run(until: condition))
    }

    /// Advances the device's clock and plays all events in that time. Does nothing if the device is already playing.
    nonisolated(nonsending) public func advance(by duration: Duration) async { await advance(by: duration.inSeconds) }

    nonisolated(nonsending) package func advance(by seconds: Double) async {
        guard player.acquire() else { return }
        defer { player.release() }
        let limit = time(after: seconds)
        _ = await runExclusively(upTo: limit)
        player.moveClock(to: limit)
    }

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
        guard player.acquire() else { throw unavailabilityError }
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
                _ = await runExclusively(upTo: passed)
            } else {
                clock.move(to: passed)
                let rest = min(due.seconds(since: passed) / speed, 0.1)
                try? await Task.sleep(for: .seconds(max(rest, 0.0005)))
            }
        }
        if !Task.isCancelled { _ = await runExclusively(upTo: .never) }
    }

    /// Plays until the condition is true. Returns false if it is false at the end, and nil if the device is already
    /// playing.
    nonisolated(nonsending) private func run(
        until condition: nonisolated(nonsending) () async -> Bool
    ) async -> Bool? {
        guard player.acquire() else { return nil }
        defer { player.release() }
        return await runExclusively(upTo: .never) { hasRunCallbacks in
            if hasRunCallbacks || !callbacks.consumerGate.hasNoConsumers { await Self.runMainActorTasks() }
            return await condition() || Task.isCancelled
        }
    }

    /// Plays up to the limit or until the condition is true, and returns whether it is. The condition's argument is
    /// true if callbacks may have run since its last evaluation. The caller must have claimed the player. After each
    /// step, waits until all callbacks and all consumers of async sequences are idle. The first wait also covers
    /// everything that was pending before the call.
    nonisolated(nonsending) private func runExclusively(
        upTo limit: BootTime, until condition: nonisolated(nonsending) (Bool) async -> Bool = { _ in false }
    ) async -> Bool {
        await Device.$current.withValue(device) {
            callbacks.run(isOnMainThread: MainQueueContext.isCurrent)
            await callbacks.waitUntilIdle()
            if await condition(true) { return true }
            repeat {
                while player.step(upTo: limit) != .finished {
                    let hasRunCallbacks = callbacks.run(isOnMainThread: MainQueueContext.isCurrent)
                    if !callbacks.isIdle { await callbacks.waitUntilIdle() }
                    if await condition(hasRunCallbacks) { return true }
                }
                callbacks.run(isOnMainThread: MainQueueContext.isCurrent)
                await callbacks.waitUntilIdle()
                if await condition(true) { return true }
                // The last callbacks may have started a timer by writing to an accessory, so the timers are checked
                // again.
            } while limit == .never && player.isTimerDue
            return false
        }
    }

    /// Returns when the jobs that the main actor has already been given have run. The main queue runs jobs in order.
    nonisolated(nonsending) private static func runMainActorTasks() async {
        if MainQueueContext.isCurrent { await Task.yield() } else { await MainActor.run {} }
    }
}
