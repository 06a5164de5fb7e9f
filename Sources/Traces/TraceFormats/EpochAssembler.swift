// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Puts the reports of one receiver together to epochs: gpsd may report an epoch several times, each report more complete
/// than the one before, and tells of the sky before or behind the position that it belongs to.
struct EpochAssembler {
    /// Reports with one time belong together for so long, in nanoseconds.
    private static let longestEpoch: Int64 = 2_000_000_000
    /// Satellites and dilutions count for so long, in nanoseconds.
    private static let longestSky: Int64 = 2_000_000_000

    /// A position.
    struct Epoch {
        /// When it was reported, in nanoseconds since the start of the trace; nil when the trace does not say.
        var arrival: Int64?
        /// The last report of the epoch that has a fix; without any the last one.
        var report: PositionReport
        /// What was last told of the sky.
        var sky: SkyReport?
        /// True when satellites came since the epoch before.
        var hasNewSatellites = false
        /// The civil time of the fix: the receiver's own, else that of the arrival; nil when neither is known.
        var time: WallTime?
        /// True for the first fix, and where positions were lost between this one and the one before.
        var startsSegment = false
    }

    /// What was told of the sky.
    private struct Sky {
        var report: SkyReport
        var arrival: Int64?
        /// Its time, or that of the position before it.
        var time: WallTime?
        /// True until a position takes it.
        var isNew = true
        /// True when there are satellites in it that no position took.
        var hasNewSatellites = false
    }

    /// Fixes of other receivers that were passed over.
    private(set) var others = 0
    /// Reports with numbers that nothing on earth has; those were left out.
    private(set) var implausible = 0
    /// The receiver whose positions are taken; nil until the first fix decides.
    private(set) var receiver: String?
    private let start: WallTime?
    private let includesMissing: Bool
    private var pending: Epoch?
    private var sky: Sky?
    /// True when the pending position has a sky that no other position has.
    private var hasOwnSky = false
    /// True when that came before its last report, so that one without a time behind it belongs to the next position.
    private var isClosed = false
    private var isBroken = true

    /// - Parameters:
    ///   - start: Civil time at time zero.
    ///   - receiver: The receiver's path; nil for that of the first fix.
    ///   - includesMissing: Whether epochs without a fix are given too.
    init(start: WallTime?, receiver: String? = nil, includesMissing: Bool = false) {
        self.start = start
        self.receiver = receiver
        self.includesMissing = includesMissing
    }

    /// What somebody should know of ``implausible`` reports, behind their number.
    static let implausibleText =
        "reports had numbers out of every range, such as an altitude of 10,000 km; those numbers were left out."

    /// True when an epoch waits for being complete.
    var hasPending: Bool { pending != nil }

    /// True for reports that are looked at.
    func isOurs(_ name: String) -> Bool {
        guard let receiver else { return true }
        return receiver.isEmpty || name.isEmpty || name == receiver
    }

    /// Takes a report, and returns the epoch that it ends.
    mutating func take(_ report: PositionReport, at arrival: Int64?) -> Epoch? {
        if receiver == nil, report.hasFix { receiver = report.receiver }
        guard isOurs(report.receiver) else {
            if report.hasFix { others += 1 }
            return nil
        }
        var report = report
        if report.dropImplausible() { implausible += 1 }
        if let pending, let time = report.time, time == pending.report.time,
            (arrival ?? 0).subtractingSaturated(pending.arrival ?? 0) < Self.longestEpoch
        {
            // Nothing without a fix takes the place of a fix of the same epoch.
            if report.hasFix || !pending.report.hasFix { replace(pending, by: report) }
            return nil
        }
        let finished = takePending()
        if report.hasFix || includesMissing { hold(report, at: arrival) }
        if report.hasFix {
            isBroken = false
        } else if report.mode != .unknown {
            isBroken = true
        }
        return finished
    }

