// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation
import Synchronization

/// A monitor that reads the battery while monitoring is enabled, and posts notifications of changes.
final class BatteryMonitor: Sendable {
    private struct State {
        var isEnabled = false
        /// The generation of the monitoring, which changes whenever monitoring is enabled or disabled.
        var number: UInt32 = 0
        var battery: BatteryReading?
        var hasHeard = false
        // The state and the level that were last posted.
        var toldState = UIDevice.BatteryState.unknown
        var toldPercent: Int32?
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
    let post: NotificationPost
    private let stateBox = Mutex(State())
    private let subscription = StandingSubscription<Bool>()

    init(device: Device) {
        source = device.statusSource
        clock = device.clock
        post = NotificationPost(device: device)
    }

    var level: Float {
        stateBox.withLock { state in
            guard state.isEnabled, let level = state.battery?.level, level.isFinite else { return -1 }
            return Float(min(max(0, level), 1))
        }
    }

    var state: UIDevice.BatteryState { stateBox.withLock { $0.isEnabled ? $0.batteryState : .unknown } }

    var isEnabled: Bool {
        get { stateBox.withLock { $0.isEnabled } }
        set {
            let (isChange, timer) = stateBox.withLock { state -> (Bool, ClockTimer?) in
                guard newValue != state.isEnabled else { return (false, nil) }
                let timer = state.timer
                let number = state.number &+ 1
                // A post that is already scheduled finds no changes.
                state = State()
                state.isEnabled = newValue
                state.number = number
                return (true, timer)
            }
            timer?.cancel()
            if isChange { adjust() }
        }
    }

    private func adjust() {
        subscription.follow {
            self.isEnabled ? true : nil
        } subscribe: { _ in
            source.subscribe { [weak self] battery in self?.receive(battery) }
        }
        let (isEnabled, number) = stateBox.withLock { ($0.isEnabled, $0.number) }
        guard isEnabled else { return }
        let battery = source.battery
        stateBox.withLock { state in
            // A change that arrived in the meantime is newer.
            guard state.number == number, !state.hasHeard else { return }
            state.battery = battery
            state.toldState = state.batteryState
            state.toldPercent = state.percent
        }
    }

    private func receive(_ battery: BatteryReading?) {
        stateBox.withLock { state in
            guard state.isEnabled else { return }
            state.hasHeard = true
            state.battery = battery
        }
        tellChanges()
    }

    /// Schedules a post if there are changes, or a timer if the level must not be posted yet.
    private func tellChanges() {
        let now = clock.now
        let schedules = stateBox.withLock { state -> Bool in
            guard state.isEnabled, !state.isPostScheduled else { return false }
            if state.batteryState == state.toldState {
                guard state.percent != state.toldPercent else { return false }
                if let wait = wait(state, now: now) {
                    if state.timer == nil {
                        state.timer = clock.timer(at: now.advanced(bySeconds: wait)) { [weak self] in
                            self?.timeHasCome()
                        }
                    }
                    return false
                }
            }
            state.isPostScheduled = true
            return true
        }
        if schedules { post.schedule { [weak self] in self?.names() ?? [] } }
    }

    private func timeHasCome() {
        stateBox.withLock { $0.timer = nil }
        tellChanges()
    }

    /// Returns the seconds until the level may be posted again; nil if it may be posted now.
    private func wait(_ state: State, now: BootTime) -> Double? {
        guard let last = state.lastLevelPost else { return nil }
        let wait = Self.levelInterval - now.seconds(since: last)
        return wait > 0 ? wait : nil
    }

    private func names() -> [NSNotification.Name] {
        let now = clock.now
        let names = stateBox.withLock { state -> [NSNotification.Name] in
            state.isPostScheduled = false
            guard state.isEnabled else { return [] }
            var names: [NSNotification.Name] = []
            if state.batteryState != state.toldState {
                state.toldState = state.batteryState
                names.append(UIDevice.batteryStateDidChangeNotification)
            }
            if state.percent != state.toldPercent, wait(state, now: now) == nil {
                state.toldPercent = state.percent
                state.lastLevelPost = now
                names.append(UIDevice.batteryLevelDidChangeNotification)
            }
            return names
        }
        // Starts the timer if a change of the level could not be posted together with the state.
        tellChanges()
        return names
    }
}
