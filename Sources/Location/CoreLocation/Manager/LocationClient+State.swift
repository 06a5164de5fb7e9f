// This source file is part of the swift-device-services project.
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
        var delivery: any Delivery
        // What runs.
        var services: Services = []
        var since = WallTime.epoch
        var request: SingleRequest?
        var requestNumber: UInt32 = 0
        // What has been seen.
        var sky: SkyReport?
        var receiverKind = ReceiverKind()
        /// The time of the last report, and the receiver it is compared for.
        var lastTime: WallTime?
        var lastReceiver = ""
        var lastArrival: BootTime?
        /// True once the program has been told that there is no position, and that the service is gone.
        var isLost = false
        var isServiceLost = false
        var lastLoss: DeviceError?
        var distanceFilter = DistanceFilter()
        var significantFilter = SignificantChangeFilter()
        var reducedAccuracy = ReducedAccuracy()
        /// The heading's part, for which `HeadingClient` cares.
        var headings = HeadingState()
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
}

extension LocationClient.State {
    /// The delivery to schedule on, once for as long as it has not run.
    mutating func deliveryToSchedule() -> (any Delivery)? {
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
    mutating func beginTurn() -> Turn {
        isDeliveryScheduled = false
        let count = mailbox.items.count
        guard let manager else { return Turn(count: 0) }
        isInCallback = true
        return Turn(manager: manager, delegate: delegate, item: takeItem(), count: count)
    }

    /// Takes the next item out and makes its last location the manager's own.
    mutating func takeItem() -> Mailbox.Item? {
        let item = mailbox.takeFirst()
        switch item {
        case .locations(let locations)?:
            precedingLocation = location
            location = locations.last
        case .heading(let heading)?: headings.heading = heading
        case .failure, .authorization, .deferredFinished, .calibrationQuestion, .headingFailure, nil: break
        }
        return item
    }

    /// Tells that there is no position.
    mutating func lose(_ error: DeviceError) {
        isLost = true
        lastLoss = error
        // A single request hears of it when its time is up.
        if services != .singleRequest { mailbox.add(CLError(.locationUnknown, cause: error)) }
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

    /// The sky that belongs to a report: of the same receiver, and not from long ago.
    func sky(of report: PositionReport) -> SkyReport? {
        guard let sky, sky.receiver == report.receiver, report.arrival.seconds(since: sky.arrival) <= 30 else {
            return nil
        }
        return sky
    }
}
