// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// Synchronous playback on the caller's thread. Each call claims the player, so calls never overlap.
extension SimulatedDevice {
    /// Plays the rest of the trace without delays. Returns after every callback has run.
    ///
    /// Afterwards, the clock is at the end of the trace. Use `advance(by:)` to let pending timeouts expire. Throws a
    /// `DeviceError` with the code `busy` if called while the device is playing, for example from a callback. If the
    /// delivery is `.asLive`, or if the program consumes async sequences, use the async form.
    public func play() throws(DeviceError) { guard run(upTo: .never) != nil else { throw unavailabilityError } }

    /// Plays without delays until the condition is true. The condition is evaluated before playback and after the
    /// callbacks of each event, on the caller's thread. If it is true, the rest of the trace can be played later.
    ///
    /// Throws a `DeviceError` if the trace ends, or if one pass of an endless playback ends, while the condition is
    /// false, and also if the device is already playing. Throws a `CancellationError` if the task is cancelled. In an
    /// async function, use the async form.
    public func play(until condition: () -> Bool) throws {
        let isMet = run(upTo: .never) { condition() || Task.isCancelled }
        try checkCondition(isMet)
    }

    /// Throws an error unless playback has stopped because its condition was true. nil means that the device was
    /// already playing.
    func checkCondition(_ isMet: Bool?) throws {
        guard let isMet else { throw unavailabilityError }
        try Task.checkCancellation()
        guard !isMet else { return }
        throw DeviceError(
            .notFound,
            "\(device.name) ended \(elapsed.inSeconds) s after its start, but the condition of play(until:) was never true. Correct the condition, play a longer recording, or let a pending timeout expire with advance(by:)."
        )
    }

    /// Advances the device's clock by the given duration and plays all events in that time. The trace may end earlier.
    /// A negative duration is treated as 0. Does nothing if called while the device is playing.
    public func advance(by duration: Duration) { advance(by: duration.inSeconds) }

    package func advance(by seconds: Double) { _ = run(upTo: time(after: seconds)) }

    /// Plays the next trace event, after firing any timers that are due before it. Returns false at the end of the
    /// trace. Samples of a motion sensor that arrived together count as one event. If called while the device is
    /// playing, for example from a callback, does nothing and returns false.
    @discardableResult
    public func step() -> Bool { play(atMost: 1) }

    package func play(atMost count: Int) -> Bool {
        let hasMore = withExclusivePlayer { isMain in
            var rest = count
            while let next = player.nextEvent() {
                let step = player.step(upTo: next)
                callbacks.run(isOnMainThread: isMain)
                switch step {
                case .progressed: continue
                case .delivered:
                    rest -= 1
                    if rest <= 0 { return true }
                case .finished: return false
                }
            }
            // Handles everything that is due now, without advancing the clock.
            while player.step(upTo: clock.now) != .finished { callbacks.run(isOnMainThread: isMain) }
            callbacks.run(isOnMainThread: isMain)
            return false
        }
        return hasMore ?? false
    }

    /// Moves forward or backward to the given time, which is relative to the start of the trace.
    ///
    /// The events in between are not delivered. When this function returns, the device has the state that the trace has
    /// reached by the new time, including accessories, the battery, and lost sources and sensors. Managers are notified
    /// of state changes immediately. The last position before the new time is available, with its age, but is not
    /// delivered. Delivery of positions and samples resumes with the next event. Reports from an incomplete epoch are
    /// dropped. Sessions with accessories that remain attached continue with the bytes recorded after the new time.
    ///
    /// The device's clock does not move backward. The time since boot does not change during the move and increases
    /// afterwards, so intervals and timeouts remain valid. The wall-clock time and the receivers' times jump to the new
    /// time in the trace. The attitude estimate converges again.
    ///
    /// If the time is before the start of the trace, the device moves to its start, even if ``PlaybackOptions/from`` is
    /// later. If the time is beyond the end, nothing is left to play. The number of remaining passes does not change.
    /// Does nothing if called while the device is playing.
    public func seek(to time: Duration) { seek(to: time.inSeconds) }

    package func seek(to seconds: Double) {
        withExclusivePlayer { isMain in
            player.seek(to: seconds)
            callbacks.run(isOnMainThread: isMain)
        }
    }

    /// Returns the time after the given number of seconds. Negative values and NaN are treated as 0. The result stays
    /// within the range of the clock. It is never `.never`, which would mean playing to the end of the trace.
    func time(after seconds: Double) -> BootTime {
        min(clock.now.advanced(bySeconds: max(0, seconds)), BootTime(nanoseconds: .max - 1))
    }

    /// Plays up to the limit. Returns true if the condition was true before, false at the limit, and nil if the device
    /// is already playing.
    private func run(upTo limit: BootTime, until condition: () -> Bool = { false }) -> Bool? {
        withExclusivePlayer { isMain in
            if condition() { return true }
            repeat {
                while player.step(upTo: limit) != .finished {
                    callbacks.run(isOnMainThread: isMain)
                    if condition() { return true }
                }
                callbacks.run(isOnMainThread: isMain)
                if condition() { return true }
                // The last callbacks may have started a timer by writing to an accessory, so the timers are checked
                // again.
            } while limit == .never && player.isTimerDue
            player.moveClock(to: limit)
            return false
        }
    }

    /// Runs the waiting callbacks, then the closure, with this device as the current device. Returns nil if the device
    /// is playing.
    @discardableResult
    private func withExclusivePlayer<Result>(_ body: (_ isMain: Bool) -> Result) -> Result? {
        guard player.acquire() else { return nil }
        defer { player.release() }
        let isMain = MainQueueContext.isCurrent
        return device.withCurrent {
            callbacks.run(isOnMainThread: isMain)
            return body(isMain)
        }
    }
}
