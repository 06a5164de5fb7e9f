// SPDX-License-Identifier: Apache-2.0

/// Selects one report per epoch from one receiver at a time, and pairs each fix with a sky report. Performs no I/O.
struct ReportSelector: Sendable {
    /// The maximum number of receivers. An additional receiver replaces the one that has been silent the longest.
    static let maximumReceivers = 64
    /// The maximum age, in seconds, at which a satellite list is added to a later sky report that lacks satellites.
    static let maximumSatelliteAge = 10.0

    struct Receiver: Sendable {
        let path: String
        var coalescer = EpochCoalescer()
        var quality = ReceiverQuality()
        var sky: SkyReport?
        /// The arrival time of the satellite list in `sky`. The dilutions of precision may have arrived later.
        var satellitesArrival = BootTime.zero
        var lastAttitude = BootTime(nanoseconds: .min)
        var lastFix: PositionReport?
        /// The last sky report before the stream was interrupted.
        var lastSky: SkyReport?

        var fix: PositionFix? { lastFix.map { PositionFix(report: $0, sky: sky ?? lastSky) } }
    }

    private(set) var receivers: [Receiver] = []
    /// The index of the chosen receiver. Valid unless `receivers` is empty.
    private(set) var chosen = 0
    /// The index of the receiver whose attitude reports are delivered.
    private var attitudeReceiver = 0

    /// Returns the index of the receiver with this path. Adds the receiver if the path is new.
    mutating func index(of path: String) -> Int {
        // Fast path: nearly all reports come from the chosen receiver.
        if chosen < receivers.count, receivers[chosen].path == path { return chosen }
        if let known = receivers.firstIndex(where: { $0.path == path }) { return known }
        let receiver = Receiver(path: path)
        guard receivers.count >= ReportSelector.maximumReceivers else {
            receivers.append(receiver)
            return receivers.count - 1
        }
        let candidates = receivers.indices.filter { $0 != chosen }
        let oldest = candidates.min { receivers[$0].quality.lastReport < receivers[$1].quality.lastReport }
        let index = oldest ?? (receivers.count - 1)
        receivers[index] = receiver
        return index
    }

    /// Records the report and updates the choice of receiver. For the results, see `EpochCoalescer.accept`.
    mutating func accept(
        _ report: PositionReport, now: BootTime, finished: inout PositionReport?
    ) -> (receiver: Int, outcome: EpochCoalescer.Outcome) {
        let index = index(of: report.receiver)
        receivers[index].quality.update(with: report, now: now)
        if index != chosen { updateChoice(index, now: now) }
        let outcome = receivers[index].coalescer.accept(report, now: now, finished: &finished)
        return (index, outcome)
    }

    mutating func recordDelivery(_ report: PositionReport, receiver index: Int) {
        guard report.hasFix, receivers.indices.contains(index) else { return }
        receivers[index].lastFix = report
    }

    /// If the report contains no satellite list, adds the receiver's last list, unless that list is too old.
    mutating func accept(_ sky: SkyReport, now: BootTime) -> (receiver: Int, sky: SkyReport) {
        let index = index(of: sky.receiver)
        var sky = sky
        if sky.satellites != nil {
            receivers[index].satellitesArrival = now
        } else if let last = receivers[index].sky, last.satellites != nil,
            now.seconds(since: receivers[index].satellitesArrival) <= ReportSelector.maximumSatelliteAge
        {
            sky.satellites = last.satellites
            if sky.visibleCount < 0 { sky.visibleCount = last.visibleCount }
            if sky.usedCount < 0 { sky.usedCount = last.usedCount }
        }
        receivers[index].sky = sky
        return (index, sky)
    }

    /// Returns true if an attitude report from this receiver must be delivered. Attitude reports from the chosen
    /// receiver are always delivered. If that receiver sends none, another one takes over, often a separate compass. A
    /// third receiver takes over only if neither of these two sends any.
    mutating func acceptAttitude(of path: String, now: BootTime) -> Bool {
        let index = index(of: path)
        receivers[index].lastAttitude = now
        func isSilent(_ other: Int) -> Bool {
            other >= receivers.count
                || now.seconds(since: receivers[other].lastAttitude) > ReceiverQuality.silenceTimeout
        }
        if index == chosen || index != attitudeReceiver && isSilent(attitudeReceiver) && isSilent(chosen) {
            attitudeReceiver = index
        }
        return index == attitudeReceiver
    }

    var nextDeadline: BootTime {
        // Iterates over the indices, because iterating over the receivers would copy them with all their reports.
        var next = BootTime.never
        for index in receivers.indices { next = min(next, receivers[index].coalescer.deadline) }
        return next
    }

    mutating func removeDue(now: BootTime) -> (receiver: Int, report: PositionReport)? {
        for index in receivers.indices where receivers[index].coalescer.deadline <= now {
            if let report = receivers[index].coalescer.removePending() { return (index, report) }
        }
        return nil
    }

    mutating func discardPending() { for index in receivers.indices { receivers[index].coalescer.reset() } }

    /// Resets the state after the stream was interrupted. The receivers' last fixes are kept.
    mutating func reset() {
        for index in receivers.indices {
            receivers[index].coalescer.reset()
            receivers[index].quality = ReceiverQuality()
            if let sky = receivers[index].sky { receivers[index].lastSky = sky }
            receivers[index].sky = nil
            receivers[index].lastAttitude = BootTime(nanoseconds: .min)
        }
    }

    mutating func restart(fixes: [PositionReport]) {
        reset()
        for index in receivers.indices {
            receivers[index].lastFix = nil
            receivers[index].lastSky = nil
        }
        for fix in fixes { recordDelivery(fix, receiver: index(of: fix.receiver)) }
    }

    /// Chooses the receiver at the index if it is better than the chosen one. Ignores brief changes in accuracy.
    private mutating func updateChoice(_ index: Int, now: BootTime) {
        let current = receivers[chosen].quality
        let candidate = receivers[index].quality
        guard candidate.hasFix(now: now) else {
            receivers[index].quality.betterSince = nil
            // A receiver without a fix is chosen only if the chosen receiver is silent.
            if now.seconds(since: current.lastReport) > ReceiverQuality.silenceTimeout { chosen = index }
            return
        }
        if !current.hasFix(now: now) {
            choose(index)
        } else if candidate.isClearlyBetter(than: current) {
            let since = candidate.betterSince ?? now
            receivers[index].quality.betterSince = since
            if now.seconds(since: since) >= ReceiverQuality.switchDelay { choose(index) }
        } else {
            receivers[index].quality.betterSince = nil
        }
    }

    private mutating func choose(_ index: Int) {
        chosen = index
        for index in receivers.indices { receivers[index].quality.betterSince = nil }
    }
}
