// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation
import Synchronization

/// Reads the battery while monitoring is enabled, and posts a notification when the level or state changes. Readings
/// arrive on the source's thread, and notifications are posted on the main thread.
final class BatteryMonitor: Sendable {
    private struct State {
        var isEnabled = false
        /// Incremented whenever `isEnabled` changes. Battery readings from an earlier generation are ignored.
        var generation: UInt32 = 0
        var battery: BatteryReading?
        var hasReceivedUpdate = false
        var postedState = UIDevice.BatteryState.unknown
        var postedPercent: Int32?
        var lastLevelPost: BootTime?
        var timer: ClockTimer?
        var isPostScheduled = false

        var batteryState: UIDevice.BatteryState { UIDevice.BatteryState(battery?.state) }
        var percent: Int32? { battery?.level.flatMap { Int32(exactly: ($0 * 100).rounded()) } }
    }

    /// The minimum interval between level notifications, in seconds.
    static let levelInterval = 60.0

    private let source: any StatusSource
    private let clock: any DeviceClock
    let poster: NotificationPoster
    private let storage = Mutex(State())
    private let subscription = RequestSubscription<Bool>()

    init(device: Device) {
        source = device.statusSource
        clock = device.clock
        poster = NotificationPoster(device: device)
    }

    var level: Float {
        storage.withLock { state in
            guard state.isEnabled, let level = state.battery?.level, level.isFinite else { return -1 }
            return Float(min(max(0, level), 1))
        }
    }

    var state: UIDevice.BatteryState { storage.withLock { $0.isEnabled ? $0.batteryState : .unknown } }

    var isEnabled: Bool {
        get { storage.withLock { $0.isEnabled } }
        set {
            let (isChange, timer) = storage.withLock { state -> (Bool, ClockTimer?) in
                guard newValue != state.isEnabled else { return (false, nil) }
                let timer = state.timer
                let generation = state.generation &+ 1
                // A post that is already scheduled will find no changes and post nothing.
                state = State()
                state.isEnabled = newValue
                state.generation = generation
                return (true, timer)
            }
            timer?.cancel()
            if isChange { updateSubscription() }
        }
    }

    private func updateSubscription() {
        subscription.update {
            self.isEnabled ? true : nil
        } subscribe: { _ in
            source.subscribe { [weak self] battery in self?.receive(battery) }
        }
        let (isEnabled, generation) = storage.withLock { ($0.isEnabled, $0.generation) }
        guard isEnabled else { return }
        let battery = source.battery
        storage.withLock { state in
            // An update that arrived while the battery was being read is newer than `battery`, so keep it.
            guard state.generation == generation, !state.hasReceivedUpdate else { return }
            state.battery = battery
            state.postedState = state.batteryState
            state.postedPercent = state.percent
        }
    }

    private func receive(_ battery: BatteryReading?) {
        storage.withLock { state in
            guard state.isEnabled else { return }
            state.hasReceivedUpdate = true
            state.battery = battery
        }
        schedulePostIfNeeded()
    }

    /// Schedules a post. If it is too early for another level notification, starts a timer instead.
    private func schedulePostIfNeeded() {
        let now = clock.now
        let needsPost = storage.withLock { state -> Bool in
            guard state.isEnabled, !state.isPostScheduled else { return false }
            if state.batteryState == state.postedState {
                guard state.percent != state.postedPercent else { return false }
                if let wait = remainingDelay(state, now: now) {
                    let due = now.advanced(bySeconds: wait)
                    if state.timer == nil { state.timer = clock.timer(at: due) { [weak self] in self?.timerFired() } }
                    return false
                }
            }
            state.isPostScheduled = true
            return true
        }
        if needsPost { poster.schedule { [weak self] in self?.namesToPost() ?? [] } }
    }

    private func timerFired() {
        storage.withLock { $0.timer = nil }
        schedulePostIfNeeded()
    }

    private func remainingDelay(_ state: State, now: BootTime) -> Double? {
        guard let last = state.lastLevelPost else { return nil }
        let wait = Self.levelInterval - now.seconds(since: last)
        return wait > 0 ? wait : nil
    }

    private func namesToPost() -> [NSNotification.Name] {
        let now = clock.now
        let names = storage.withLock { state -> [NSNotification.Name] in
            state.isPostScheduled = false
            guard state.isEnabled else { return [] }
            var names: [NSNotification.Name] = []
            if state.batteryState != state.postedState {
                state.postedState = state.batteryState
                names.append(UIDevice.batteryStateDidChangeNotification)
            }
            if state.percent != state.postedPercent, remainingDelay(state, now: now) == nil {
                state.postedPercent = state.percent
                state.lastLevelPost = now
                names.append(UIDevice.batteryLevelDidChangeNotification)
            }
            return names
        }
        // If it was too early for a level notification, this call starts a timer for it.
        schedulePostIfNeeded()
        return names
    }
}
