// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The clock of a dashboard session, in seconds. For a trace, it counts from the start of the trace and follows the
/// simulated wall clock, which jumps when the user seeks. In a live session, it counts from the start of the dashboard
/// and follows the boot clock, because the wall clock may be set at any time.
final class SessionClock: Sendable {
    private let clock: any DeviceClock
    private let boot: BootTime
    private let beginning: WallTime?

    init(_ clock: any DeviceClock, isTrace: Bool) {
        self.clock = clock
        boot = clock.now
        beginning = isTrace ? clock.wallTime : nil
    }

    /// The wall time at which this clock reads zero. In a live session, it changes if the wall clock is set.
    var start: WallTime { beginning ?? clock.wallTime.advanced(bySeconds: -now) }

    var now: Double { beginning.map { clock.wallTime.seconds(since: $0) } ?? clock.now.seconds(since: boot) }

    /// Converts a timestamp in seconds since boot to a time on this clock.
    func seconds(_ boot: Double) -> Double { now - (clock.now.seconds - boot) }

    func seconds(_ boot: BootTime) -> Double { now - clock.now.seconds(since: boot) }
    func seconds(_ time: WallTime) -> Double { time.seconds(since: start) }
}
