// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// What waits to be told to a delegate, in order and bounded.
struct Mailbox {
    /// One callback.
    enum Item {
        /// As it waits; those in a row become one callback when they are taken.
        case location(CLLocation)
        case locations([CLLocation])
        case failure(CLError)
        case authorization
        case deferredFinished(CLError)
        case heading(CLHeading)
        case headingFailure(CLError)
        case calibrationQuestion
        case ranging([CLBeacon], RangingWish)
        case rangingFailure(CLError, RangingWish)
        case region(RegionNews)
        case visit(CLVisit)
        case pause(isPaused: Bool)
    }

    /// More locations than this do not wait: the oldest are dropped and counted.
    static let locationLimit = 1024
    /// More headings than this do not wait: the oldest are dropped, and nobody misses them.
    static let headingLimit = 32
    /// More reports of beacons than this do not wait: the oldest are dropped, and newer ones say more.
    static let rangingLimit = 64
    /// More callbacks of other kinds than this do not wait either: the oldest are dropped.
    static let otherLimit = 1024

    var outbox = Outbox<Item>()
    private(set) var droppedLocations = 0

    /// True while locations wait.
    var hasLocations: Bool { outbox.contains(where: \.isLocation) }

    /// Adds a location.
    mutating func add(_ location: CLLocation) {
        if outbox.append(.location(location), limit: Mailbox.locationLimit, of: \.isLocation) {
            droppedLocations += 1
        }
    }

    /// Adds a heading.
    mutating func add(_ heading: CLHeading) {
        outbox.append(.heading(heading), limit: Mailbox.headingLimit, of: \.isHeading)
    }

    /// Adds a callback of another kind.
    mutating func add(_ item: Item) {
        // The delegate asks what the authorization is when it hears of it: one piece of news at a time is enough.
        if case .authorization = item, case .authorization? = outbox.last { return }
        if item.isRanging {
            outbox.append(item, limit: Mailbox.rangingLimit, of: \.isRanging)
        } else {
            outbox.append(item, limit: Mailbox.otherLimit) { !$0.isLocation && !$0.isHeading && !$0.isRanging }
        }
    }

    /// Takes out the first callback: of locations all that stand in a row.
    mutating func takeFirst() -> Item? {
        guard let item = outbox.takeFirst() else { return nil }
        guard case .location(let first) = item else { return item }
        var locations = [first]
        while case .location(let next)? = outbox.first {
            locations.append(next)
            _ = outbox.takeFirst()
        }
        return .locations(locations)
    }

    /// Drops locations and failures: the services they came from have been stopped.
    mutating func removePositions() {
        outbox.removeAll { item in
            if case .failure = item { true } else { item.isLocation }
        }
    }

    /// Drops pauses and their ends: updates have been stopped.
    mutating func removePauses() {
        outbox.removeAll { if case .pause = $0 { true } else { false } }
    }

    /// Drops visits: nobody wants them any more.
    mutating func removeVisits() {
        outbox.removeAll { if case .visit = $0 { true } else { false } }
    }

    /// Drops headings and what belongs to them: the service has been stopped.
    mutating func removeHeadings() {
        outbox.removeAll { item in
            switch item {
            case .heading, .headingFailure, .calibrationQuestion: true
            case .location, .locations, .failure, .authorization, .deferredFinished, .ranging, .rangingFailure, .region,
                .visit,
                .pause:
                false
            }
        }
    }

    /// Drops what is said of those beacons: they are ranged no more.
    mutating func removeRanging(_ wish: RangingWish) {
        outbox.removeAll { item in
            switch item {
            case .ranging(_, let told), .rangingFailure(_, let told): told.isSame(as: wish)
            default: false
            }
        }
    }

    /// Drops locations only.
    mutating func removeLocations() {
        outbox.removeAll(where: \.isLocation)
    }
}

extension Mailbox.Item {
    var isLocation: Bool { if case .location = self { true } else { false } }

    var isHeading: Bool { if case .heading = self { true } else { false } }

    var isRanging: Bool { if case .ranging = self { true } else { false } }
}
