// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// The dashboard's clock: seconds since a trace's beginning, or since the dashboard's start.
///
/// The clock since boot of a device that plays a trace goes on rising when somebody goes to another place; its civil time is
/// that of the place.
final class SessionClock: Sendable {
    /// The civil time that it calls 0.
    let start: WallTime
    private let clock: any DeviceClock
    /// What the clock since boot shows at 0.
    private let origin: Mutex<Double>

    init(_ clock: any DeviceClock) {
        self.clock = clock
        start = clock.wallTime
        origin = Mutex(clock.now.seconds)
    }

    var now: Double { seconds(clock.now.seconds) }

    /// The time that readings are stamped with, in seconds since boot, on this clock.
    func seconds(_ boot: Double) -> Double { boot - origin.withLock { $0 } }

    func seconds(_ boot: BootTime) -> Double { seconds(boot.seconds) }

    /// A civil time on this clock.
    func seconds(_ time: WallTime) -> Double { time.seconds(since: start) }

    /// Goes to where a trace's civil time is now.
    func follow() {
        let (place, boot) = (clock.wallTime.seconds(since: start), clock.now.seconds)
        origin.withLock { $0 = boot - place }
    }
}
