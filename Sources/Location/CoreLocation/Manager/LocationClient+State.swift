// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Synchronization

extension LocationClient {
    // Unchecked because the manager and its delegate belong to the app's thread. The state holds them only weakly, and
    // they are used only in callbacks.
    struct State: @unchecked Sendable {
        // Set by the app.
        weak var manager: CLLocationManager?
        weak var delegate: (any CLLocationManagerDelegate)?
        var settings = LocationSettings()
        var delegateQueue: DispatchQueue?
        /// nil after the manager has been deallocated.
        var drainScheduler: LocationClient.DrainScheduler?
        // Running services.
        var services: Services = []
        var monitorsVisits = false
        var since = WallTime.epoch
        var request: SingleRequest?
        var requestNumber: UInt32 = 0
        // Received data.
        var converter = LocationConverter()
        var lastArrival: BootTime?
        /// True after the loss of the position or of the position service has been reported.
        var isLost = false
        var isServiceLost = false
        var lastLoss: DeviceError?
        var distanceFilter = DistanceFilter()
        var significantFilter = SignificantChangeFilter()
        var pauseDetector = PauseDetector()
        var headings = HeadingState()
        var ranging = RangingState()
        // Delivered and pending callbacks.
        var location: CLLocation?
        var precedingLocation: CLLocation?
        var hasReportedAuthorization = false
        var pendingCallbacks = PendingLocationCallbacks()
        var isInCallback = false
        /// Whether the authorization was refused at the last change observed by this manager.
        var wasRefused: Bool

        /// Returns true for a cached fix that the app has already received, so that restarting a service in a callback
        /// does not deliver the fix again.
        func isRepetition(_ fix: PositionFix) -> Bool { isInCallback && fix.report.arrival == lastArrival }
    }
}

extension LocationClient.State {
    /// Returns the next item of a drain and its delegate, or ends the drain. If the drain ends, `item` is nil, and
    /// `next` is set if a further drain has to be scheduled. The results are inout arguments, which have to be nil on
    /// entry, because a tuple of optional references is slow.
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

    /// Removes the next item of the drain and updates `location` or `heading` from it.
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
        // A single request reports the loss when it times out.
        if services != .singleRequest { pendingCallbacks.add(.failure(CLError(.locationUnknown, cause: error))) }
    }

    /// Discards all positions, including pending locations.
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

    /// Adds a service. The first service resets the state of the previous session.
    mutating func addService(_ service: LocationUse.Services, at time: WallTime) {
        if services.isEmpty {
            since = time
            isLost = false
            isServiceLost = false
            headings.declination.position = nil
        }
        services.insert(service)
    }

    /// True while location updates are running. Core Location provides a true heading only then.
    var isPositionKnown: Bool { !services.isDisjoint(with: [.standard, .significantChanges]) }
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
