// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization

/// Everything behind one loop over live updates.
final class LiveUpdateClient: Sendable {
    /// More elements than this do not wait: the oldest are dropped.
    static let limit = 1024

    private struct State {
        var waiting: CheckedContinuation<CLLocationUpdate?, Never>?
        var elements: [CLLocationUpdate] = []
        var isStarted = false
        var isFinished = false
        /// True while the program works on an element.
        var isBusy = false
        var since = WallTime.epoch
        var sky: SkyReport?
        var receiverKind = ReceiverKind()
        var lastTime: WallTime?
        var isLost = false
        var detector = StationaryDetector()
        var reducedAccuracy = ReducedAccuracy()
    }

    private let device: Device
    private let authorization: LocationAuthorization
    private let state = Mutex(State())
    private let subscription = Mutex<Subscription?>(nil)

    init(device: Device) {
        self.device = device
        authorization = LocationAuthorization.of(device)
    }

    // MARK: The program's side

    func next() async -> CLLocationUpdate? {
        start()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> CLLocationUpdate?? in
                    if state.isBusy { device.playback?.consumers.end() }
                    state.isBusy = false
                    if state.isFinished || Task.isCancelled { return .some(nil) }
                    guard !state.elements.isEmpty else {
                        state.waiting = continuation
                        return nil
                    }
                    state.isBusy = true
                    device.playback?.consumers.begin()
                    return state.elements.removeFirst()
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            finish()
        }
    }

    /// The loop was left, or its task cancelled.
    func finish() {
        let waiting = state.withLock { state -> CheckedContinuation<CLLocationUpdate?, Never>? in
            guard !state.isFinished else { return nil }
            state.isFinished = true
            if state.isStarted {
                if state.isBusy { device.playback?.consumers.end() }
                device.playback?.consumers.leave()
            }
            state.isBusy = false
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: nil)
        authorization.remove(self)
        adjustSubscription()
    }

    private func start() {
        let isFirst = state.withLock { state in
            guard !state.isStarted, !state.isFinished else { return false }
            state.isStarted = true
            state.since = device.clock.wallTime
            return true
        }
        guard isFirst else { return }
        device.playback?.consumers.enter()
        authorization.add(self)
        if authorization.status == .notDetermined { authorization.request(.start, purpose: nil) }
        if !authorization.isGranted {
            push { $0.elements.append(self.element()) }
        } else if let cached = device.positionSource.lastFix,
            device.configuration.receiver.value.map({ $0 == cached.report.receiver }) ?? true
        {
            push { state in
                state.sky = cached.sky
                self.take(cached.report, &state)
            }
        }
        adjustSubscription()
    }

    // MARK: The source's side

    private func adjustSubscription() {
        subscription.withLock { subscription in
            let isWanted = state.withLock { $0.isStarted && !$0.isFinished }
            guard isWanted, authorization.isGranted else {
                subscription = nil
                return
            }
            guard subscription == nil else { return }
            let request = PositionRequest(receiver: device.configuration.receiver.value)
            subscription = device.positionSource.subscribe(request) { event in self.receive(event) }
        }
    }

    private func receive(_ event: PositionEvent) {
        push { state in
            switch event {
            case .report(let report) where report.hasFix: self.take(report, &state)
            case .report, .lost:
                guard !state.isLost else { return }
                state.isLost = true
                state.elements.append(self.element(unavailable: true))
            case .sky(let sky): state.sky = sky
            case .attitude, .receivers, .line, .regained: break
            }
        }
    }

    private func take(_ report: PositionReport, _ state: inout State) {
        // A report may be on its way here while the authorization is revoked.
        guard let accuracy = authorization.grantedAccuracy else { return }
        let hasReturned = state.isLost
        state.isLost = false
        let isOutOfOrder = report.time.map { time in state.lastTime.map { time < $0 } ?? false } ?? false
        if let time = report.time { state.lastTime = time }
        let values = LocationConversion.values(
            of: report, sky: state.sky, fallbackTime: device.clock.wallTime, isSimulated: device.isSimulated,
            isAccessory: state.receiverKind.isAccessory(report.receiver))
        let hasComeToRest = state.detector.accept(values, now: report.arrival)
        guard !state.detector.isStationary || hasComeToRest || hasReturned else { return }
        let location: CLLocation
        if accuracy == .reducedAccuracy {
            guard let coarse = state.reducedAccuracy.reduce(values, now: report.arrival) else {
                // Too early for a place, but not for the news.
                if hasComeToRest || hasReturned {
                    state.elements.append(element(stationary: state.detector.isStationary))
                }
                return
            }
            location = CLLocation(coarse)
        } else {
            location = CLLocation(
                values,
                details: LocationDetails(
                    report: report, sky: state.sky, isOutOfOrder: isOutOfOrder, clock: device.clock))
        }
        state.elements.append(element(location, stationary: state.detector.isStationary))
    }

    private func element(
        _ location: CLLocation? = nil, stationary: Bool = false, unavailable: Bool = false
    ) -> CLLocationUpdate {
        let status = authorization.status
        return CLLocationUpdate(
            location: location,
            stationary: stationary,
            authorizationDenied: status == .denied,
            authorizationDeniedGlobally: !authorization.servicesEnabled && status == .denied,
            authorizationRestricted: status == .restricted,
            authorizationRequestInProgress: authorization.isAsking,
            locationUnavailable: unavailable,
            accuracyLimited: authorization.accuracy == .reducedAccuracy)
    }

    /// Changes the state and hands an element to the program if it waits for one.
    private func push(_ change: (inout State) -> Void) {
        let handOver = state.withLock { state -> (CheckedContinuation<CLLocationUpdate?, Never>, CLLocationUpdate)? in
            guard !state.isFinished else { return nil }
            change(&state)
            if state.elements.count > LiveUpdateClient.limit {
                state.elements.removeFirst(state.elements.count - LiveUpdateClient.limit)
            }
            guard let waiting = state.waiting, !state.elements.isEmpty else { return nil }
            state.waiting = nil
            state.isBusy = true
            device.playback?.consumers.begin()
            return (waiting, state.elements.removeFirst())
        }
        if let (waiting, element) = handOver { waiting.resume(returning: element) }
    }
}

extension LiveUpdateClient: LocationAuthorization.Observer {
    func authorizationChanged() {
        push { state in
            // What is allowed now is told at once, also while the device rests.
            state.detector = StationaryDetector()
            state.reducedAccuracy.reset()
            state.elements.append(self.element())
        }
        adjustSubscription()
    }

    var use: LocationUse? {
        let (isRunning, since) = state.withLock { ($0.isStarted && !$0.isFinished, $0.since) }
        guard isRunning, authorization.isGranted else { return nil }
        return LocationUse(
            services: .liveUpdates, purpose: device.configuration.locationPurpose.value,
            since: Date(timeIntervalSinceReferenceDate: since.sinceReferenceDate))
    }
}
