// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Dispatch
import Foundation
import Synchronization

/// Everything behind one manager. It receives readings on the source's thread, decides what the program shall hear, and
/// tells it where the program wants to be told.
final class LocationClient: Sendable {
    typealias Services = LocationUse.Services

    // Unchecked because of the manager and its delegate, which belong to the program's thread: they are only held here,
    // weakly, and used in callbacks.
    fileprivate struct State: @unchecked Sendable {
        // What the program has set.
        weak var manager: CLLocationManager?
        weak var delegate: (any CLLocationManagerDelegate)?
        var settings = LocationSettings()
        var delegateQueue: DispatchQueue?
        var delivery: any Delivery
        // What runs.
        var services: Services = []
        var since = WallTime.epoch
        var request: SingleRequest?
        // What has been seen.
        var sky: SkyReport?
        var receiverKind = ReceiverKind()
        var lastTime: WallTime?
        var lastArrival: BootTime?
        /// True once the program has been told that there is no position, and that the service is gone.
        var isLost = false
        var isServiceLost = false
        var lastLoss: DeviceError?
        var distanceFilter = DistanceFilter()
        var significantFilter = SignificantChangeFilter()
        var reducedAccuracy = ReducedAccuracy()
        // What the program has been told, and what it will be.
        var location: CLLocation?
        var precedingLocation: CLLocation?
        var hasIntroducedItself = false
        var mailbox = Mailbox()
        var isDeliveryScheduled = false
        var isInCallback = false
        /// True while the authorization is refused, as far as this manager has heard.
        var isRefused: Bool

        /// True for a fix that would come round again and again to a program that starts anew in each callback.
        func isRepetition(_ fix: PositionFix) -> Bool {
            isInCallback && fix.report.arrival == lastArrival
        }
    }

    let device: Device
    let authorization: LocationAuthorization
    /// The delivery of the place where the manager was made.
    private let ownDelivery: any Delivery
    private let state: Mutex<State>
    /// Held while the subscription is brought in line with the services; never together with a callback.
    private let subscription = Mutex<(subscription: Subscription?, request: PositionRequest)>((nil, PositionRequest()))

    init(device: Device) {
        self.device = device
        authorization = LocationAuthorization.of(device)
        ownDelivery = AppDelivery.forCurrentPlace(device: device)
        state = Mutex(State(delivery: ownDelivery, isRefused: authorization.isRefused))
        authorization.add(self)
    }

    /// The manager is gone: nothing runs for it any more.
    func retire() {
        state.withLock { state in
            state.services = []
            state.request?.timer.cancel()
            state.request = nil
        }
        adjustSubscription()
        authorization.remove(self)
    }

    // MARK: What the program sets and asks

    func attach(_ manager: CLLocationManager) {
        state.withLock { $0.manager = manager }
    }

    var delegate: (any CLLocationManagerDelegate)? {
        get { state.withLock { $0.delegate } }
        set {
            // The first delegate is told what the authorization is; later ones ask for themselves.
            let schedule = state.withLock { state in
                state.delegate = newValue
                guard newValue != nil, !state.hasIntroducedItself else { return nil as (any Delivery)? }
                state.hasIntroducedItself = true
                state.mailbox.addAuthorization()
                return state.deliveryToSchedule()
            }
            schedule?.schedule { self.deliver() }
        }
    }

    var settings: LocationSettings { state.withLock { $0.settings } }

    /// Changes settings in one go, so that two threads do not undo each other's.
    func change(_ body: (inout LocationSettings) -> Void) {
        state.withLock { body(&$0.settings) }
        adjustSubscription()
    }

    var location: CLLocation? { state.withLock { $0.location } }

    var precedingLocation: CLLocation? { state.withLock { $0.precedingLocation } }

    var droppedLocations: Int { state.withLock { $0.mailbox.droppedLocations } }

    var delegateQueue: DispatchQueue? {
        get { state.withLock { $0.delegateQueue } }
        set {
            let delivery = newValue.map { AppDelivery.on($0, device: device) } ?? ownDelivery
            state.withLock { state in
                state.delegateQueue = newValue
                state.delivery = delivery
            }
        }
    }

