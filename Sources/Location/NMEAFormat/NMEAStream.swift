// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Puts the sentences of one receiver together to epochs.
///
/// An epoch ends when a sentence with another time comes, or one about the position of a kind that it has already.
/// Sentences without a time belong to the epoch before them.
struct NMEAStream {
    /// The kinds of sentences that say where the receiver is.
    private struct Kinds: OptionSet {
        let rawValue: UInt8
        static let gga = Kinds(rawValue: 1)
        static let rmc = Kinds(rawValue: 2)
        static let gll = Kinds(rawValue: 4)
        static let gns = Kinds(rawValue: 8)
    }

    /// What the times of day of this receiver mean.
    private(set) var clock: NMEAClock
    private var sky = SkyAssembler()
    private var attitude = AttitudeReport()
    private var hasAttitude = false

    /// The time of day of the epoch.
    private var time: Int64?
    private var date: Int64?
    private var kinds: Kinds = []
    private var report = PositionReport()
    private var decimals = -1
    private var isValid = false
    private var isInvalid = false
    /// Those of GST.
    private var deviations: PositionDeviations?

    private var arrival: WallTime?
    private var skyArrival: WallTime?
    private var attitudeArrival: WallTime?
    /// What the last GSA said of the dimensions.
    private var lastMode = 0
    private let receiver: String

    init(receiver: String, midnight: Int64?) {
        self.receiver = receiver
        clock = NMEAClock(midnight: midnight)
    }

    /// Takes a sentence. False when it is of a kind that is not read.
    mutating func take(
        _ sentence: NMEASentence, arrival: WallTime?, counts: inout NMEACounts, receive: (NMEAReport) -> Void
    ) -> Bool {
        switch sentence.kind {
        case NMEASentence.kind("GGA"):
            begin(sentence.timeOfDay(0), .gga, arrival, &counts, receive)
            readGGA(sentence)
        case NMEASentence.kind("RMC"):
            begin(sentence.timeOfDay(0), .rmc, arrival, &counts, receive)
            counts.motion += 1
            readRMC(sentence)
        case NMEASentence.kind("GLL"):
            begin(sentence.timeOfDay(4), .gll, arrival, &counts, receive)
            readGLL(sentence)
        case NMEASentence.kind("GNS"):
            begin(sentence.timeOfDay(0), .gns, arrival, &counts, receive)
            readGNS(sentence)
        case NMEASentence.kind("ZDA"):
            begin(sentence.timeOfDay(0), [], arrival, &counts, receive)
            readZDA(sentence)
        case NMEASentence.kind("GST"):
            begin(sentence.timeOfDay(0), [], arrival, &counts, receive)
            readGST(sentence)
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
        default: return takeAttitude(sentence, arrival, receive)
        }
        return true
    }

    private mutating func begin(
        _ time: Int64?, _ kind: Kinds, _ arrival: WallTime?, _ counts: inout NMEACounts,
        _ receive: (NMEAReport) -> Void
    ) {
        let isOther = time != nil && self.time != nil && time != self.time
        if isOther || !kinds.isDisjoint(with: kind) { flush(&counts, receive) }
        if let time { self.time = time }
        kinds.formUnion(kind)
        if !kind.isEmpty { self.arrival = arrival }
    }

