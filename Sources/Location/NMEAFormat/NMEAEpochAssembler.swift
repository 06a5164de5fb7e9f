// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Assembles the sentences of one receiver into epochs. An epoch ends at a sentence with a different time, or at a
/// position sentence of a kind that the epoch already contains. Sentences without a time belong to the current epoch.
struct NMEAEpochAssembler {
    struct Kinds: OptionSet {
        let rawValue: UInt8
        static let gga = Kinds(rawValue: 1)
        static let rmc = Kinds(rawValue: 2)
        static let gll = Kinds(rawValue: 4)
        static let gns = Kinds(rawValue: 8)

        /// The index, from 0 to 3, of the set's only member.
        var index: Int { min(rawValue.trailingZeroBitCount, 3) }
    }

    /// The fix status of a sentence or an epoch. Later cases take precedence over earlier ones.
    enum FixState {
        /// No sentence contains a valid fix status.
        case unknown
        case fix
        case none
    }

    /// A sentence whose time differs from the time of its epoch, possibly because it is in local time.
    struct DeferredSentence {
        let bytes: [UInt8]
        let line: Int
        let time: Int64
        let arrival: WallTime?
    }

    /// The values read from the sentences of one epoch.
    struct Epoch {
        /// The time of day in nanoseconds, or nil if no sentence contains a time.
        var time: Int64?
        /// Midnight at the start of the date, in nanoseconds since 1970.
        var date: Int64?
        var isProvisionalDate = false
        var kinds: Kinds = []
        /// The talker of each kind of position sentence, indexed by `Kinds.index`. 0 if the epoch has no sentence of
        /// that kind.
        var talkers = SIMD4<UInt16>.zero
        /// True if the position has no time, or if the previous epoch contained a position sentence with the same time,
        /// kind and talker as the first position sentence of this epoch.
        var isRepeated = false
        var lacksTime = false
        var fix = FixState.unknown
        var report = PositionReport()
        /// The number of decimal places in the position's minutes, or -1 if there is no position.
        var decimals = -1
        var deviations: PositionDeviations?
        var skyArrival: WallTime?
    }

    private(set) var clock: NMEAClock
    var epoch = Epoch()
    var deferredSentence: DeferredSentence?
    var sky = SkyAssembler()
    var attitude = AttitudeReport()
    var hasAttitude = false
    private var arrival: WallTime?
    var attitudeArrival: WallTime?
    /// The fix mode of the last epoch with a GSA sentence, or 0 if there was none. Used for subsequent epochs without
    /// GSA.
    private var lastMode = 0
    let receiver: String

    init(receiver: String, midnight: Int64?) {
        self.receiver = receiver
        clock = NMEAClock(midnight: midnight)
    }

    /// Returns false if the sentence kind is not supported.
    mutating func process(
        _ sentence: NMEASentence, arrival: WallTime?, diagnostics: inout NMEADiagnostics, receive: (NMEAReport) -> Void
    ) -> Bool {
        if let (index, kind) = Self.timedKind(sentence) {
            guard diagnostics.validate(sentence) else { return true }
            let time = sentence.timeOfDay(index)
            if time != nil { processDeferred(before: time, diagnostics: &diagnostics, receive: receive) }
            if let time, isPossiblyLocalTime(time, kind: kind) {
                deferredSentence = DeferredSentence(
                    bytes: sentence.copy(), line: diagnostics.line, time: time, arrival: arrival)
                return true
            }
            processTimed(
                sentence, time: time, kind: kind, arrival: arrival, diagnostics: &diagnostics, receive: receive)
            return true
        }
        guard diagnostics.validate(sentence) else { return true }
        switch sentence.kind {
        case NMEASentence.kind("VTG"):
            diagnostics.counts.motionSentences += 1
            readVTG(sentence)
        case NMEASentence.kind("GSA"):
            epoch.skyArrival = arrival
            sky.readUsed(sentence)
        case NMEASentence.kind("GSV"):
            epoch.skyArrival = arrival
            sky.readInView(sentence)
        case NMEASentence.kind("DPT"): readDPT(sentence)
        case NMEASentence.kind("DTM"):
            let datum = sentence[0]
            if !datum.isEmpty, !datum.equals("W84") { diagnostics.counts.otherDatums += 1 }
        default: return processAttitude(sentence, arrival: arrival, receive: receive)
        }
        return true
    }

    /// Returns the index of the time field and the kind of position sentence, or nil for sentences without a time
    /// field.
    static func timedKind(_ sentence: NMEASentence) -> (index: Int, kind: Kinds)? {
        switch sentence.kind {
        case NMEASentence.kind("GGA"): (0, .gga)
        case NMEASentence.kind("RMC"): (0, .rmc)
        case NMEASentence.kind("GLL"): (4, .gll)
        case NMEASentence.kind("GNS"): (0, .gns)
        case NMEASentence.kind("ZDA"), NMEASentence.kind("GST"): (0, [])
        default: nil
        }
    }

