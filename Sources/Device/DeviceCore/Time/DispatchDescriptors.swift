// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

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
