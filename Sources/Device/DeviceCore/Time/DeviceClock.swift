// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The time of a device: the live machine's, or a virtual one that only playback moves.
///
/// Every time-out, watchdog and hysteresis takes its time from here, so that nothing has to sleep to be tested.
public protocol DeviceClock: AnyObject, Sendable {
    /// Time since boot, suspend included. Never goes back.
    var now: BootTime { get }

    /// Civil time. May step.
    var wallTime: WallTime { get }

    /// Runs the work once at the deadline or soon after, on a thread of the clock's own, unless the timer is cancelled
    /// or released before.
    func timer(at deadline: BootTime, _ work: @escaping @Sendable () -> Void) -> ClockTimer
}
