// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Synchronization

/// Subscribes to a device's sources and detects a black box's trigger events. A lock protects the detector, because
/// sources deliver their readings on several threads.
package final class TriggerMonitor: Sendable {
    private struct State {
        var detector: TriggerDetector
        var subscriptions: [Subscription] = []
        /// The timer that reports a missing fix at the deadline.
        var timer: ClockTimer?
        var timerDeadline = BootTime.never
        var hasEnded = false
    }

    private let triggers: [RecordingTrigger]
    private let clock: any DeviceClock
    private let onEvent: @Sendable (String) -> Void
    private let state: Mutex<State>

    /// Creates a monitor. `onEvent` is called with the text of each event, on any thread but never while the lock is
    /// held.
    package init(_ triggers: [RecordingTrigger], clock: any DeviceClock, onEvent: @escaping @Sendable (String) -> Void)
    {
        (self.triggers, self.clock, self.onEvent) = (triggers, clock, onEvent)
        state = Mutex(State(detector: TriggerDetector(triggers)))
    }

    /// Subscribes to the device's sources. `interval` is the interval between recorded readings in seconds, or 0 if all
    /// are recorded. Detection uses an interval of at most 20 ms.
    package func start(_ device: Device, interval: Double) {
        var all: [Subscription] = []
        if triggers.contains(where: \.needsAcceleration) {
            let request = MotionRequest(
                kind: .accelerometer, interval: interval > 0 ? min(interval, 0.02) : 0.01, axes: .device)
            all.append(device.motionSource.subscribe(request) { [weak self] in self?.process($0) })
        }
        if triggers.contains(where: \.needsPosition) {
            all.append(device.positionSource.subscribe(PositionRequest()) { [weak self] in self?.process($0) })
        }
        if triggers.contains(where: \.needsAccessories) {
            all.append(device.accessorySource.subscribe { [weak self] in self?.process($0) })
        }
        let isLate = state.withLock { state in
            if !state.hasEnded { state.subscriptions += all }
            return state.hasEnded
        }
        if isLate { for subscription in all { subscription.cancel() } }
    }

    /// Cancels the subscriptions. A call to the event closure may still be in progress, but no new call begins.
    package func stop() {
        let (subscriptions, timer) = state.withLock { state in
            state.hasEnded = true
            defer { (state.subscriptions, state.timer) = ([], nil) }
            return (state.subscriptions, state.timer)
        }
        for subscription in subscriptions { subscription.cancel() }
        timer?.cancel()
    }

    func process(_ event: MotionEvent) {
        guard case .samples(let batch) = event else { return }
        update { detector in
            zip(batch.values, batch.times).flatMap { detector.process(acceleration: $0, at: $1) }
        }
    }

    func process(_ event: PositionEvent) {
        let time = clock.now
        update { detector in
            switch event {
            case .report(let report): detector.process(report, at: time)
            // Ignore a silent source, because the timer detects the missing fix after the trigger's own time limit.
            case .lost(let error) where error.code == .silent: []
            case .lost: detector.processPositionLoss()
            case .sky, .attitude, .receivers, .line, .regained: []
            }
        }
    }

    func process(_ event: AccessoryEvent) {
        guard case .detached(let accessory) = event else { return }
        update { $0.processUnplugging(of: accessory.name) }
    }

    private func update(_ body: (inout TriggerDetector) -> [String]) {
        let (events, previousTimer) = state.withLock { state -> ([String], ClockTimer?) in
            guard !state.hasEnded else { return ([], nil) }
            let events = body(&state.detector)
            // If a new fix postpones the deadline, leave the timer unchanged. It fires early and is then set again.
            guard let deadline = state.detector.deadline, state.timer == nil || deadline < state.timerDeadline else {
                return (events, nil)
            }
            let previousTimer = state.timer
            state.timerDeadline = deadline
            state.timer = clock.timer(at: deadline) { [weak self] in self?.timerFired() }
            return (events, previousTimer)
        }
        previousTimer?.cancel()
        for event in events { onEvent(event) }
    }

    private func timerFired() {
        let time = clock.now
        let previousTimer = state.withLock { state in
            defer { state.timer = nil }
            return state.timer
        }
        update { $0.advance(to: time) }
        // Releases the previous timer, which cancels it, without holding the lock.
        withExtendedLifetime(previousTimer) {}
    }
}
