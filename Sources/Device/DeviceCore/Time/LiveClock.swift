// SPDX-License-Identifier: Apache-2.0

import Dispatch
import SystemCalls

/// The machine's clock: CLOCK_BOOTTIME and the system clock.
public final class LiveClock: DeviceClock {
    private let queue = DispatchQueue(label: "device-services.clock")

    /// Creates a clock. All instances return the same time.
    public init() {}

    /// The time since boot, including time spent suspended.
    public var now: BootTime { BootTime(nanoseconds: systemTime(CLOCK_BOOTTIME) ?? 0) }

    /// The system clock's time.
    public var wallTime: WallTime { WallTime(nanoseconds: systemTime(CLOCK_REALTIME) ?? 0) }

    /// Runs the work on the clock's dispatch queue at the deadline.
    public func timer(at deadline: BootTime, _ work: @escaping @Sendable () -> Void) -> ClockTimer {
        let timer = ClockTimer(work)
        let timerSource = TimerSource(queue: queue)
        timerSource.source.setEventHandler { [weak timer, weak timerSource] in
            guard let timer, let timerSource else { return }
            // Dispatch's clock may differ from CLOCK_BOOTTIME after suspend. A timer that fires early is rescheduled.
            let rest = deadline.seconds(since: self.now)
            if rest > 0 { timerSource.schedule(after: rest) } else { timer.fire() }
        }
        timerSource.schedule(after: deadline.seconds(since: now))
        timer.onCancel { timerSource.source.cancel() }
        timerSource.source.resume()
        return timer
    }
}

/// A Dispatch timer. `@unchecked Sendable` because Dispatch timers are thread-safe, although their protocol is not
/// `Sendable`.
private final class TimerSource: @unchecked Sendable {
    let source: any DispatchSourceTimer

    init(queue: DispatchQueue) { source = DispatchSource.makeTimerSource(queue: queue) }

    func schedule(after seconds: Double) { source.schedule(deadline: .now() + max(0, seconds)) }
}

/// Opens the file descriptors that Dispatch needs for timers.
///
/// Dispatch opens these descriptors on its own thread when a timer first has to wait. If the process has run out of
/// descriptors by then, Dispatch terminates the process or its timers never fire. A program that may exhaust its
/// descriptors should therefore call `open()` at startup.
package enum DispatchDescriptors {
    /// The clock that creates the timers. Any live clock can be used, because they all share Dispatch's descriptors.
    private static let timers = LiveClock()

    /// Starts opening the descriptors. The returned closure waits until they are open, but for at most 0.2 s.
    package static func open() -> @Sendable () -> Void {
        let hasFired = BinarySemaphore()
        let now = timers.now
        // The first timer is due in an hour, so Dispatch opens its descriptors to wait for it. They are open once the
        // second timer has fired.
        let waiting = timers.timer(at: now.advanced(bySeconds: 3600)) {}
        let timer = timers.timer(at: now.advanced(bySeconds: 0.001)) { hasFired.signal() }
        return {
            hasFired.wait(seconds: 0.2)
            timer.cancel()
            waiting.cancel()
        }
    }
}
