// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Synchronization

extension LocationClient {
    /// The state of a client, protected by the lock of `LocationClient.state`. The `Sendable` conformance is unchecked,
    /// because the manager and its delegate belong to the app and are used only in callbacks.
    struct State: @unchecked Sendable {
        weak var manager: CLLocationManager?
        weak var delegate: (any CLLocationManagerDelegate)?
        var settings = LocationSettings()
        var delegateQueue: DispatchQueue?
        /// nil after the manager has been deallocated.
        var drainScheduler: LocationClient.DrainScheduler?
        var services: Services = []
        var monitorsVisits = false
        /// The time when the manager began to use the position, for `LocationUse`.
        var since = WallTime.epoch
        var request: SingleRequest?
        /// A number that increases with each request. A timeout with an earlier number is ignored.
        var requestNumber: UInt32 = 0
        /// True if a call to `requestLocation()` has ended and the next drain must therefore update the subscription.
        var isSubscriptionOutdated = false
        var converter = LocationConverter()
        var lastArrival: BootTime?
        /// True after the loss of the position has been reported.
        var isLost = false
        /// True while the source reports that positions are unavailable, for example because there is no connection to
        /// gpsd.
        var isSourceLost = false
        /// The reason why the position was last lost, or nil if it has not been lost since the last fix.
        var lastLoss: DeviceError?
        var distanceFilter = DistanceFilter()
        var significantFilter = SignificantChangeFilter()
        var pauseDetector = PauseDetector()
        var headings = HeadingState()
        var ranging = RangingState()
        var location: CLLocation?
        var precedingLocation: CLLocation?
        var hasReportedAuthorization = false
        var pendingCallbacks = PendingLocationCallbacks()
        var isInCallback = false
        /// Whether access was denied or restricted at this manager's last authorization check.
        var wasRefused: Bool

        /// Returns true if a service is being started inside a callback and this fix has already been delivered.
        func isRepetition(_ fix: PositionFix) -> Bool { isInCallback && fix.report.arrival == lastArrival }
    }
}

extension LocationClient.State {
    /// Moves the next callback into `item` and stores the delegate in `recipient`. If no callbacks are left, leaves
    /// `item` nil, ends the drain and, if another drain is needed, sets `next`. All arguments must be nil on entry.
    /// They are `inout` because returning a tuple of optionals would be slow.
    mutating func nextItem(
        _ item: inout PendingLocationCallbacks.Item?, _ recipient: inout (any CLLocationManagerDelegate)?,
        _ next: inout LocationClient.DrainScheduler?
    ) {
        item = removeItem()
        if item != nil {
            recipient = delegate
            return
        }
        isInCallback = false
        if pendingCallbacks.queue.finishDrain() { next = drainScheduler }
    }

    private mutating func removeItem() -> PendingLocationCallbacks.Item? {
        guard pendingCallbacks.queue.isDraining else { return nil }
        let item = pendingCallbacks.removeFirst()
        switch item {
        case .locations(let locations)?:
            precedingLocation = location
            location = locations.last
        case .heading(let heading)?: headings.heading = heading
        case .location, .failure, .authorization, .deferredFinished, .calibrationPrompt, .headingFailure, .ranging,
            .rangingFailure, .region, .visit, .pause, nil:
            break
        }
        return item
    }

    mutating func reportLoss(_ error: DeviceError) {
        isLost = true
        lastLoss = error
        // If only `requestLocation()` is running, the loss is reported when the request times out.
        if services != .singleRequest { pendingCallbacks.add(.failure(CLError(.locationUnknown, cause: error))) }
    }

    mutating func discardPositions() {
        location = nil
        precedingLocation = nil
        headings.declination.position = nil
        pendingCallbacks.removeLocations()
    }

    mutating func cancelRequest() {
        request?.timer.cancel()
        request = nil
        services.remove(.singleRequest)
    }

    /// Adds a service. If no other service is running, first discards the state left by earlier services.
    mutating func addService(_ service: LocationUse.Services, at time: WallTime) {
        if services.isEmpty {
            since = time
            isLost = false
            isSourceLost = false
            headings.declination.position = nil
        }
        services.insert(service)
    }

    /// Core Location provides a true heading only while location updates are running.
    var allowsTrueHeading: Bool { !services.isDisjoint(with: [.standard, .significantChanges]) }
}

struct LocationSettings: Sendable {
    var desiredAccuracy = kCLLocationAccuracyBest
    var distanceFilter = kCLDistanceFilterNone
    var activityType = CLActivityType.other
    var pausesAutomatically = true
    var isPausingSetByApp = false
    var allowsBackgroundUpdates = false
    var showsBackgroundIndicator = false
    var purpose: String?
    var receiver: String?
    var deliversEveryReport = false
    var keepsRawReports = false
    var requestTimeout = Duration.seconds(10)
}