    /// Takes satellites or dilutions.
    mutating func take(_ found: SkyReport, at arrival: Int64?) {
        guard isOurs(found.receiver) else { return }
        var found = found
        if found.dropImplausible() { implausible += 1 }
        var latest = Sky(report: found, arrival: arrival, time: found.time ?? pending?.report.time)
        latest.hasNewSatellites = found.satellites != nil
        // Satellites may come in one report and dilutions in another.
        if let last = sky, last.report.time == found.time, found.time != nil {
            latest.report = last.report
            latest.report.merge(found)
            if last.isNew, last.hasNewSatellites { latest.hasNewSatellites = true }
        }
        // gpsd tells of the sky behind the position that it belongs to.
        if let epoch = pending, found.time.map({ $0 == epoch.report.time }) ?? !isClosed {
            pending?.sky = latest.report
            if latest.hasNewSatellites { pending?.hasNewSatellites = true }
            latest.isNew = false
            hasOwnSky = true
        }
        sky = latest
    }

    /// Positions cannot be had any more. Returns the epoch that waits.
    mutating func interrupt() -> Epoch? {
        isBroken = true
        return takePending()
    }

    /// The epoch that waits; nil when none does.
    mutating func takePending() -> Epoch? {
        defer { pending = nil }
        return pending
    }

    private mutating func hold(_ report: PositionReport, at arrival: Int64?) {
        var epoch = Epoch(arrival: arrival, report: report)
        epoch.startsSegment = report.hasFix && isBroken
        hasOwnSky = false
        complete(&epoch)
        isClosed = hasOwnSky
        pending = epoch
    }

    private mutating func replace(_ former: Epoch, by report: PositionReport) {
        var epoch = former
        epoch.report = report
        if !former.report.hasFix, report.hasFix {
            epoch.startsSegment = isBroken
            isBroken = false
        }
        if !hasOwnSky { complete(&epoch) }
        isClosed = hasOwnSky
        pending = epoch
    }

    /// Adds the time, and the sky where it is not older than it may be. That of a fix before is none of an epoch without
    /// one.
    private mutating func complete(_ epoch: inout Epoch) {
        epoch.time =
            epoch.report.time
            ?? start.flatMap { start in
                epoch.arrival.map { WallTime(nanoseconds: start.nanoseconds.addingSaturated($0)) }
            }
        guard let sky, sky.isNew || epoch.report.hasFix, isRecent(sky, epoch) else { return }
        epoch.sky = sky.report
        guard sky.isNew else { return }
        epoch.hasNewSatellites = sky.hasNewSatellites
        hasOwnSky = true
        self.sky?.isNew = false
    }

    private func isRecent(_ sky: Sky, _ epoch: Epoch) -> Bool {
        // One that came right before has the time of the position before it, if any.
        if let told = sky.report.time ?? (sky.isNew ? nil : sky.time), let now = epoch.report.time,
            now.nanoseconds.subtractingSaturated(told.nanoseconds).magnitude > Self.longestSky.magnitude
        {
            return false
        }
        guard let told = sky.arrival, let now = epoch.arrival else { return true }
        return now.subtractingSaturated(told) <= Self.longestSky
    }
}

extension SkyReport {
    /// Takes over what the other report of the same instant says.
    fileprivate mutating func merge(_ other: SkyReport) {
        if !other.hdop.isNaN { hdop = other.hdop }
        if !other.vdop.isNaN { vdop = other.vdop }
        if !other.pdop.isNaN { pdop = other.pdop }
        if other.usedCount >= 0 { usedCount = other.usedCount }
        if other.visibleCount >= 0 { visibleCount = other.visibleCount }
        if let satellites = other.satellites { self.satellites = satellites }
    }
}

extension PositionReport {
    /// Takes out numbers that nothing on earth has, which a damaged or hostile file may say: they would be written as
    /// something else, or break the files of other programs. True when there were any.
    mutating func dropImplausible() -> Bool {
        var isChanged = false
        func check(_ value: inout Double, _ range: Range<Double>) {
            guard !value.isNaN, !range.contains(value) else { return }
            value = .nan
            isChanged = true
        }
        let height = -1e7..<1e7
        check(&altitudeHAE, height)
        check(&altitudeMSL, height)
        check(&altitudeUndefined, height)
        check(&geoidSeparation, height)
        check(&speed, 0..<1e6)
        check(&climb, -1e6..<1e6)
        check(&correctionAge, 0..<1e6)
        // RTCM 3 has twelve bits.
        if correctionStation > 4095 {
            correctionStation = -1
            isChanged = true
        }
        return isChanged
    }
}

extension SkyReport {
    /// The same of satellites. True when there were any.
    mutating func dropImplausible() -> Bool {
        guard usedCount > 999 else { return false }
        usedCount = -1
        return true
    }
}
