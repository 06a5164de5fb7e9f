// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Synchronization
package import Trace

/// A flight recorder. After a trigger event, it saves the last few minutes of a ring as a trace and continues
/// recording.
///
/// A saved trace extends a few seconds beyond its trigger. Triggers that occur during that time are listed in the same
/// trace, but do not extend it. A trigger that occurs while a trace is being saved starts the next trace.
package final class BlackBox: Sendable {
    package struct Options: Sendable {
        /// The length of the saved period before the first trigger, in seconds.
        package var before = 600.0
        /// The length of the saved period after the first trigger, in seconds.
        package var after = 30.0

        package init() {}
    }

    package enum Event: Sendable {
        /// A trigger occurred. If no trace was pending, a trace will be saved after the given number of seconds. If a
        /// trace was already pending, the trigger was added to it, and `seconds` is 0.
        case triggered(RingTrigger, seconds: Double)
        case saved(SavedTrace, triggers: [RingTrigger])
        /// A trigger occurred, but the ring contained no events to save.
        case empty(RingTrigger)
        /// A trace could not be saved. Its events stay in the ring until newer events replace them.
        case failed(DeviceError)
        /// The segments of an earlier recording were processed. If they contained events, a trace was saved.
        case processedLeftover(RingLeftover)
        /// The segments of an earlier recording could not be saved. They are kept for the next attempt.
        case failedLeftover(DeviceError)
    }

    private struct Pending {
        var triggers: [RingTrigger]
        var timer: ClockTimer?
        var isDue = false
    }

    private struct State {
        var pending: Pending?
        var isSaving = false
        /// The triggers of the trace that is being saved. The ring still retains that trace's events.
        var savingTriggers: [RingTrigger] = []
        var isSavingLeftovers = false
        var isFinished = false
        /// True once saving a trace has failed. Never reset, so that the ring does not release that trace's events.
        var hasFailed = false
        /// The semaphores to signal when an attempt to save a trace or the leftovers ends.
        var waiters: [BinarySemaphore] = []
    }

    private static let maximumTriggers = 100
    private let ring: TraceRing
    private let writer: TraceWriter
    private let options: Options
    private let clock: any DeviceClock
    private let run: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let onEvent: @Sendable (Event) -> Void
    private let state = Mutex(State())

    /// Creates a black box. `run` executes the closure that saves a trace. By default, it does so on a new thread or,
    /// if no thread can be started, on the calling thread. `onEvent` may be called from any thread, but never while a
    /// lock is held.
    package init(
        ring: TraceRing, writer: TraceWriter, options: Options = Options(), clock: any DeviceClock,
        run: (@Sendable (@escaping @Sendable () -> Void) -> Void)? = nil, onEvent: @escaping @Sendable (Event) -> Void
    ) {
        (self.ring, self.writer, self.options, self.clock, self.onEvent) = (ring, writer, options, clock, onEvent)
        self.run =
            run ?? { body in
                do throws(DeviceError) { try WorkerThread.start(body) } catch { body() }
            }
    }

    /// Saves the segments of earlier recordings while the current recording continues. Call this method only once.
    package func saveLeftovers() {
        state.withLock { $0.isSavingLeftovers = true }
        run { [self] in
            ring.saveLeftovers { result in
                switch result {
                case .success(let leftover): onEvent(.processedLeftover(leftover))
                case .failure(let error): onEvent(.failedLeftover(error))
                }
            }
            let waiters = state.withLock { state in
                state.isSavingLeftovers = false
                return state.waiters
            }
            for waiter in waiters { waiter.signal() }
        }
    }

    /// Records a trigger. The trigger is ignored after ``finish()`` or if the pending trace already has
    /// `maximumTriggers`.
    package func trigger(_ event: String) {
        let recorded = state.withLock { state -> (trigger: RingTrigger, isFirst: Bool)? in
            guard !state.isFinished else { return nil }
            let trigger = RingTrigger(event: event, time: ring.now)
            var triggers = state.pending?.triggers ?? []
            guard triggers.count < Self.maximumTriggers else { return nil }
            triggers.append(trigger)
            if state.pending == nil {
                let timer = clock.timer(at: clock.now.advanced(bySeconds: options.after)) { [weak self] in
                    self?.timerFired()
                }
                state.pending = Pending(triggers: triggers, timer: timer)
            } else {
                state.pending?.triggers = triggers
            }
            // The lock is held during this call so that triggers from several threads reach the ring in order.
            ring.retain(since: startTime(for: state.savingTriggers + triggers), for: triggers)
            return (trigger, triggers.count == 1)
        }
        guard let recorded else { return }
        onEvent(.triggered(recorded.trigger, seconds: recorded.isFirst ? options.after : 0))
    }

    /// If a trace is pending, saves it immediately with the events recorded so far. Waits until all saves have
    /// completed. The caller must close the ring afterwards.
    package func finish() {
        let semaphore = BinarySemaphore()
        state.withLock { state in
            state.isFinished = true
            state.waiters.append(semaphore)
        }
        while state.withLock({ $0.isSaving }) { semaphore.wait(seconds: 60) }
        let isPending = state.withLock { state in
            state.isSaving = state.pending != nil
            return state.isSaving
        }
        if isPending { save() }
        while state.withLock({ $0.isSavingLeftovers }) { semaphore.wait(seconds: 60) }
    }

    private func startTime(for triggers: [RingTrigger]) -> Int64 {
        let first = triggers.first?.time ?? 0
        return max(0, first.subtractingSaturated(Int64(saturatingSeconds: options.before) ?? 0))
    }

    private func timerFired() {
        let isFree = state.withLock { state in
            state.pending?.isDue = true
            guard !state.isSaving, !state.isFinished, state.pending != nil else { return false }
            state.isSaving = true
            return true
        }
        if isFree { run { self.save() } }
    }

    /// Saves the pending trace. The caller must have set `isSaving`.
    private func save() {
        let pending = state.withLock { state -> Pending? in
            defer { state.pending = nil }
            state.savingTriggers = state.pending?.triggers ?? []
            return state.pending
        }
        guard let pending else { return finishSave() }
        pending.timer?.cancel()
        do throws(DeviceError) {
            try writer.flush()
            let last = ring.now
            let paths = ring.beginReading()
            defer { ring.endReading() }
            guard let first = pending.triggers.first else { return finishSave() }
            // The trigger's civil time, according to the clock's current setting.
            let passed = last.subtractingSaturated(first.time)
            let time = WallTime(nanoseconds: clock.wallTime.nanoseconds.subtractingSaturated(passed))
            let location = ring.location
            var reading = try RingReader(paths, stablePath: ring.folder.stablePath)
            let saved = try SavedTrace.write(
                &reading, from: startTime(for: pending.triggers), to: last, triggers: pending.triggers,
                path: location.path(at: time, for: first.event), temporary: location.temporaryPath, mode: location.mode,
                disk: ring.disk)
            onEvent(saved.map { .saved($0, triggers: pending.triggers) } ?? .empty(first))
        } catch {
            state.withLock { $0.hasFailed = true }
            onEvent(.failed(error))
        }
        finishSave()
    }

    private func finishSave() {
        let (isNext, waiters) = state.withLock { state -> (Bool, [BinarySemaphore]) in
            state.savingTriggers = []
            if state.pending == nil, !state.hasFailed { ring.endRetention() }
            state.isSaving = state.pending?.isDue == true && !state.isFinished
            return (state.isSaving, state.waiters)
        }
        for waiter in waiters { waiter.signal() }
        if isNext { run { self.save() } }
    }
}