    // MARK: Services

    func start(_ service: Services) {
        if authorization.status == .notDetermined { authorization.request(.start, purpose: settings.purpose) }
        let cached = cachedFix
        let isGranted = authorization.isGranted
        let schedule = state.withLock { state -> (any Delivery)? in
            guard !state.services.contains(service) else { return nil }
            state.begin(service, at: device.clock.wallTime)
            if service == .standard {
                state.distanceFilter.reset()
                state.cancelRequest()
            } else {
                state.significantFilter.reset()
            }
            state.reducedAccuracy.reset()
            if authorization.isRefused {
                state.mailbox.add(CLError(.denied))
            } else if isGranted, let cached, !state.isRepetition(cached) {
                state.sky = cached.sky
                take(cached.report, &state, services: service)
            }
            return state.deliveryToSchedule()
        }
        adjustSubscription()
        schedule?.schedule { self.deliver() }
    }

    func stop(_ service: Services) {
        state.withLock { state in
            if service == .standard { state.cancelRequest() }
            // A service that did not run has nothing in the mailbox, unlike a request that has its result.
            let wasRunning = state.services.remove(service) != nil
            if state.services.isEmpty, wasRunning || service == .standard { state.mailbox.removePositions() }
        }
        adjustSubscription()
    }

    func requestLocation() {
        if authorization.status == .notDetermined { authorization.request(.start, purpose: settings.purpose) }
        let cached = cachedFix
        let now = device.clock.now
        let schedule = state.withLock { state -> (any Delivery)? in
            guard !state.services.contains(.standard), state.request == nil else { return nil }
            if authorization.isRefused {
                state.mailbox.add(CLError(.denied))
                return state.deliveryToSchedule()
            }
            state.begin(.singleRequest, at: device.clock.wallTime)
            let deadline = now.advanced(bySeconds: state.settings.requestTimeout)
            state.request = SingleRequest(timer: device.clock.timer(at: deadline) { self.timeOut() })
            state.reducedAccuracy.reset()
            if authorization.isGranted, let cached, !state.isRepetition(cached),
                now.seconds(since: cached.report.arrival) <= SingleRequest.age
            {
                state.sky = cached.sky
                take(cached.report, &state, services: .singleRequest)
            }
            return state.deliveryToSchedule()
        }
        adjustSubscription()
        schedule?.schedule { self.deliver() }
    }

    /// The last fix; nil when it is not of the receiver that was asked for.
    private var cachedFix: PositionFix? {
        guard let fix = device.positionSource.lastFix else { return nil }
        guard let wanted = settings.receiver ?? device.configuration.receiver.value else { return fix }
        return fix.report.receiver == wanted ? fix : nil
    }

    /// Deferred updates need hardware that stores fixes; the answer is always that it failed.
    func refuseDeferredUpdates() {
        let schedule = state.withLock { state in
            let isUpdating = state.services.contains(.standard)
            state.mailbox.addDeferredFinished(CLError(isUpdating ? .deferredFailed : .deferredNotUpdatingLocation))
            return state.deliveryToSchedule()
        }
        schedule?.schedule { self.deliver() }
    }

    private func timeOut() {
        let schedule = state.withLock { state -> (any Delivery)? in
            guard let request = state.request else { return nil }
            if let best = request.best {
                state.mailbox.add(best)
            } else {
                state.mailbox.add(CLError(.locationUnknown, cause: state.lastLoss))
            }
            state.cancelRequest()
            return state.deliveryToSchedule()
        }
        adjustSubscription()
        schedule?.schedule { self.deliver() }
    }

    /// Subscribes or lets go, as the services and the authorization have it now.
    private func adjustSubscription() {
        subscription.withLock { current in
            // Read inside, so that the last to come sees the last state.
            let (services, settings) = state.withLock { ($0.services, $0.settings) }
            guard !services.isEmpty, authorization.isGranted else {
                current.subscription?.cancel()
                current.subscription = nil
                return
            }
            let request = PositionRequest(
                everyReport: settings.deliversEveryReport,
                receiver: settings.receiver ?? device.configuration.receiver.value,
                rawReports: settings.keepsRawReports)
            guard current.subscription == nil || current.request != request else { return }
            let former = current.subscription
            current.request = request
            // Strong: retiring ends it. A weak reference would slow down every use of this object.
            current.subscription = device.positionSource.subscribe(
                request, receive: { event in self.receive(event) }, settled: { self.settle() })
            former?.cancel()
        }
    }

