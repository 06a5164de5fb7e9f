// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A manager's bounded queue of delegate callbacks, protected by the `LocationClient.state` lock.
struct PendingLocationCallbacks {
    enum Item {
        /// A location. Consecutive locations are combined into one callback when they leave the queue.
        case location(CLLocation)
        /// Never queued. `removeFirst()` returns this case instead of consecutive `location` cases.
        case locations([CLLocation])
        case failure(CLError)
        case authorization
        case deferredFinished(CLError)
        case heading(CLHeading)
        case headingFailure(CLError)
        case calibrationPrompt
        case ranging([CLBeacon], RangingRequest)
        case rangingFailure(CLError, RangingRequest)
        case region(RegionEvent)
        case visit(CLVisit)
        case pause(isPaused: Bool)
    }

    /// The maximum number of pending callbacks of each kind. If it is exceeded, the oldest callback is dropped.
    static let locationLimit = 1024
    static let headingLimit = 32
    static let rangingLimit = 64
    static let otherLimit = 1024

    var queue = BoundedQueue<Item>()
    private(set) var droppedLocations = 0

    var hasLocations: Bool { queue.contains(where: \.isLocation) }

    mutating func add(_ location: CLLocation) {
        if queue.append(.location(location), limit: PendingLocationCallbacks.locationLimit, of: \.isLocation) {
            droppedLocations += 1
        }
    }

    mutating func add(_ heading: CLHeading) {
        queue.append(.heading(heading), limit: PendingLocationCallbacks.headingLimit, of: \.isHeading)
    }

    mutating func add(_ item: Item) {
        // The delegate reads the current authorization, so one pending notification is enough.
        if case .authorization = item, case .authorization? = queue.last { return }
        if item.isRanging {
            queue.append(item, limit: PendingLocationCallbacks.rangingLimit, of: \.isRanging)
        } else {
            queue.append(item, limit: PendingLocationCallbacks.otherLimit) {
                !$0.isLocation && !$0.isHeading && !$0.isRanging
            }
        }
    }

    mutating func removeFirst() -> Item? {
        guard let item = queue.popFirst() else { return nil }
        guard case .location(let first) = item else { return item }
        var locations = [first]
        while case .location(let next)? = queue.first {
            locations.append(next)
            _ = queue.popFirst()
        }
        return .locations(locations)
    }

    mutating func removeLocationsAndFailures() {
        queue.removeAll { item in
            if case .failure = item { true } else { item.isLocation }
        }
    }

    mutating func removePauses() { queue.removeAll { if case .pause = $0 { true } else { false } } }

    mutating func removeVisits() { queue.removeAll { if case .visit = $0 { true } else { false } } }

    mutating func removeHeadings() {
        queue.removeAll { item in
            switch item {
            case .heading, .headingFailure, .calibrationPrompt: true
            default: false
            }
        }
    }

    mutating func removeRanging(_ request: RangingRequest) {
        queue.removeAll { item in
            switch item {
            case .ranging(_, let queued), .rangingFailure(_, let queued): queued.isSame(as: request)
            default: false
            }
        }
    }

    mutating func removeLocations() { queue.removeAll(where: \.isLocation) }
}

extension PendingLocationCallbacks.Item {
    var isLocation: Bool { if case .location = self { true } else { false } }

    var isHeading: Bool { if case .heading = self { true } else { false } }

    var isRanging: Bool { if case .ranging = self { true } else { false } }
}
