// SPDX-License-Identifier: Apache-2.0

import Dispatch
import SystemCalls

/// The machine's own time: CLOCK_BOOTTIME and the system clock.
public final class LiveClock: DeviceClock {
    private let queue = DispatchQueue(label: "device-services.clock")

    /// A clock; all of them agree.
    public init() {}

    /// Time since boot, suspend included.
    public var now: BootTime {
        #if os(Linux) || os(Android)
        BootTime(nanoseconds: LiveClock.read(CLOCK_BOOTTIME))
        #else
        BootTime(nanoseconds: LiveClock.read(CLOCK_MONOTONIC))
        #endif
    }

    /// The system clock.
    public var wallTime: WallTime { WallTime(nanoseconds: LiveClock.read(CLOCK_REALTIME)) }

    /// Runs the work on a queue of the clock's.
    public func timer(at deadline: BootTime, _ work: @escaping @Sendable () -> Void) -> ClockTimer {
        let timer = ClockTimer(work)
        let box = TimerSource(queue: queue)
        box.source.setEventHandler { [weak timer, weak self, weak box] in
            guard let timer, let self, let box else { return }
            // Dispatch's own clock may stand still in suspend: look again rather than fire early.
            let rest = deadline.seconds(since: self.now)
            if rest > 0 {
                box.schedule(after: rest)
            } else {
                timer.fire()
            }
        }
        box.schedule(after: deadline.seconds(since: now))
        timer.whenCancelled { box.source.cancel() }
        box.source.resume()
        return timer
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// A Dispatch timer, which is safe to use from any thread though its protocol does not say so.
private final class TimerSource: @unchecked Sendable {
    let source: any DispatchSourceTimer

    init(queue: DispatchQueue) { source = DispatchSource.makeTimerSource(queue: queue) }

    func schedule(after seconds: Double) { source.schedule(deadline: .now() + max(0, seconds)) }
}

/// The descriptors that Dispatch needs for its timers.
///
/// It opens them with the first timer that has to wait, on a thread of its own. When none is left by then, it ends the
/// process, or its timers never fire. So a program that may use up its descriptors has them opened at its start.
package enum DispatchDescriptors {
    /// They are those of the process, whatever clock a source has.
    private static let timers = LiveClock()

    /// Has them opened; what it returns waits until that is done, a fifth of a second at most.
    package static func open() -> @Sendable () -> Void {
        let hasFired = Bell()
        let now = timers.now
        // One that is far away has to wait for certain, and when a later one has fired that is done.
        let waiting = timers.timer(at: now.advanced(bySeconds: 3600)) {}
        let timer = timers.timer(at: now.advanced(bySeconds: 0.001)) { hasFired.ring() }
        return {
            hasFired.wait(seconds: 0.2)
            timer.cancel()
            waiting.cancel()
        }
    }
}