    /// Hands over the epoch, satellites first, so that they are there for the position. To be called where no sentence
    /// follows.
    mutating func flush(_ counts: inout NMEACounts, _ receive: (NMEAReport) -> Void) {
        clock.advance(to: time, date: date)
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
            receive(NMEAReport(contents: .position(report), arrival: arrival, clock: instant))
        }
        flushAttitude(receive)
        time = nil
        date = nil
        kinds = []
        report = PositionReport()
        decimals = -1
        isValid = false
        isInvalid = false
        deviations = nil
        skyArrival = nil
    }

    private mutating func finishReport(_ mode: Int) {
        report.receiver = receiver
        guard isValid, !isInvalid else {
            let status = report.status
            report = PositionReport()
            report.receiver = receiver
            report.mode = .none
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

// The sentences about the position.
extension NMEAStream {
    /// `time,lat,N,lon,E,quality,used,hdop,altitude,M,separation,M,age,station`
    private mutating func readGGA(_ sentence: NMEASentence) {
        let quality = sentence[5].count ?? 0
        if let found = NMEAStatus.all.first(where: { $0.quality == quality }) { report.status = found.status }
        readFix(sentence, isFix: quality > 0, separation: 10, age: 12)
    }

    /// `time,lat,N,lon,E,modes,used,hdop,altitude,separation,age,station`
    private mutating func readGNS(_ sentence: NMEASentence) {
        let modes = sentence[5].bytes
        let isFix = modes.contains { $0 != UInt8(ascii: "N") && $0 != UInt8(ascii: " ") }
        readFix(sentence, isFix: isFix, separation: 9, age: 10)
    }

    /// `time,A,lat,N,lon,E,knots,course,ddmmyy,variation,E,mode`
    private mutating func readRMC(_ sentence: NMEASentence) {
        let isFix = sentence[1].letter == UInt8(ascii: "A")
        note(sentence.position(2), isFix: isFix)
        readMotion(knots: sentence[6].positive, course: sentence[7])
        let variation = sentence.eastward(9)
        if !variation.isNaN { report.magneticVariation = variation }
        if let (year, month, day) = sentence.shortDate(8) { noteDate(year, month, day) }
        readMode(sentence[11])
    }

    /// `lat,N,lon,E,time,A,mode`
    private mutating func readGLL(_ sentence: NMEASentence) {
        // Before version 2 it ended with the position.
        let isFix = sentence.count < 6 || sentence[5].letter == UInt8(ascii: "A")
        note(sentence.position(0), isFix: isFix)
        readMode(sentence[6])
    }

    /// `course,T,magnetic course,M,knots,N,km/h,K,mode`, and before version 2 without the letters.
    private mutating func readVTG(_ sentence: NMEASentence) {
        let isOld = sentence.count == 4
        if sentence[8].letter == UInt8(ascii: "N") { return }
        var speed = sentence[isOld ? 2 : 4].positive
        if speed.isNaN { speed = sentence[isOld ? 3 : 6].positive / 3.6 / NMEAEncoder.knot }
        readMotion(knots: speed, course: sentence[0])
        let magnetic = sentence[isOld ? 1 : 2].positive
        if magnetic <= 360 { report.magneticTrack = magnetic }
    }

    /// `time,rms,major,minor,orientation,latitude,longitude,altitude`
    private mutating func readGST(_ sentence: NMEASentence) {
        var deviations = PositionDeviations()
        deviations.north = sentence[5].positive
        deviations.east = sentence[6].positive
        deviations.up = sentence[7].positive
        self.deviations = deviations
    }

    /// `time,day,month,year,…`
    private mutating func readZDA(_ sentence: NMEASentence) {
        guard let day = sentence[1].count, let month = sentence[2].count, let year = sentence[3].count else { return }
        noteDate(year, month, day)
    }

    /// `depth below the transducer,offset`: an offset above zero is that of the surface, one below that of the keel.
    private mutating func readDPT(_ sentence: NMEASentence) {
        let depth = sentence[0].positive
        let offset = sentence[1].positive
        report.depth = offset.isNaN ? depth : depth + offset
    }

    private mutating func note(_ position: NMEAPosition?, isFix: Bool) {
        if !isFix { isInvalid = true }
        guard let position, isFix else { return }
        isValid = true
        // Of several sentences that with the most digits counts.
        guard position.decimals > decimals else { return }
        decimals = position.decimals
        report.latitude = position.latitude
        report.longitude = position.longitude
    }

    /// What GGA and GNS have in common.
    private mutating func readFix(_ sentence: NMEASentence, isFix: Bool, separation: Int, age: Int) {
        note(sentence.position(1), isFix: isFix)
        if isFix { sky.note(used: sentence[6].count, hdop: sentence[7].positive) }
        let height = sentence[8].number
        if !height.isNaN { report.altitudeMSL = height }
        let geoid = sentence[separation].number
        if !geoid.isNaN { report.geoidSeparation = geoid }
        report.correctionAge = sentence[age].positive
        // Receivers write the station 0000 when they have none.
        if let station = sentence[age + 1].count, !report.correctionAge.isNaN || station > 0 {
            report.correctionStation = Int32(truncatingIfNeeded: station)
        }
    }

    private mutating func readMotion(knots: Double, course: NMEAField) {
        if report.speed.isNaN { report.speed = knots * NMEAEncoder.knot }
        let course = course.positive
        if report.track.isNaN, course <= 360 { report.track = course }
    }

    /// The letter of version 2.3; GGA's quality counts more.
    private mutating func readMode(_ field: NMEAField) {
        guard report.status == 0 else { return }
        if let found = NMEAStatus.all.first(where: { $0.letter == field.letter }) { report.status = found.status }
    }

    private mutating func noteDate(_ year: Int, _ month: Int, _ day: Int) {
        if let midnight = CivilDate.time(year: year, month: month, day: day) { date = midnight.nanoseconds }
    }
}

// The sentences about directions, which have no time.
extension NMEAStream {
    private mutating func takeAttitude(
        _ sentence: NMEASentence, _ arrival: WallTime?, _ receive: (NMEAReport) -> Void
    ) -> Bool {
        switch sentence.kind {
        case NMEASentence.kind("HDT"): note(\.heading, Self.direction(sentence[0]), arrival, receive)
        case NMEASentence.kind("THS"):
            guard sentence[1].letter != UInt8(ascii: "V") else { return true }
            note(\.heading, Self.direction(sentence[0]), arrival, receive)
        case NMEASentence.kind("HDM"): note(\.magneticHeading, Self.direction(sentence[0]), arrival, receive)
        case NMEASentence.kind("HDG"): readHDG(sentence, arrival, receive)
        case NMEASentence.kind("VHW"):
            note(\.heading, Self.direction(sentence[0]), arrival, receive)
            note(\.magneticHeading, Self.direction(sentence[2]), arrival, receive)
        case NMEASentence.kind("ROT"):
            if sentence[1].letter == UInt8(ascii: "A") { note(\.rateOfTurn, sentence[0].number, arrival, receive) }
        case NMEASentence.kind("XDR"): readXDR(sentence, arrival, receive)
        default: return false
        }
        return true
    }

    /// `heading of the sensor,deviation,E,variation,E`
    private mutating func readHDG(_ sentence: NMEASentence, _ arrival: WallTime?, _ receive: (NMEAReport) -> Void) {
        let sensor = Self.direction(sentence[0])
        let deviation = sentence.eastward(1)
        let magnetic = Self.turned(sensor + (deviation.isNaN ? 0 : deviation))
        note(\.magneticHeading, magnetic, arrival, receive)
        let variation = sentence.eastward(3)
        guard !variation.isNaN else { return }
        report.magneticVariation = variation
        // A sentence of its own knows it better.
        if attitude.heading.isNaN { note(\.heading, Self.turned(magnetic + variation), arrival, receive) }
    }

    /// Fours of fields: the kind of transducer, the value, its unit, its name.
    private mutating func readXDR(_ sentence: NMEASentence, _ arrival: WallTime?, _ receive: (NMEAReport) -> Void) {
        var index = 0
        while index + 3 < sentence.count {
            let name = sentence[index + 3]
            if sentence[index].letter == UInt8(ascii: "A"), sentence[index + 2].letter == UInt8(ascii: "D") {
                let value = sentence[index + 1].number
                if name.equals("PTCH") || name.equals("PITCH") {
                    note(\.pitch, value, arrival, receive)
                } else if name.equals("ROLL") {
                    note(\.roll, value, arrival, receive)
                } else if name.equals("YAW") {
                    note(\.yaw, value, arrival, receive)
                }
            }
            index += 4
        }
    }

    /// Adds a value; one that is there already belongs to the report before.
    private mutating func note(
        _ path: WritableKeyPath<AttitudeReport, Double>, _ value: Double, _ arrival: WallTime?,
        _ receive: (NMEAReport) -> Void
    ) {
        guard !value.isNaN else { return }
        if !attitude[keyPath: path].isNaN { flushAttitude(receive) }
        attitude[keyPath: path] = value
        attitudeArrival = arrival
        hasAttitude = true
    }

    private mutating func flushAttitude(_ receive: (NMEAReport) -> Void) {
        guard hasAttitude else { return }
        attitude.receiver = receiver
        receive(NMEAReport(contents: .attitude(attitude), arrival: attitudeArrival, clock: clock.last))
        attitude = AttitudeReport()
        hasAttitude = false
    }

    /// A direction of 0 to 360 degrees; NaN for anything else.
    private static func direction(_ field: NMEAField) -> Double {
        let value = field.positive
        return value <= 360 ? turned(value) : .nan
    }

    private static func turned(_ degrees: Double) -> Double {
        degrees < 0 ? degrees + 360 : degrees >= 360 ? degrees - 360 : degrees
    }
}
