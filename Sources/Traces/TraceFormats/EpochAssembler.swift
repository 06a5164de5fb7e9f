// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Merges the reports of one receiver into epochs. gpsd may report an epoch several times, each time with more data,
/// and may send the satellite report before or after the corresponding position.
struct EpochAssembler {
    /// The maximum time between the arrivals of two reports of the same epoch, in nanoseconds (2 s).
    private static let maximumEpochDuration: Int64 = 2_000_000_000
    /// The maximum age of a satellite report that is added to a position, in nanoseconds (2 s).
    private static let maximumSkyAge: Int64 = 2_000_000_000

    struct Epoch {
        /// The arrival time, in nanoseconds since the start of the trace, or nil if unknown.
        var arrival: Int64?
        /// The last report with a fix in this epoch, or the last report if none has a fix.
        var report: PositionReport
        var sky: SkyReport?
        /// True if the satellites in `sky` were reported for this epoch. False if they are reused from an earlier
        /// epoch, or if there are none.
        var hasNewSatellites = false
        /// The civil time of the fix, or the report's civil arrival time if the receiver reported no time.
        var time: WallTime?
        /// True for the first fix of the trace, and for the first fix after a loss of the fix or the source.
        var startsSegment = false
    }

    private struct Sky {
        var report: SkyReport
        var arrival: Int64?
        /// The time of the report, or of the preceding position if the report contains no time.
        var time: WallTime?
        /// True until the report is added to a position.
        var isNew = true
        var hasNewSatellites = false
    }

    private(set) var otherReceiverFixCount = 0
    private(set) var implausibleReportCount = 0
    /// The path of the receiver whose positions are used, or nil until the first fix selects it.
    private(set) var receiver: String?
    private let start: WallTime?
    /// True if reports without a fix also become epochs.
    private let includesMissing: Bool
    private var pending: Epoch?
    private var sky: Sky?
    /// True if the pending position has its own satellite report. A report reused from an earlier position does not
    /// count.
    private var hasOwnSky = false
    /// True if the pending position's satellite report arrived before the last report of that position. If so, a
    /// further satellite report without a time belongs to the next position.
    private var isSkyBeforeLastReport = false
    private var isAfterLoss = true

    init(start: WallTime?, receiver: String? = nil, includesMissing: Bool = false) {
        (self.start, self.receiver, self.includesMissing) = (start, receiver, includesMissing)
    }

    static let implausibleText =
        "reports had impossible numbers, such as an altitude of 10,000 km; those numbers were omitted."

    var remarks: [String] {
        var remarks: [String] = []
        remarks.appendRemark(
            count: otherReceiverFixCount,
            "positions of receivers other than \(receiver ?? "") were omitted. Select another receiver with --receiver."
        )
        remarks.appendRemark(count: implausibleReportCount, Self.implausibleText)
        return remarks
    }

    var hasPending: Bool { pending != nil }

    /// Returns true if `name` is the path of the selected receiver, or if either path is unknown.
    func isSelected(receiver name: String) -> Bool {
        guard let receiver else { return true }
        return receiver.isEmpty || name.isEmpty || name == receiver
    }

    /// Processes a position. Returns the pending epoch, if any, unless the position belongs to it or is ignored.
    mutating func process(_ report: PositionReport, at arrival: Int64?) -> Epoch? {
        if receiver == nil, report.hasFix { receiver = report.receiver }
        guard isSelected(receiver: report.receiver) else {
            if report.hasFix { otherReceiverFixCount += 1 }
            return nil
        }
        var report = report
        if report.removeImplausibleValues() { implausibleReportCount += 1 }
        if let pending, let time = report.time, time == pending.report.time,
            (arrival ?? 0).subtractingSaturated(pending.arrival ?? 0) < Self.maximumEpochDuration
        {
            // A report without a fix does not replace a fix from the same epoch.
            if report.hasFix || !pending.report.hasFix { replace(pending, by: report) }
            return nil
        }
        let finished = removePending()
        if report.hasFix || includesMissing { beginEpoch(with: report, at: arrival) }
        if report.hasFix {
            isAfterLoss = false
        } else if report.mode != .unknown {
            isAfterLoss = true
        }
        return finished
    }

    mutating func process(_ found: SkyReport, at arrival: Int64?) {
        guard isSelected(receiver: found.receiver) else { return }
        var found = found
        if found.removeImplausibleValues() { implausibleReportCount += 1 }
        var latest = Sky(report: found, arrival: arrival, time: found.time ?? pending?.report.time)
        latest.hasNewSatellites = found.satellites != nil
        // A receiver may send satellites and dilutions of precision in separate reports.
        if let last = sky, last.report.time == found.time, found.time != nil {
            latest.report = last.report
            latest.report.merge(found)
            if last.isNew, last.hasNewSatellites { latest.hasNewSatellites = true }
        }
        // gpsd usually sends the satellite report after the corresponding position.
        if let epoch = pending, found.time.map({ $0 == epoch.report.time }) ?? !isSkyBeforeLastReport {
            pending?.sky = latest.report
            if latest.hasNewSatellites { pending?.hasNewSatellites = true }
            latest.isNew = false
            hasOwnSky = true
        }
        sky = latest
    }

    /// Ends the segment and returns the pending epoch, if any. The next fix starts a new segment.
    mutating func interrupt() -> Epoch? {
        isAfterLoss = true
        return removePending()
    }

    /// Returns the pending epoch, if any, without ending the segment.
    mutating func removePending() -> Epoch? {
        defer { pending = nil }
        return pending
    }

    private mutating func beginEpoch(with report: PositionReport, at arrival: Int64?) {
        var epoch = Epoch(arrival: arrival, report: report)
        epoch.startsSegment = report.hasFix && isAfterLoss
        hasOwnSky = false
        complete(&epoch)
        isSkyBeforeLastReport = hasOwnSky
        pending = epoch
    }

    private mutating func replace(_ former: Epoch, by report: PositionReport) {
        var epoch = former
        epoch.report = report
        if !former.report.hasFix, report.hasFix {
            epoch.startsSegment = isAfterLoss
            isAfterLoss = false
        }
        if !hasOwnSky { complete(&epoch) }
        isSkyBeforeLastReport = hasOwnSky
        pending = epoch
    }

    /// Sets the epoch's time and adds a recent satellite report. A fix may reuse the satellite report of an earlier
    /// position.
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
        // If a new satellite report contains no time, `sky.time` is only a guess (the preceding position's time), so it
        // is not compared.
        if let skyTime = sky.report.time ?? (sky.isNew ? nil : sky.time), let now = epoch.report.time,
            now.nanoseconds.subtractingSaturated(skyTime.nanoseconds).magnitude > Self.maximumSkyAge.magnitude
        {
            return false
        }
        guard let skyTime = sky.arrival, let now = epoch.arrival else { return true }
        return now.subtractingSaturated(skyTime) <= Self.maximumSkyAge
    }
}

extension SkyReport {
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
    /// Removes values that are impossible on Earth. An export could alter such values or produce an invalid file.
    /// Returns true if a value was removed.
    mutating func removeImplausibleValues() -> Bool {
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
        // An RTCM 3 reference station ID has only twelve bits.
        if correctionStation > 4095 {
            correctionStation = -1
            isChanged = true
        }
        return isChanged
    }
}

extension SkyReport {
    mutating func removeImplausibleValues() -> Bool {
        guard usedCount > 999 else { return false }
        usedCount = -1
        return true
    }
}
