// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Puts the sentences of one receiver together to epochs.
///
/// An epoch ends when a sentence with another time comes, or one about the position of a kind that it has already.
/// Sentences without a time belong to the epoch before them.
struct NMEAStream {
    /// The kinds of sentences that say where the receiver is.
    struct Kinds: OptionSet {
        let rawValue: UInt8
        static let gga = Kinds(rawValue: 1)
        static let rmc = Kinds(rawValue: 2)
        static let gll = Kinds(rawValue: 4)
        static let gns = Kinds(rawValue: 8)
    }

    /// What a sentence says of the fix.
    enum FixState {
        case fix
        case none
        /// Nothing that can be read.
        case unknown
    }

    /// A sentence whose time is another than that of its epoch, which may be the local time.
    struct HeldSentence {
        let bytes: [UInt8]
        let time: Int64
        let arrival: WallTime?
    }

    /// What the times of day of this receiver mean.
    private(set) var clock: NMEAClock
    var sky = SkyAssembler()
    var attitude = AttitudeReport()
    var hasAttitude = false

    /// The time of day of the epoch.
    var time: Int64?
    var date: Int64?
    var isProvisionalDate = false
    var kinds: Kinds = []
    /// The talkers of the kinds, by the kinds' bits.
    var talkers: [UInt8: UInt16] = [:]
    /// True when the epoch has the time of the one before, by sentences of the same kind and talker, or when it has none.
    var isRepeated = false
    /// True when the epoch has a position and its sentence no time.
    var lacksTime = false
    var held: HeldSentence?
    var report = PositionReport()
    var decimals = -1
    var isValid = false
    var isInvalid = false
    /// Those of GST.
    var deviations: PositionDeviations?

    var arrival: WallTime?
    var skyArrival: WallTime?
    var attitudeArrival: WallTime?
    /// What the last GSA said of the dimensions.
    var lastMode = 0
    let receiver: String

    init(receiver: String, midnight: Int64?) {
        self.receiver = receiver
        clock = NMEAClock(midnight: midnight)
    }

    /// Takes a sentence. False when it is of a kind that is not read.
    mutating func take(
        _ sentence: NMEASentence, arrival: WallTime?, counts: inout NMEACounts, receive: (NMEAReport) -> Void
    ) -> Bool {
        if let (index, kind) = Self.timedKind(sentence) {
            guard counts.check(sentence) else { return true }
            let time = sentence.timeOfDay(index)
            if time != nil { release(before: time, &counts, receive) }
            if let time, mayBeLocalTime(time, kind) {
                held = HeldSentence(bytes: sentence.copy(), time: time, arrival: arrival)
                return true
            }
            takeTimed(sentence, time, kind, arrival, &counts, receive)
            return true
        }
        guard counts.check(sentence) else { return true }
        switch sentence.kind {
        case NMEASentence.kind("VTG"):
            counts.motion += 1
            readVTG(sentence)
        case NMEASentence.kind("GSA"):
            skyArrival = arrival
            sky.readUsed(sentence)
        case NMEASentence.kind("GSV"):
            skyArrival = arrival
            sky.readInView(sentence)
        case NMEASentence.kind("DPT"): readDPT(sentence)
        case NMEASentence.kind("DTM"):
            let datum = sentence[0]
            if !datum.isEmpty, !datum.equals("W84") { counts.otherDatums += 1 }
        default:
            return takeAttitude(sentence, arrival, receive)
        }
        return true
    }

    /// The field of the time, and the kind; nil for sentences without a time.
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

    mutating func takeTimed(
        _ sentence: NMEASentence, _ time: Int64?, _ kind: Kinds, _ arrival: WallTime?, _ counts: inout NMEACounts,
        _ receive: (NMEAReport) -> Void
    ) {
        begin(sentence, time, kind, arrival, &counts, receive)
        switch sentence.kind {
        case NMEASentence.kind("GGA"): readGGA(sentence, &counts)
        case NMEASentence.kind("RMC"):
            counts.motion += 1
            readRMC(sentence, &counts)
        case NMEASentence.kind("GLL"): readGLL(sentence, &counts)
        case NMEASentence.kind("GNS"): readGNS(sentence, &counts)
        case NMEASentence.kind("ZDA"): readZDA(sentence, &counts)
        default: readGST(sentence)
        }
    }

    private mutating func begin(
        _ sentence: NMEASentence, _ time: Int64?, _ kind: Kinds, _ arrival: WallTime?, _ counts: inout NMEACounts,
        _ receive: (NMEAReport) -> Void
    ) {
        let talker = UInt16(sentence.talker.0) << 8 | UInt16(sentence.talker.1)
        // GLL had no time before version 2, and receivers without a fix give none.
        let isTimeless = time == nil && !kind.isEmpty && kind != .gll && sentence.position(kind == .rmc ? 2 : 1) != nil
        if isTimeless {
            counts.record("\(sentence.kindName) has a position and no time; it follows the position before", sentence)
        }
        let isOther =
            time != nil && self.time != nil && time != self.time
            || (!kind.isEmpty && !kinds.isEmpty && isTimeless != lacksTime)
        if isOther || !kinds.isDisjoint(with: kind) {
            let isSame = !isOther && time != nil && talkers[kind.rawValue] == talker
            flush(&counts, receive)
            isRepeated = isSame
        }
        if let time { self.time = time }
        kinds.formUnion(kind)
        if isTimeless { (lacksTime, isRepeated) = (true, true) }
        if !kind.isEmpty {
            self.arrival = arrival
            talkers[kind.rawValue] = talker
        }
    }

    /// Hands over the epoch, satellites first, so that they are there for the position. To be called where no sentence
    /// follows.
    mutating func flush(_ counts: inout NMEACounts, _ receive: (NMEAReport) -> Void) {
        release(before: nil, &counts, receive)
        clock.advance(to: time, date: date, isProvisional: isProvisionalDate)
        let instant = clock.last
        let wall = clock.isDated && time != nil ? instant.map { WallTime(nanoseconds: $0) } : nil
        let mode = sky.mode
        if var sky = sky.take(counts: &counts) {
            sky.receiver = receiver
            sky.time = wall
            receive(NMEAReport(contents: .sky(sky), arrival: skyArrival ?? arrival, clock: instant))
        }
        if !kinds.isEmpty {
            if mode > 0 { lastMode = mode }
            finishReport(mode)
            report.time = wall
            if time != nil, wall == nil, report.hasFix { counts.undated += 1 }
            receive(
                NMEAReport(
                    contents: .position(report), arrival: arrival, clock: instant, isRepeated: isRepeated))
        }
        flushAttitude(receive)
        time = nil
        date = nil
        isProvisionalDate = false
        kinds = []
        talkers.removeAll(keepingCapacity: true)
        isRepeated = false
        lacksTime = false
        report = PositionReport()
        decimals = -1
        isValid = false
        isInvalid = false
        deviations = nil
        skyArrival = nil
    }

    mutating func finishReport(_ mode: Int) {
        report.receiver = receiver
        guard isValid, !isInvalid else {
            let status = report.status
            report = PositionReport()
            report.receiver = receiver
            report.mode = isInvalid ? .none : .unknown
            report.status = status
            return
        }
        if mode >= 2 {
            report.mode = mode == 2 ? .twoDimensional : .threeDimensional
        } else if report.altitudeMSL.isNaN || lastMode == 2 {
            report.mode = .twoDimensional
        } else {
            report.mode = .threeDimensional
        }
        if report.altitudeHAE.isNaN { report.altitudeHAE = report.altitudeMSL + report.geoidSeparation }
        deviations?.write(to: &report)
    }
}
