// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Synchronization
package import Trace

/// Saves the last minutes of a ring when something has happened, and goes on.
///
/// What is recorded for some seconds after a trigger belongs to it; further triggers in that time are noted in the same
/// trace and do not make it longer. One that comes while a trace is being saved begins the next one.
package final class BlackBox: Sendable {
    /// How traces are saved.
    package struct Options: Sendable {
        /// Seconds before a trigger.
        package var before = 600.0
        /// Seconds behind it.
        package var after = 30.0

        /// Ten minutes before, half a minute behind.
        package init() {}
    }

    /// What happens to the box.
    package enum Event: Sendable {
        /// Something has happened, and a trace will be saved in so many seconds.
        case triggered(RingTrigger, seconds: Double)
        /// A trace was saved.
        case saved(RingSave, triggers: [RingTrigger])
        /// There was nothing to save.
        case empty(RingTrigger)
        /// A trace could not be saved; the ring has all of it as long as nothing more is recorded.
        case failed(DeviceError)
        /// What a former recorder had left behind was looked at, and saved where there was anything.
        case foundLeftover(RingLeftover)
        /// It could not be saved now, and stays for the next time.
        case keptLeftover(DeviceError)
    }

    private struct Pending {
        var triggers: [RingTrigger]
        var timer: ClockTimer?
        var isDue = false
    }

    private struct State {
        var pending: Pending?
        var isSaving = false
        var isSavingLeftovers = false
        var isFinished = false
        /// A trace could not be saved: what the ring has of it stays.
        var hasFailed = false
        /// Rung when a save has ended.
        var waiters: [Bell] = []
    }

    /// More triggers of one trace are not noted.
    private static let maximumTriggers = 100

    private let ring: TraceRing
    private let writer: TraceWriter
    private let options: Options
    private let clock: any DeviceClock
    private let run: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let told: @Sendable (Event) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - ring: what is saved.
    ///   - writer: what writes to it.
    ///   - clock: that of the recording.
    ///   - run: runs the saving of a trace; a thread of its own unless given.
    ///   - told: is told what happens, on any thread.
    package init(
        ring: TraceRing, writer: TraceWriter, options: Options = Options(), clock: any DeviceClock,
        run: (@Sendable (@escaping @Sendable () -> Void) -> Void)? = nil, told: @escaping @Sendable (Event) -> Void
    ) {
        self.ring = ring
        self.writer = writer
        self.options = options
        self.clock = clock
        self.told = told
        self.run =
            run ?? { body in
                do throws(DeviceError) { try WorkerThread.start(body) } catch { body() }
            }
    }

    /// Saves what former recorders have left behind, beside recording.
    package func saveLeftovers() {
        state.withLock { $0.isSavingLeftovers = true }
        run { [self] in
            ring.saveLeftovers { result in
                switch result {
                case .success(let leftover): told(.foundLeftover(leftover))
                case .failure(let error): told(.keptLeftover(error))
                }
            }
            let waiters = state.withLock { state in
                state.isSavingLeftovers = false
                return state.waiters
            }
            for waiter in waiters { waiter.ring() }
        }
    }

    /// Something has happened.
    package func trigger(_ event: String) {
        let noted = state.withLock { state -> (trigger: RingTrigger, isFirst: Bool)? in
            guard !state.isFinished else { return nil }
            let trigger = RingTrigger(event: event, time: ring.now)
            var triggers = state.pending?.triggers ?? []
            guard triggers.count < Self.maximumTriggers else { return nil }
            triggers.append(trigger)
            if state.pending == nil {
                let timer = clock.timer(at: clock.now.advanced(bySeconds: options.after)) { [weak self] in
                    self?.isDue()
                }
                state.pending = Pending(triggers: triggers, timer: timer)
            } else {
                state.pending?.triggers = triggers
            }
            // In the order of the events: of two at once, the first must not be the last that the ring hears.
            ring.keep(from: from(triggers), for: triggers)
            return (trigger, triggers.count == 1)
        }
        guard let noted else { return }
        told(.triggered(noted.trigger, seconds: noted.isFirst ? options.after : 0))
    }

    /// Ends it: what waits for the time behind a trigger is saved with what there is. Returns when it has been. Then the ring
    /// is to be closed.
    package func finish() {
        let bell = Bell()
        state.withLock { state in
            state.isFinished = true
            state.waiters.append(bell)
        }
        while state.withLock({ $0.isSaving }) { bell.wait(seconds: 60) }
        let isPending = state.withLock { state in
            state.isSaving = state.pending != nil
            return state.isSaving
        }
        if isPending { save() }
        while state.withLock({ $0.isSavingLeftovers }) { bell.wait(seconds: 60) }
    }

    private func from(_ triggers: [RingTrigger]) -> Int64 {
        let first = triggers.first?.time ?? 0
        return max(0, first.subtractingSaturated(Int64(saturatingSeconds: options.before) ?? 0))
    }

    private func isDue() {
        let isFree = state.withLock { state in
            state.pending?.isDue = true
            guard !state.isSaving, !state.isFinished, state.pending != nil else { return false }
            state.isSaving = true
            return true
        }
        if isFree { run { self.save() } }
    }

    /// Saves what is pending. To be called by the one who has set `isSaving`.
    private func save() {
        let pending = state.withLock { state -> Pending? in
            defer { state.pending = nil }
            return state.pending
        }
        guard let pending else { return end() }
        pending.timer?.cancel()
        do throws(DeviceError) {
            try writer.flush()
            let last = ring.now
            let paths = ring.beginReading()
            defer { ring.endReading() }
            guard let first = pending.triggers.first else { return end() }
            // What the clock says now of the time of the trigger.
            let passed = last.subtractingSaturated(first.time)
            let time = WallTime(nanoseconds: clock.wallTime.nanoseconds.subtractingSaturated(passed))
            let place = ring.place
            var reading = try RingReading(paths, reached: ring.folder.reached)
            let saved = try RingSave.write(
                &reading, from: from(pending.triggers), to: last, triggers: pending.triggers,
                path: place.path(at: time, for: first.event), temporary: place.unfinished, mode: place.mode,
                disk: ring.disk)
            told(saved.map { .saved($0, triggers: pending.triggers) } ?? .empty(first))
        } catch {
            state.withLock { $0.hasFailed = true }
            told(.failed(error))
        }
        end()
    }

    private func end() {
        let (isNext, waiters) = state.withLock { state -> (Bool, [Bell]) in
            if state.pending == nil, !state.hasFailed { ring.letGo() }
            state.isSaving = state.pending?.isDue == true && !state.isFinished
            return (state.isSaving, state.waiters)
        }
        for waiter in waiters { waiter.ring() }
        if isNext { run { self.save() } }
    }
}
