// SPDX-License-Identifier: Apache-2.0

import DeviceCore

// Reads the sentences that contain the values of a position report.
extension NMEAEpochAssembler {
    /// Reads GGA: `time,lat,N,lon,E,quality,used,hdop,altitude,M,separation,M,age,station`.
    mutating func readGGA(_ sentence: NMEASentence, _ diagnostics: inout NMEADiagnostics) {
        let quality = sentence[5].unsignedInteger
        if let found = NMEAFixQuality.all.first(where: { $0.quality == quality }) { epoch.report.status = found.status }
        let state: FixState =
            switch quality {
            case nil: .unknown
            case 0: .none
            default: .fix
            }
        readFix(sentence, state, separation: 10, age: 12, &diagnostics)
    }

    /// Reads GNS: `time,lat,N,lon,E,modes,used,hdop,altitude,separation,age,station`.
    mutating func readGNS(_ sentence: NMEASentence, _ diagnostics: inout NMEADiagnostics) {
        let modes = sentence[5].bytes
        var state = FixState.unknown
        if modes.contains(where: { "ADEFMPRS".utf8.contains($0) }) {
            state = .fix
        } else if !modes.isEmpty, modes.allSatisfy({ $0 == UInt8(ascii: "N") || $0 == UInt8(ascii: " ") }) {
            state = .none
        }
        readFix(sentence, state, separation: 9, age: 10, &diagnostics)
    }

    /// Reads RMC: `time,A,lat,N,lon,E,knots,course,ddmmyy,variation,E,mode`.
    mutating func readRMC(_ sentence: NMEASentence, _ diagnostics: inout NMEADiagnostics) {
        let state = Self.state(sentence[1])
        readPosition(of: sentence, at: 2, state: state, diagnostics: &diagnostics)
        readMotion(knots: sentence[6].nonnegativeNumber, course: sentence[7])
        let variation = sentence.degreesEast(9)
        if !variation.isNaN { epoch.report.magneticVariation = variation }
        if let midnight = sentence.midnight(8) { setDate(midnight, isProvisional: state == .none) }
        readMode(sentence[11])
    }

    /// Reads GLL: `lat,N,lon,E,time,A,mode`.
    mutating func readGLL(_ sentence: NMEASentence, _ diagnostics: inout NMEADiagnostics) {
        // Before NMEA version 2, GLL contained only the position.
        let state = sentence.count < 6 ? .fix : Self.state(sentence[5])
        readPosition(of: sentence, at: 0, state: state, diagnostics: &diagnostics)
        readMode(sentence[6])
    }

    private static func state(_ status: NMEAField) -> FixState {
        switch status.bytes.count == 1 ? status.firstLetter : 0 {
        case UInt8(ascii: "A"): .fix
        case UInt8(ascii: "V"): .none
        default: .unknown
        }
    }

    /// Reads VTG: `course,T,magnetic course,M,knots,N,km/h,K,mode`. Before version 2, the letters are missing.
    mutating func readVTG(_ sentence: NMEASentence) {
        let isOldFormat = sentence.count == 4
        if sentence[8].firstLetter == UInt8(ascii: "N") { return }
        var speed = sentence[isOldFormat ? 2 : 4].nonnegativeNumber
        if speed.isNaN { speed = sentence[isOldFormat ? 3 : 6].nonnegativeNumber / 3.6 / NMEAEncoder.knot }
        readMotion(knots: speed, course: sentence[0])
        let magnetic = sentence[isOldFormat ? 1 : 2].nonnegativeNumber
        if magnetic <= 360 { epoch.report.magneticTrack = magnetic }
    }

    /// Reads GST: `time,rms,major,minor,orientation,latitude,longitude,altitude`.
    mutating func readGST(_ sentence: NMEASentence) {
        var deviations = PositionDeviations()
        deviations.north = sentence[5].nonnegativeNumber
        deviations.east = sentence[6].nonnegativeNumber
        deviations.up = sentence[7].nonnegativeNumber
        epoch.deviations = deviations
    }