    // MARK: Readings, on the source's thread

    private func receive(_ event: PositionEvent) {
        let finishesRequest = state.withLock { state in
            guard !state.services.isEmpty else { return false }
            let requests = state.services.contains(.singleRequest)
            switch event {
            case .report(let report) where report.hasFix: take(report, &state, services: state.services)
            case .report(let report): if !state.isLost { state.lose(.noFix(report.receiver)) }
            case .sky(let sky): state.sky = sky
            case .lost(let error):
                state.sky = nil
                // News also to a program that knows that there is no fix.
                if !state.isServiceLost { state.lose(error) }
                state.isServiceLost = true
            case .regained: state.isServiceLost = false
            case .attitude, .receivers, .line: break
            }
            return requests && !state.services.contains(.singleRequest)
        }
        guard finishesRequest else { return }
        // Without a subscription nobody says that the run of readings is over.
        adjustSubscription()
        settle()
    }

    /// A run of readings is over: the program is told of all of them in one go.
    private func settle() {
        state.withLock { $0.deliveryToSchedule() }?.schedule { self.deliver() }
    }

    /// Lets a report with a fix through the filters of the services and puts what remains into the mailbox.
    private func take(_ report: PositionReport, _ state: inout State, services: Services) {
        // A report may be on its way here while the authorization is revoked.
        guard let accuracy = authorization.grantedAccuracy else { return }
        state.isLost = false
        state.isServiceLost = false
        state.lastLoss = nil
        state.lastArrival = report.arrival
        let isOutOfOrder = report.time.map { time in state.lastTime.map { time < $0 } ?? false } ?? false
        if let time = report.time { state.lastTime = time }
        let sky = state.sky(of: report)
        var values = LocationConversion.values(
            of: report, sky: sky, fallbackTime: device.clock.wallTime, isSimulated: device.isSimulated,
            isAccessory: state.receiverKind.isAccessory(report.receiver))
        let location: CLLocation
        if accuracy == .reducedAccuracy {
            guard let coarse = state.reducedAccuracy.reduce(values, now: report.arrival) else { return }
            values = coarse
            location = CLLocation(values)
        } else {
            let details = LocationDetails(report: report, sky: sky, isOutOfOrder: isOutOfOrder, device: device)
            location = CLLocation(values, details: details)
        }
        let place = CLLocationCoordinate2D(latitude: values.latitude, longitude: values.longitude)
        var isWanted = false
        if services.contains(.standard) {
            isWanted = state.distanceFilter.accept(
                place, accuracy: values.horizontalAccuracy, filter: state.settings.distanceFilter)
        }
        if services.contains(.significantChanges), state.significantFilter.accept(place, now: report.arrival) {
            isWanted = true
        }
        if services.contains(.singleRequest), var request = state.request {
            // A coarse place does not get better by waiting.
            let desired = accuracy == .reducedAccuracy ? .infinity : state.settings.desiredAccuracy
            if request.accept(location, desiredAccuracy: desired) {
                isWanted = true
                state.cancelRequest()
            } else {
                state.request = request
            }
        }
        if isWanted { state.mailbox.add(location) }
    }

    // MARK: Callbacks, where the program wants them

    /// Hands over what is in the mailbox. What comes in meanwhile waits for the next turn, so that a flood of readings
    /// does not keep the program's thread from its other work.
    private func deliver() {
        var turn = state.withLock { $0.beginTurn() }
        guard let manager = turn.manager else { return }
        defer { state.withLock { $0.isInCallback = false } }
        device.bind {
            while let item = turn.item {
                if let delegate = turn.delegate { tell(delegate, item, manager) }
                turn.count -= 1
                guard turn.count > 0 else { return }
                // The former delegate goes outside of the lock: it may stop its manager as it goes.
                (turn.item, turn.delegate) = state.withLock { ($0.takeItem(), $0.delegate) }
            }
        }
    }

