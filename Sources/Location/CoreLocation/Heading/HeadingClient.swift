// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine
import Synchronization

/// The heading's side of a manager: it listens to the motion engine, and to gpsd's compass where there is no
/// magnetometer, and puts what the program shall hear into the manager's mailbox, in one order with all else.
final class HeadingClient: Sendable {
    /// Seconds from one heading to the next at the least; the filter lets fewer through.
    private static let interval = 0.01
    /// Seconds for which a report of a compass is a heading still.
    private static let compassAge = 5.0

    private struct Subscriptions {
        var engine: Subscription?
        var compass: Subscription?
        var timeOut: ClockTimer?
    }

    private let client: LocationClient
    /// Held while the subscriptions are brought in line with what runs; never together with a callback.
    private let subscriptions = Mutex(Subscriptions())
    /// Brings the compass in a moment.
    private let compassTimer = Mutex<ClockTimer?>(nil)

    init(_ client: LocationClient) {
        self.client = client
    }

    /// True when a device can tell a heading now.
    static func isAvailable(on device: Device) -> Bool {
        MotionEngine.of(device).isAvailable(.heading) || HeardCompass.of(device).report != nil
    }

    /// The manager is gone: nothing runs for it any more.
    func retire() {
        stop()
    }

    // MARK: What the program sets and asks

    var heading: CLHeading? { client.state.withLock { $0.headings.heading } }

    var filter: Double {
        get { client.state.withLock { $0.headings.filter } }
        set { client.state.withLock { $0.headings.filter = newValue } }
    }

    var orientation: CLDeviceOrientation {
        get { client.state.withLock { $0.headings.orientation } }
        set {
            switch newValue {
            case .unknown, .faceUp, .faceDown: return
            case .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight:
                client.state.withLock { $0.headings.orientation = newValue }
            }
        }
    }

    func start() {
        guard client.state.withLock({ !$0.headings.isRunning }) else { return }
        // Asked without the lock: the first look for sensors may take its time.
        let needsCompass = !MotionEngine.of(client.device).isAvailable(.heading)
        client.state.withLock { state in
            if !state.headings.isRunning { state.headings.start(needsCompass: needsCompass) }
        }
        if needsCompass, let report = client.heardCompass.report,
            client.device.clock.now.seconds(since: report.arrival) <= Self.compassAge
        {
            take(report)
            client.tellWhatWaits()
        }
        adjust()
    }

    func stop() {
        client.state.withLock { state in
            state.headings.stop()
            state.mailbox.removeHeadings()
        }
        adjust()
    }

    /// Subscribes or lets go, as it runs now.
    private func adjust() {
        subscriptions.withLock { current in
            // Read inside, so that the last to come sees the last state.
            let (isRunning, needsCompass, run) = client.state.withLock {
                ($0.headings.isRunning, $0.headings.needsCompass, $0.headings.run)
            }
            guard isRunning else {
                current.engine?.cancel()
                current.compass?.cancel()
                current.timeOut?.cancel()
                current = Subscriptions()
                return
            }
            let device = client.device
            if current.engine == nil {
                let deadline = device.clock.now.advanced(bySeconds: HeadingState.patience)
                current.timeOut = device.clock.timer(at: deadline) { self.timeOut(run) }
                // Also without a magnetometer: one may come. Strong: retiring ends it.
                current.engine = MotionEngine.of(device).subscribe(
                    FusionRequest(need: .heading, interval: Self.interval)
                ) { event in self.receive(event) }
            }
            if needsCompass, current.compass == nil {
                current.compass = device.positionSource.subscribe(
                    PositionRequest(), receive: { event in self.receive(event) },
                    settled: { self.client.tellWhatWaits() })
            }
        }
    }

    private func timeOut(_ run: UInt32) {
        client.change { state in state.headings.timeOut(run: run, mailbox: &state.mailbox) }
    }

    // MARK: What comes in, on the sources' threads

    func receive(_ event: FusionEvent) {
        let clock = client.device.clock
        let callsCompass = client.change { state in
            let neededCompass = state.headings.needsCompass
            switch event {
            case .states(let states):
                let knowsPlace = state.knowsPlace
                for fused in states {
                    state.headings.take(fused, knowsPlace: knowsPlace, clock: clock, mailbox: &state.mailbox)
                }
            case .lost(let sensor, let error): state.headings.lose(sensor, error, mailbox: &state.mailbox)
            case .regained(let sensor): state.headings.regain(sensor)
            }
            return state.headings.needsCompass && !neededCompass
        }
        // Not from here, where a subscription may just be about to be made.
        if callsCompass { listenToCompassSoon() }
    }

    private func listenToCompassSoon() {
        let clock = client.device.clock
        let timer = clock.timer(at: clock.now) { self.adjust() }
        let former = compassTimer.withLock { current in
            defer { current = timer }
            return current
        }
        former?.cancel()
    }

    func receive(_ event: PositionEvent) {
        switch event {
        case .attitude(let report):
            client.heardCompass.note(report)
            take(report)
        case .lost(let error):
            let now = client.device.clock.now
            client.state.withLock { state in
                if !state.headings.hasOwnHeading(now: now) {
                    state.headings.fail(error, mailbox: &state.mailbox)
                }
            }
        case .report, .sky, .receivers, .line, .regained: break
        }
    }

    private func take(_ report: AttitudeReport) {
        let device = client.device
        client.state.withLock { state in
            let knowsPlace = state.knowsPlace
            state.headings.take(report, knowsPlace: knowsPlace, clock: device.clock, mailbox: &state.mailbox) {
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

/// The last heading that a compass of gpsd has told any manager of a device.
///
/// gpsd's list of receivers does not say which of them are compasses, so one is known from its first report on.
final class HeardCompass: Sendable {
    private let last = Mutex<AttitudeReport?>(nil)

    /// The one of a device.
    static func of(_ device: Device) -> HeardCompass {
        device.component(HeardCompass.self) { _ in HeardCompass() }
    }

    /// The last report that told a heading; nil before the first.
    var report: AttitudeReport? { last.withLock { $0 } }

    /// Takes note of a report that tells a heading, and of no other.
    func note(_ report: AttitudeReport) {
        guard report.heading >= 0 && report.heading < 360 || report.magneticHeading >= 0 && report.magneticHeading < 360
        else { return }
        last.withLock { $0 = report }
    }
}
