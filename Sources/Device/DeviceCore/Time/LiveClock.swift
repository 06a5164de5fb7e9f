// This source file is part of the swift-device-services project.
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

    init(queue: DispatchQueue) {
        source = DispatchSource.makeTimerSource(queue: queue)
    }

    func schedule(after seconds: Double) {
        source.schedule(deadline: .now() + max(0, seconds))
    }
}
