// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What waits to be told to a delegate, in order and bounded.
struct Mailbox {
    /// One callback.
    enum Item {
        case locations([CLLocation])
        case failure(CLError)
        case authorization
        case deferredFinished(CLError)
        case heading(CLHeading)
        case headingFailure(CLError)
        case calibrationQuestion
    }

    /// More locations than this do not wait: the oldest are dropped and counted.
    static let locationLimit = 1024
    /// More headings than this do not wait: the oldest are dropped, and nobody misses them.
    static let headingLimit = 32
    /// More callbacks than this do not wait either: the oldest are dropped.
    static let itemLimit = 1024

    private(set) var items: [Item] = []
    private(set) var droppedLocations = 0
    private var waitingLocations = 0
    private var waitingHeadings = 0

    /// True while locations wait.
    var hasLocations: Bool { waitingLocations > 0 }

    /// Adds a location, to the ones before it when nothing else came in between.
    mutating func add(_ location: CLLocation) {
        if waitingLocations >= Mailbox.locationLimit { dropOldest() }
        waitingLocations += 1
        if let last = items.indices.last, case .locations(var locations) = items[last] {
            // Taken out while it grows, so that it is not copied.
            items[last] = .authorization
            locations.append(location)
            items[last] = .locations(locations)
        } else {
            append(.locations([location]))
        }
    }

    /// Adds a failure.
    mutating func add(_ failure: CLError) {
        append(.failure(failure))
    }

    /// Adds the news that the authorization has changed; the delegate asks what it is when it hears of it, so that one
    /// piece of news at a time is enough.
    mutating func addAuthorization() {
        if case .authorization? = items.last { return }
        append(.authorization)
    }

    /// Adds the end of deferred updates.
    mutating func addDeferredFinished(_ failure: CLError) {
        append(.deferredFinished(failure))
    }

    /// Adds a heading.
    mutating func add(_ heading: CLHeading) {
        if waitingHeadings >= Mailbox.headingLimit { dropOldestHeading() }
        waitingHeadings += 1
        append(.heading(heading))
    }

    /// Adds a failure of the heading.
    mutating func addHeadingFailure(_ failure: CLError) {
        append(.headingFailure(failure))
    }

    /// Adds the question whether a calibration may be shown.
    mutating func addCalibrationQuestion() {
        append(.calibrationQuestion)
    }

    /// Takes the first item out.
    mutating func takeFirst() -> Item? {
        guard !items.isEmpty else { return nil }
        let item = items.count == 1 ? items.removeLast() : items.removeFirst()
        switch item {
        case .locations(let locations): waitingLocations -= locations.count
        case .heading: waitingHeadings -= 1
        case .failure, .authorization, .deferredFinished, .headingFailure, .calibrationQuestion: break
        }
        return item
    }

    /// Drops locations and failures: the services they came from have been stopped.
    mutating func removePositions() {
        waitingLocations = 0
        items.removeAll { item in
            switch item {
            case .locations, .failure: true
            case .authorization, .deferredFinished, .heading, .headingFailure, .calibrationQuestion: false
            }
        }
    }

    /// Drops headings and what belongs to them: the service has been stopped.
    mutating func removeHeadings() {
        waitingHeadings = 0
        items.removeAll { item in
            switch item {
            case .heading, .headingFailure, .calibrationQuestion: true
            case .locations, .failure, .authorization, .deferredFinished: false
            }
        }
    }

    /// Drops locations only.
    mutating func removeLocations() {
        waitingLocations = 0
        items.removeAll { item in
            if case .locations = item { true } else { false }
        }
    }

    private mutating func append(_ item: Item) {
        if items.count >= Mailbox.itemLimit, case .locations(let locations)? = takeFirst() {
            droppedLocations += locations.count
        }
        items.append(item)
    }

    private mutating func dropOldestHeading() {
        let oldest = items.firstIndex { item in
            if case .heading = item { true } else { false }
        }
        guard let oldest else { return }
        items.remove(at: oldest)
        waitingHeadings -= 1
    }

    private mutating func dropOldest() {
        for index in items.indices {
            guard case .locations(var locations) = items[index] else { continue }
            items[index] = .authorization
            locations.removeFirst()
            droppedLocations += 1
            waitingLocations -= 1
            if locations.isEmpty {
                items.remove(at: index)
            } else {
                items[index] = .locations(locations)
            }
            return
        }
    }
}
