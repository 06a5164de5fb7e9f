// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// The live clock, which a test can advance.
final class JumpClock: DeviceClock {
    private let live = LiveClock()
    private let offset = Mutex<Double>(0)
    private let fixedWallTime: WallTime?

    init(wallTime: WallTime? = nil) { fixedWallTime = wallTime }

    var now: BootTime { live.now.advanced(bySeconds: offset.withLock { $0 }) }
    var wallTime: WallTime { fixedWallTime ?? live.wallTime }

    func jump(seconds: Double) { offset.withLock { $0 += seconds } }

    func timer(at deadline: BootTime, _ work: @escaping @Sendable () -> Void) -> ClockTimer {
        live.timer(at: deadline.advanced(bySeconds: -offset.withLock { $0 }), work)
    }
}