    private func tell(_ delegate: any CLLocationManagerDelegate, _ item: Mailbox.Item, _ manager: CLLocationManager) {
        switch item {
        case .locations(let locations): delegate.locationManager(manager, didUpdateLocations: locations)
        case .failure(let error): delegate.locationManager(manager, didFailWithError: error)
        case .authorization: delegate.locationManagerDidChangeAuthorization(manager)
        case .deferredFinished(let error):
            delegate.locationManager(manager, didFinishDeferredUpdatesWithError: error)
        }
    }
}

extension LocationClient.State {
    /// The delivery to schedule on, once for as long as it has not run.
    fileprivate mutating func deliveryToSchedule() -> (any Delivery)? {
        guard !isDeliveryScheduled, !mailbox.items.isEmpty else { return nil }
        isDeliveryScheduled = true
        return delivery
    }

    /// What a turn begins with.
    struct Turn {
        var manager: CLLocationManager?
        var delegate: (any CLLocationManagerDelegate)?
        var item: Mailbox.Item?
        /// How many items waited when the turn began.
        var count: Int
    }

    /// Begins a turn: from here on new items schedule the next one.
    fileprivate mutating func beginTurn() -> Turn {
        isDeliveryScheduled = false
        let count = mailbox.items.count
        guard let manager else { return Turn(count: 0) }
        isInCallback = true
        return Turn(manager: manager, delegate: delegate, item: takeItem(), count: count)
    }

    /// Takes the next item out and makes its last location the manager's own.
    fileprivate mutating func takeItem() -> Mailbox.Item? {
        let item = mailbox.takeFirst()
        if case .locations(let locations)? = item {
            precedingLocation = location
            location = locations.last
        }
        return item
    }

    /// Tells that there is no position.
    fileprivate mutating func lose(_ error: DeviceError) {
        isLost = true
        lastLoss = error
        // A single request hears of it when its time is up.
        if services != .singleRequest { mailbox.add(CLError(.locationUnknown, cause: error)) }
    }

    /// Ends a single request.
    fileprivate mutating func cancelRequest() {
        request?.timer.cancel()
        request = nil
        services.remove(.singleRequest)
    }

    /// A service begins.
    fileprivate mutating func begin(_ service: LocationUse.Services, at time: WallTime) {
        if services.isEmpty {
            since = time
            isLost = false
            isServiceLost = false
        }
        services.insert(service)
    }

    /// The sky that belongs to a report: of the same receiver, and not from long ago.
    fileprivate func sky(of report: PositionReport) -> SkyReport? {
        guard let sky, sky.receiver == report.receiver, report.arrival.seconds(since: sky.arrival) <= 30 else {
            return nil
        }
        return sky
    }
}

extension LocationClient: LocationAuthorization.Observer {
    func authorizationChanged() {
        let schedule = state.withLock { state -> (any Delivery)? in
            if state.hasIntroducedItself { state.mailbox.addAuthorization() }
            let isRefused = authorization.isRefused
            // Once for each refusal, and also in place of the result of a request that nobody has heard yet.
            if isRefused, !state.isRefused, !state.services.isEmpty || state.mailbox.hasLocations {
                state.mailbox.removePositions()
                state.mailbox.add(CLError(.denied))
                state.cancelRequest()
            }
            state.isRefused = isRefused
            return state.deliveryToSchedule()
        }
        adjustSubscription()
        schedule?.schedule { self.deliver() }
    }

    var use: LocationUse? {
        let (services, purpose, since) = state.withLock { ($0.services, $0.settings.purpose, $0.since) }
        guard !services.isEmpty, authorization.isGranted else { return nil }
        return LocationUse(
            services: services, purpose: purpose ?? device.configuration.locationPurpose.value,
            since: Date(timeIntervalSinceReferenceDate: since.sinceReferenceDate))
    }
}

extension DeviceError {
    fileprivate static func noFix(_ receiver: String) -> DeviceError {
        DeviceError(
            .noFix,
            "The receiver\(receiver.isEmpty ? "" : " \(receiver)") has no fix. It needs a view of the sky, and some minutes after a cold start."
        )
    }
}