    mutating func processTimed(
        _ sentence: NMEASentence, time: Int64?, kind: Kinds, arrival: WallTime?,
        diagnostics: inout NMEADiagnostics, receive: (NMEAReport) -> Void
    ) {
        beginEpochIfNeeded(
            sentence, time: time, kind: kind, arrival: arrival, diagnostics: &diagnostics, receive: receive)
        switch sentence.kind {
        case NMEASentence.kind("GGA"): readGGA(sentence, &diagnostics)
        case NMEASentence.kind("RMC"):
            diagnostics.counts.motionSentences += 1
            readRMC(sentence, &diagnostics)
        case NMEASentence.kind("GLL"): readGLL(sentence, &diagnostics)
        case NMEASentence.kind("GNS"): readGNS(sentence, &diagnostics)
        case NMEASentence.kind("ZDA"): readZDA(sentence, &diagnostics)
        default: readGST(sentence)
        }
    }

    private mutating func beginEpochIfNeeded(
        _ sentence: NMEASentence, time: Int64?, kind: Kinds, arrival: WallTime?,
        diagnostics: inout NMEADiagnostics, receive: (NMEAReport) -> Void
    ) {
        // Before version 2, GLL contained no time. Receivers may also omit the time if they have no fix.
        let lacksTime = time == nil && !kind.isEmpty && kind != .gll && sentence.position(kind == .rmc ? 2 : 1) != nil
        if lacksTime {
            diagnostics.record(
                "\(sentence.kindName) has a position but no time; it was placed after the previous position", sentence)
        }
        let startsNewEpoch =
            time != nil && epoch.time != nil && time != epoch.time
            || (!kind.isEmpty && !epoch.kinds.isEmpty && lacksTime != epoch.lacksTime)
        let talker = UInt16(sentence.talker.0) << 8 | UInt16(sentence.talker.1)
        if startsNewEpoch || !epoch.kinds.isDisjoint(with: kind) {
            let isRepeated = !startsNewEpoch && time != nil && epoch.talkers[kind.index] == talker
            flush(&diagnostics, receive)
            epoch.isRepeated = isRepeated
        }
        if let time { epoch.time = time }
        if lacksTime { (epoch.lacksTime, epoch.isRepeated) = (true, true) }
        guard !kind.isEmpty else { return }
        epoch.kinds.formUnion(kind)
        epoch.talkers[kind.index] = talker
        self.arrival = arrival
    }

    /// Ends the epoch and delivers its reports. Must also be called after the last sentence.
    mutating func flush(_ diagnostics: inout NMEADiagnostics, _ receive: (NMEAReport) -> Void) {
        processDeferred(before: nil, diagnostics: &diagnostics, receive: receive)
        let epoch = epoch
        self.epoch = Epoch()
        clock.advance(to: epoch.time, date: epoch.date, isProvisional: epoch.isProvisionalDate)
        let instant = clock.last
        let wall = clock.hasDate && epoch.time != nil ? instant.map { WallTime(nanoseconds: $0) } : nil
        // `finishEpoch` resets the mode.
        let mode = sky.mode
        if var sky = sky.finishEpoch(counts: &diagnostics.counts) {
            sky.receiver = receiver
            sky.time = wall
            receive(NMEAReport(contents: .sky(sky), arrival: epoch.skyArrival ?? arrival, epochTime: instant))
        }
        if !epoch.kinds.isEmpty {
            if mode > 0 { lastMode = mode }
            var report = positionReport(of: epoch, mode: mode)
            report.time = wall
            if epoch.time != nil, wall == nil, report.hasFix { diagnostics.counts.undated += 1 }
            receive(
                NMEAReport(
                    contents: .position(report), arrival: arrival, epochTime: instant, isRepeated: epoch.isRepeated))
        }
        flushAttitude(receive)
    }

    private func positionReport(of epoch: Epoch, mode: Int) -> PositionReport {
        guard epoch.fix == .fix else {
            var report = PositionReport()
            report.receiver = receiver
            report.mode = epoch.fix == .none ? .none : .unknown
            report.status = epoch.report.status
            return report
        }
        var report = epoch.report
        report.receiver = receiver
        if mode >= 2 {
            report.mode = mode == 2 ? .twoDimensional : .threeDimensional
        } else if report.altitudeMSL.isNaN || lastMode == 2 {
            report.mode = .twoDimensional
        } else {
            report.mode = .threeDimensional
        }
        if report.altitudeHAE.isNaN { report.altitudeHAE = report.altitudeMSL + report.geoidSeparation }
        epoch.deviations?.write(to: &report)
        return report
    }
}
