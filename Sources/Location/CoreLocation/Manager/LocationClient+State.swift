// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Synchronization

extension LocationClient {
    // Unchecked because of the manager and its delegate, which belong to the program's thread: they are only held here,
    // weakly, and used in callbacks.
    struct State: @unchecked Sendable {
        // What the program has set.
        weak var manager: CLLocationManager?
        weak var delegate: (any CLLocationManagerDelegate)?
        var settings = LocationSettings()
        var delegateQueue: DispatchQueue?
        /// Nil once the manager is gone.
        var turn: LocationClient.Turn?
        // What runs.
        var services: Services = []
        var watchesVisits = false
        var since = WallTime.epoch
        var request: SingleRequest?
        var requestNumber: UInt32 = 0
        // What has been seen.
        var maker = LocationMaker()
        var lastArrival: BootTime?
        /// True once the program has been told that there is no position, and that the service is gone.
        var isLost = false
        var isServiceLost = false
        var lastLoss: DeviceError?
        var distanceFilter = DistanceFilter()
        var significantFilter = SignificantChangeFilter()
        var pause = PauseWatch()
        var headings = HeadingState()
        var ranging = RangingState()
        // What the program has been told, and what it will be.
        var location: CLLocation?
        var precedingLocation: CLLocation?
        var hasIntroducedItself = false
        var mailbox = Mailbox()
        var isInCallback = false
        /// True while the authorization is refused, as far as this manager has heard.
        var isRefused: Bool

        /// True for a fix that would come round again and again to a program that starts anew in each callback.
        func isRepetition(_ fix: PositionFix) -> Bool {
            isInCallback && fix.report.arrival == lastArrival
        }
    }
}

extension LocationClient.State {
    /// Goes on with a turn, or ends it: then there is no item, and another turn when one has to be scheduled.
    ///
    /// What comes next goes into arguments, which have to be nil: a tuple of references that may be nil is slow.
    mutating func takeNext(
        _ item: inout Mailbox.Item?, _ told: inout (any CLLocationManagerDelegate)?, _ next: inout LocationClient.Turn?
    ) {
        item = takeItem()
        if item != nil {
            told = delegate
            return
        }
        isInCallback = false
        if mailbox.outbox.endTurn() { next = turn }
    }

    /// Takes the next item of the turn out and makes its last location the manager's own.
    private mutating func takeItem() -> Mailbox.Item? {
        guard mailbox.outbox.isInTurn else { return nil }
        let item = mailbox.takeFirst()
        switch item {
        case .locations(let locations)?:
            precedingLocation = location
            location = locations.last
        case .heading(let heading)?: headings.heading = heading
        case .location, .failure, .authorization, .deferredFinished, .calibrationQuestion, .headingFailure, .ranging,
            .rangingFailure, .region, .visit, .pause, nil:
            break
        }
        return item
    }

    /// Tells that there is no position.
    mutating func lose(_ error: DeviceError) {
        isLost = true
        lastLoss = error
        // A single request hears of it when its time is up.
        if services != .singleRequest { mailbox.add(.failure(CLError(.locationUnknown, cause: error))) }
    }

    /// Forgets where the device was; what waits to be told of it, too.
    mutating func forgetPlaces() {
        location = nil
        precedingLocation = nil
        headings.declination.place = nil
        mailbox.removeLocations()
    }

    /// Ends a single request.
    mutating func cancelRequest() {
        request?.timer.cancel()
        request = nil
        services.remove(.singleRequest)
    }

    /// A service begins.
    mutating func begin(_ service: LocationUse.Services, at time: WallTime) {
        if services.isEmpty {
            since = time
            isLost = false
            isServiceLost = false
            headings.declination.place = nil
        }
        services.insert(service)
    }

    /// True while location updates run, which is when Core Location tells a true heading.
    var knowsPlace: Bool { !services.isDisjoint(with: [.standard, .significantChanges]) }
}

/// What a program has set on its manager.
struct LocationSettings: Sendable {
    var desiredAccuracy = kCLLocationAccuracyBest
    var distanceFilter = kCLDistanceFilterNone
    var activityType = CLActivityType.other
    var pausesAutomatically = true
    /// True once the program has set the one above.
    var hasChosenPausing = false
    var allowsBackgroundUpdates = false
    var showsBackgroundIndicator = false
    var purpose: String?
    var receiver: String?
    var deliversEveryReport = false
    var keepsRawReports = false
    /// Seconds.
    var requestTimeout = 10.0
}
