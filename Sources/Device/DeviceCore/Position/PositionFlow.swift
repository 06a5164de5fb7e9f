// SPDX-License-Identifier: Apache-2.0

/// The rules between a service's reports and its subscribers: one report an epoch, one receiver at a time, the sky that
/// belongs to each. A value without input or output; `PositionHub` drives it.
struct PositionFlow: Sendable {
    /// More receivers than this share the last place: the one that has been silent longest makes room.
    static let receiverLimit = 64
    /// A sky of dilutions only keeps satellites that are younger than this many seconds.
    static let skyAge = 10.0

    /// What is known of one receiver.
    struct Receiver: Sendable {
        let path: String
        var coalescer = EpochCoalescer()
        var quality = ReceiverQuality()
        var sky: SkyReport?
        /// When the satellites of the sky arrived, which may be before its dilutions.
        var satellitesArrival = BootTime.zero
        var lastAttitude = BootTime(nanoseconds: .min)
        var lastFix: PositionReport?
        /// The sky of the last fix, from before the stream broke off.
        var lastSky: SkyReport?

        /// The last fix, with the last sky.
        var fix: PositionFix? { lastFix.map { PositionFix(report: $0, sky: sky ?? lastSky) } }
    }

    private(set) var receivers: [Receiver] = []
    private(set) var chosen = 0
    /// The receiver whose compass is heard.
    private var compass = 0

    /// The index of the receiver of that path, made when it is new.
    mutating func index(of path: String) -> Int {
        // Nearly always the chosen one, so that is looked at first.
        if chosen < receivers.count, receivers[chosen].path == path { return chosen }
        if let known = receivers.firstIndex(where: { $0.path == path }) { return known }
        let receiver = Receiver(path: path)
        guard receivers.count >= PositionFlow.receiverLimit else {
            receivers.append(receiver)
            return receivers.count - 1
        }
        let candidates = receivers.indices.filter { $0 != chosen }
        let oldest = candidates.min { receivers[$0].quality.lastReport < receivers[$1].quality.lastReport }
        let place = oldest ?? (receivers.count - 1)
        receivers[place] = receiver
        return place
    }

    /// Takes a report: updates the receiver and the choice, and says what goes out.
    mutating func accept(
        _ report: PositionReport, now: BootTime, finished: inout PositionReport?
    ) -> (receiver: Int, outcome: EpochCoalescer.Outcome) {
        let index = index(of: report.receiver)
        receivers[index].quality.note(report, now: now)
        if index != chosen { reconsider(index, now: now) }
        let outcome = receivers[index].coalescer.accept(report, now: now, finished: &finished)
        return (index, outcome)
    }

    /// Notes a fix that goes out as the receiver's last.
    mutating func handedOver(_ report: PositionReport, receiver index: Int) {
        guard report.hasFix, receivers.indices.contains(index) else { return }
        receivers[index].lastFix = report
    }

    /// Takes a sky and returns it with the satellites of the last one when it carries none itself.
    mutating func accept(_ sky: SkyReport, now: BootTime) -> (receiver: Int, sky: SkyReport) {
        let index = index(of: sky.receiver)
        var sky = sky
        if sky.satellites != nil {
            receivers[index].satellitesArrival = now
        } else if let last = receivers[index].sky, last.satellites != nil,
            now.seconds(since: receivers[index].satellitesArrival) <= PositionFlow.skyAge
        {
            sky.satellites = last.satellites
            if sky.visibleCount < 0 { sky.visibleCount = last.visibleCount }
            if sky.usedCount < 0 { sky.usedCount = last.usedCount }
        }
        receivers[index].sky = sky
        return (index, sky)
    }

    /// Notes a compass report and says whether it counts: the chosen receiver's does, and another's when neither the
    /// chosen one nor the one heard before has turned lately. A compass is often a device of its own.
    mutating func acceptAttitude(of path: String, now: BootTime) -> Bool {
        let index = index(of: path)
        receivers[index].lastAttitude = now
        func isSilent(_ other: Int) -> Bool {
            other >= receivers.count || now.seconds(since: receivers[other].lastAttitude) > ReceiverQuality.silence
        }
        if index == chosen || index != compass && isSilent(compass) && isSilent(chosen) { compass = index }
        return index == compass
    }

    /// The next time at which a held epoch has to go out.
    var nextDeadline: BootTime {
        // Each is looked at where it lies: a copy of a receiver is one of all its reports.
        var next = BootTime.never
        for index in receivers.indices { next = min(next, receivers[index].coalescer.deadline) }
        return next
    }

    /// Takes the report of a held epoch that is due by that time.
    mutating func takeDue(now: BootTime) -> (receiver: Int, report: PositionReport)? {
        for index in receivers.indices where receivers[index].coalescer.deadline <= now {
            if let report = receivers[index].coalescer.take() { return (index, report) }
        }
        return nil
    }

    /// Drops the reports of held epochs.
    mutating func discardHeld() { for index in receivers.indices { receivers[index].coalescer.reset() } }

    /// Starts anew after the stream broke off: fixes stay readable, choices are made again.
    mutating func restart() {
        for index in receivers.indices {
            receivers[index].coalescer.reset()
            receivers[index].quality = ReceiverQuality()
            if let sky = receivers[index].sky { receivers[index].lastSky = sky }
            receivers[index].sky = nil
            receivers[index].lastAttitude = BootTime(nanoseconds: .min)
        }
    }

    /// Starts anew with those as the last fixes.
    mutating func restart(fixes: [PositionReport]) {
        restart()
        for index in receivers.indices {
            receivers[index].lastFix = nil
            receivers[index].lastSky = nil
        }
        for fix in fixes { handedOver(fix, receiver: index(of: fix.receiver)) }
    }

    /// Chooses the receiver at the index if it is better, but not at every flicker of its accuracy.
    private mutating func reconsider(_ index: Int, now: BootTime) {
        let current = receivers[chosen].quality
        let candidate = receivers[index].quality
        guard candidate.hasFix(now: now) else {
            receivers[index].quality.betterSince = nil
            // Before anybody has a fix, follow whoever speaks while the chosen one is silent.
            if now.seconds(since: current.lastReport) > ReceiverQuality.silence { chosen = index }
            return
        }
        if !current.hasFix(now: now) {
            choose(index)
        } else if candidate.isClearlyBetter(than: current) {
            let since = candidate.betterSince ?? now
            receivers[index].quality.betterSince = since
            if now.seconds(since: since) >= ReceiverQuality.patience { choose(index) }
        } else {
            receivers[index].quality.betterSince = nil
        }
    }

    private mutating func choose(_ index: Int) {
        chosen = index
        for index in receivers.indices { receivers[index].quality.betterSince = nil }
    }
}