    /// Reads ZDA: `time,day,month,year,…`.
    mutating func readZDA(_ sentence: NMEASentence, _ diagnostics: inout NMEADiagnostics) {
        guard let day = sentence[1].unsignedInteger, let month = sentence[2].unsignedInteger,
            let year = sentence[3].unsignedInteger
        else { return }
        if let midnight = CivilDate.time(year: year, month: month, day: day) {
            setDate(midnight, isProvisional: false)
        } else {
            diagnostics.record("the date of ZDA cannot be read and was ignored", sentence)
        }
    }

    /// Reads DPT: `depth below the transducer,offset`. A positive offset is the distance from the transducer to the
    /// waterline, and a negative offset is the distance to the keel.
    mutating func readDPT(_ sentence: NMEASentence) {
        let depth = sentence[0].nonnegativeNumber
        let offset = sentence[1].nonnegativeNumber
        epoch.report.depth = offset.isNaN ? depth : depth + offset
    }

    private mutating func readPosition(
        of sentence: NMEASentence, at index: Int, state: FixState, diagnostics: inout NMEADiagnostics
    ) {
        let position = sentence.position(index)
        let isEmpty = (index..<index + 4).allSatisfy { sentence[$0].isEmpty }
        if position == nil, !isEmpty {
            diagnostics.record("the position of \(sentence.kindName) cannot be read and was ignored", sentence)
        } else if state == .unknown, !isEmpty {
            diagnostics.record(
                "\(sentence.kindName) does not state whether there is a fix, so its position was ignored", sentence)
        }
        if state == .none { epoch.fix = .none }
        guard let position, state == .fix else { return }
        if epoch.fix == .unknown { epoch.fix = .fix }
        // If several sentences contain a position, the position with the most decimal places is used.
        guard position.decimals > epoch.decimals else { return }
        epoch.decimals = position.decimals
        epoch.report.latitude = position.latitude
        epoch.report.longitude = position.longitude
    }

    private mutating func readFix(
        _ sentence: NMEASentence, _ state: FixState, separation: Int, age: Int, _ diagnostics: inout NMEADiagnostics
    ) {
        readPosition(of: sentence, at: 1, state: state, diagnostics: &diagnostics)
        guard state == .fix else { return }
        sky.record(usedCount: sentence[6].unsignedInteger, hdop: sentence[7].nonnegativeNumber)
        let height = sentence[8].number
        if !height.isNaN { epoch.report.altitudeMSL = height }
        let geoid = sentence[separation].number
        if !geoid.isNaN { epoch.report.geoidSeparation = geoid }
        epoch.report.correctionAge = sentence[age].nonnegativeNumber
        // Receivers report station 0000 if there is no reference station.
        if let station = sentence[age + 1].unsignedInteger, !epoch.report.correctionAge.isNaN || station > 0 {
            epoch.report.correctionStation = Int32(truncatingIfNeeded: station)
        }
    }

    private mutating func readMotion(knots: Double, course: NMEAField) {
        if epoch.report.speed.isNaN { epoch.report.speed = knots * NMEAEncoder.knot }
        let course = course.nonnegativeNumber
        if epoch.report.track.isNaN, course <= 360 { epoch.report.track = course }
    }

    /// Reads the mode letter, which was added in NMEA version 2.3. The fix quality in GGA takes precedence.
    private mutating func readMode(_ field: NMEAField) {
        guard epoch.report.status == 0 else { return }
        if let found = NMEAFixQuality.all.first(where: { $0.letter == field.firstLetter }) {
            epoch.report.status = found.status
        }
    }

    private mutating func setDate(_ midnight: WallTime, isProvisional: Bool) {
        // A receiver that does not know the date may report 6 January 1980, the start of GPS time, or 1 January 1970,
        // the start of its own clock. The two-digit year 70 is read as 2070. Both dates are provisional.
        let isProvisional = isProvisional || Self.clockEpochs.contains(midnight)
        guard !isProvisional || epoch.date == nil else { return }
        (epoch.date, epoch.isProvisionalDate) = (midnight.nanoseconds, isProvisional)
    }

    private static let clockEpochs = [(1980, 1, 6), (2070, 1, 1)].map { year, month, day in
        CivilDate.time(year: year, month: month, day: day)
    }
}
