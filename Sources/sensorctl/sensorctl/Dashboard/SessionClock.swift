// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The dashboard's clock: seconds since a trace's beginning, or since the dashboard's start.
///
/// The clock since boot of a device that plays a trace goes on rising when somebody goes to another place; its civil time is
/// that of the place. Of a live machine it is the other way round: its civil time may be set at any time.
final class SessionClock: Sendable {
    private let clock: any DeviceClock
    /// The clock since boot at the dashboard's start.
    private let boot: BootTime
    /// The civil time of a trace's beginning; nil for a live machine.
    private let beginning: WallTime?

    init(_ clock: any DeviceClock, isTrace: Bool) {
        self.clock = clock
        boot = clock.now
        beginning = isTrace ? clock.wallTime : nil
    }

    /// The civil time that it calls 0; of a live machine as its clock is set now.
    var start: WallTime { beginning ?? clock.wallTime.advanced(bySeconds: -now) }

    var now: Double { beginning.map { clock.wallTime.seconds(since: $0) } ?? clock.now.seconds(since: boot) }

    /// The time that readings are stamped with, in seconds since boot, on this clock.
    func seconds(_ boot: Double) -> Double { now - (clock.now.seconds - boot) }

    func seconds(_ boot: BootTime) -> Double { now - clock.now.seconds(since: boot) }

    /// A civil time on this clock.
    func seconds(_ time: WallTime) -> Double { time.seconds(since: start) }
}
