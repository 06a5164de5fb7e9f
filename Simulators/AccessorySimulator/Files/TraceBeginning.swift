// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LoopbackServer
import SystemCalls

/// Waits for the beginning that a trace of accessories shares with other servers.
///
/// A program that watches accessories connects to nothing before there is one. It is noticed when it looks into the folder.
final class TraceBeginning: Sendable {
    private let common: CommonStart
    private let openings = OpeningWatch()
    private let wakeUp: WakeUp
    /// False where nobody can be noticed, and the trace begins at once.
    private let isWatched: Bool

    init(_ common: CommonStart, folder: String) throws(DeviceError) {
        self.common = common
        let wakeUp = try WakeUp(for: "the simulated accessories")
        self.wakeUp = wakeUp
        isWatched = openings.add(folder)
        common.whenBegun { wakeUp.signal() }
    }

    /// When it begins; nil when it was given up.
    func wait(_ isGivenUp: () -> Bool) -> BootTime? {
        let clock = LiveClock()
        while !isGivenUp() {
            if let time = common.time { return time }
            if !isWatched || wakeUp.wait(for: openings.descriptor, until: .never, clock: clock) {
                return common.begin(at: clock.now)
            }
        }
        return nil
    }

    /// Ends the wait.
    func giveUp() { wakeUp.signal() }
}
