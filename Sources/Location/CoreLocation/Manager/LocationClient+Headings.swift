// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine
import Synchronization

/// Subscribes to the motion engine and, if necessary, to gpsd's compasses, and passes their events to `HeadingState`.
extension LocationClient {
    struct HeadingSubscriptions {
        var engine: Subscription?
        var compass: Subscription?
        var timeoutTimer: ClockTimer?
    }

    /// The minimum interval between headings, in seconds.
    private static let headingInterval = 0.01
    /// The maximum age of a compass report, in seconds. When updates start without a magnetometer, the last report is
    /// delivered as the first heading unless it is older than this.
    private static let maximumCompassAge = 5.0

    static func isHeadingAvailable(on device: Device) -> Bool {
        MotionEngine.of(device).isAvailable(.heading) || CompassRecord.of(device).report != nil
    }

    var headings: HeadingState { state.withLock { $0.headings } }

    func setHeadings(_ body: (inout HeadingState) -> Void) { state.withLock { body(&$0.headings) } }

    func startHeadings() {
        guard !headings.isRunning else { return }
        // Checks availability without holding the lock, because the first sensor discovery may take a while.
        let needsCompass = !MotionEngine.of(device).isAvailable(.heading)
        setHeadings { if !$0.isRunning { $0.start(needsCompass: needsCompass) } }
        if needsCompass, let report = compassRecord.report,
            device.clock.now.seconds(since: report.arrival) <= Self.maximumCompassAge
        {
            process(report)
            scheduleDrainIfNeeded()
        }
        updateHeadingSubscriptions()
    }

    func stopHeadings() {
        state.withLock { state in
            state.headings.stop()
            state.pendingCallbacks.removeHeadings()
        }
        updateHeadingSubscriptions()
    }

    private func updateHeadingSubscriptions() {
        headingSubscriptions.withLock { current in
            // Reads the state only after acquiring the subscription lock, so that if several threads call this function
            // at the same time, the last one applies the latest state.
            let (isRunning, needsCompass, run) = state.withLock {
                ($0.headings.isRunning, $0.headings.needsCompass, $0.headings.run)
            }
            guard isRunning else {
                current.engine?.cancel()
                current.compass?.cancel()
                current.timeoutTimer?.cancel()
                current = HeadingSubscriptions()
                return
            }
            if current.engine == nil {
                let deadline = device.clock.now.advanced(bySeconds: HeadingState.startTimeout)
                current.timeoutTimer = device.clock.timer(at: deadline) {
                    self.updateState { state in
                        state.headings.handleTimeout(run: run, pendingCallbacks: &state.pendingCallbacks)
                    }
                }
                // The client subscribes even without a magnetometer, because the user may connect one later. The
                // closure retains `self` until the subscription ends, in `shutDown()` at the latest.
                current.engine = MotionEngine.of(device).subscribe(
                    FusionRequest(need: .heading, interval: Self.headingInterval)
                ) { event in self.receive(event) }
            }
            if needsCompass, current.compass == nil {
                current.compass = device.positionSource.subscribe(
                    PositionRequest(), receive: { event in self.receiveCompass(event) },
                    onBatchComplete: { self.scheduleDrainIfNeeded() })
            }
        }
    }

    // MARK: Events on the sources' threads

    func receive(_ event: FusionEvent) {
        let needsCompassSubscription = updateState { state in
            let neededCompass = state.headings.needsCompass
            switch event {
            case .states(let states):
                let allowsTrueHeading = state.allowsTrueHeading
                for fused in states {
                    state.headings.process(
                        fused, allowsTrueHeading: allowsTrueHeading, clock: device.clock,
                        pendingCallbacks: &state.pendingCallbacks)
                }
            case .lost(let sensor, let error):
                state.headings.handleLoss(of: sensor, error, pendingCallbacks: &state.pendingCallbacks)
            case .regained(let sensor): state.headings.handleRecovery(of: sensor)
            }
            return state.headings.needsCompass && !neededCompass
        }
        guard needsCompassSubscription else { return }
        // Updates the subscriptions from a timer, because the caller may hold the lock that
        // `updateHeadingSubscriptions()` acquires.
        let timer = device.clock.timer(at: device.clock.now) { self.updateHeadingSubscriptions() }
        let former = compassSubscriptionTimer.withLock { current in
            defer { current = timer }
            return current
        }
        former?.cancel()
    }

    /// Adds callbacks without delivering them. The subscription's `onBatchComplete` schedules the drain.
    func receiveCompass(_ event: PositionEvent) {
        switch event {
        case .attitude(let report):
            compassRecord.record(report)
            process(report)
        case .lost(let error):
            let now = device.clock.now
            state.withLock { state in
                if !state.headings.hasMagnetometerHeading(now: now) {
                    state.headings.reportFailure(error, pendingCallbacks: &state.pendingCallbacks)
                }
            }
        case .report, .sky, .receivers, .line, .regained: break
        }
    }

    private func process(_ report: AttitudeReport) {
        state.withLock { state in
            let allowsTrueHeading = state.allowsTrueHeading
            state.headings.process(
                report, allowsTrueHeading: allowsTrueHeading, clock: device.clock,
                pendingCallbacks: &state.pendingCallbacks
            ) {
                device.positionSource.lastFix.flatMap { fix in
                    let values = LocationConversion.values(
                        of: fix.report, sky: nil, fallbackTime: device.clock.wallTime, isSimulated: false,
                        isAccessory: false)
                    return LocalDeclination.degrees(at: .init(values, report: fix.report, clock: device.clock))
                }
            }
        }
    }
}

/// The last heading that any compass has reported to gpsd. gpsd's device list does not identify compasses, so a compass
/// is recognized only after such a report.
final class CompassRecord: Sendable {
    private let last = Mutex<AttitudeReport?>(nil)

    static func of(_ device: Device) -> CompassRecord {
        device.component(CompassRecord.self) { _ in CompassRecord() }
    }

    var report: AttitudeReport? { last.withLock { $0 } }

    /// Records a report if its heading is valid.
    func record(_ report: AttitudeReport) {
        guard report.heading >= 0 && report.heading < 360 || report.magneticHeading >= 0 && report.magneticHeading < 360
        else { return }
        last.withLock { $0 = report }
    }
}
