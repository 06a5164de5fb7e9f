// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Assembles the satellites and dilutions of precision of one epoch.
struct SkyAssembler {
    /// The maximum number of satellite lists per epoch. Each combination of system and signal has its own list.
    private static let maximumLists = 64
    /// The maximum number of sentences in a list. The standard's maximum of nine is not enough for many signals.
    private static let maximumSentences = 40
    private static let maximumSatellites = 256

    /// A satellite list, which may be split across several GSV sentences.
    private struct List {
        var talker: (UInt8, UInt8)
        var signal, sentences: Int
        /// The number of sentences received so far. Sentences must arrive in order.
        var received: Int
        var isComplete: Bool { received == sentences }
        var satellites: [Satellite]
    }

    private var lists: [List] = []
    /// True if a GSV sentence was out of order or exceeded a limit, in which case the report has no satellites.
    private var isInvalid = false
    /// The satellites used for the fix, from the last epoch that contained a GSA sentence. Kept across epochs, because
    /// an epoch may contain GSV sentences but no GSA.
    private var used: [SatelliteIdentity] = []
    private var hasGSA = false
    private var report = SkyReport()
    private var ggaUsedCount = -1
    private var ggaHDOP = Double.nan
    /// The fix mode in GSA: 0 for no GSA, 1 for no fix, 2 for a two-dimensional fix, 3 for a three-dimensional fix.
    private(set) var mode = 0

    /// Records values from GGA, which are used if the epoch's other sentences lack them.
    mutating func record(usedCount: Int?, hdop: Double) {
        if let usedCount { ggaUsedCount = usedCount }
        if !hdop.isNaN { ggaHDOP = hdop }
    }

    /// Reads GSA: `A,3,…twelve satellites…,pdop,hdop,vdop`, followed by the system ID since version 4.10.
    mutating func readUsed(_ sentence: NMEASentence) {
        if let mode = sentence[1].unsignedInteger, (1...3).contains(mode) { self.mode = max(self.mode, mode) }
        if !hasGSA { used.removeAll(keepingCapacity: true) }
        hasGSA = true
        let number = sentence[17].hexadecimalDigit ?? 0
        let system = (1...6).contains(number) ? NMEASystem(number: number) : NMEASystem(talker: sentence.talker)
        for index in 2..<14 {
            guard let number = sentence[index].unsignedInteger, let identity = SatelliteIdentity(number, in: system),
                !used.contains(identity)
            else { continue }
            used.append(identity)
        }
        report.pdop = Self.dilution(sentence[14], else: report.pdop)
        report.hdop = Self.dilution(sentence[15], else: report.hdop)
        report.vdop = Self.dilution(sentence[16], else: report.vdop)
    }

    private static func dilution(_ field: NMEAField, else other: Double) -> Double {
        let value = field.nonnegativeNumber
        return value.isNaN ? other : value
    }

    /// Reads GSV: `number of sentences,index of this sentence,satellites in view`, then four fields for each satellite,
    /// followed by the signal ID since version 4.10.
    mutating func readInView(_ sentence: NMEASentence) { if !appendSatellites(of: sentence) { isInvalid = true } }

    /// Appends the satellites in a GSV sentence. Returns false if the sentence is out of order or exceeds a limit.
    private mutating func appendSatellites(of sentence: NMEASentence) -> Bool {
        guard let count = sentence[0].unsignedInteger, count <= Self.maximumSentences,
            let number = sentence[1].unsignedInteger, number >= 1, number <= count
        else { return false }
        let rest = sentence.count - 3
        let signal = rest > 0 && rest % 4 == 1 ? sentence[sentence.count - 1].hexadecimalDigit ?? 0 : 0
        let knownIndex = lists.firstIndex { $0.talker == sentence.talker && $0.signal == signal }
        if number == 1 {
            let list = List(talker: sentence.talker, signal: signal, sentences: count, received: 0, satellites: [])
            if let knownIndex {
                lists[knownIndex] = list
            } else if lists.count < Self.maximumLists {
                lists.append(list)
            } else {
                return false
            }
        }
        guard let index = knownIndex ?? (number == 1 ? lists.indices.last : nil), lists[index].sentences == count,
            lists[index].received == number - 1
        else { return false }
        lists[index].received = number
        let system = NMEASystem(talker: sentence.talker)
        var field = 3
        while field + 1 < sentence.count {
            if let satellite = Self.satellite(sentence, field, system, signal) {
                guard lists[index].satellites.count < Self.maximumSatellites else { return false }
                lists[index].satellites.append(satellite)
            }
            field += 4
        }
        return true
    }

    private static func satellite(
        _ sentence: NMEASentence, _ field: Int, _ system: NMEASystem?, _ signal: Int
    ) -> Satellite? {
        guard let number = sentence[field].unsignedInteger, number > 0 else { return nil }
        var satellite = Satellite()
        if let identity = SatelliteIdentity(number, in: system) {
            satellite.number = identity.extendedNumber
            satellite.system = identity.system
            satellite.systemNumber = Int32(identity.identifier)
            if signal > 0 {
                satellite.signalIdentifier = SignalIdentifier.ubloxIdentifier(of: signal, system: identity.system)
            }
        } else {
            satellite.number = Int32(truncatingIfNeeded: number)
        }
        satellite.elevation = sentence[field + 1].number
        satellite.azimuth = sentence[field + 2].nonnegativeNumber
        satellite.signal = sentence[field + 3].nonnegativeNumber
        if !(satellite.elevation.magnitude <= 90) { satellite.elevation = .nan }
        if !(satellite.azimuth <= 360) { satellite.azimuth = .nan }
        return satellite
    }

    /// Ends the epoch and returns its report, or nil if the epoch contains no satellite data. Resets everything except
    /// `used`.
    mutating func finishEpoch(counts: inout NMEACounts) -> SkyReport? {
        defer {
            let used = used
            self = SkyAssembler()
            self.used = used
        }
        if report.hdop.isNaN { report.hdop = ggaHDOP }
        var hasData = hasGSA || !report.hdop.isNaN
        if isInvalid || !lists.allSatisfy(\.isComplete) {
            counts.incompleteSkies += 1
        } else if !lists.isEmpty {
            var satellites = lists.flatMap(\.satellites)
            for index in satellites.indices {
                guard let identity = SatelliteIdentity(satellites[index]) else { continue }
                satellites[index].isUsed = used.contains(identity)
            }
            report.satellites = satellites
            report.visibleCount = Int32(truncatingIfNeeded: satellites.count)
            report.usedCount = Int32(truncatingIfNeeded: satellites.count { $0.isUsed })
            hasData = true
        }
        // For the number of satellites used, GSA takes precedence over GSV, and GSV takes precedence over GGA.
        if hasGSA {
            report.usedCount = Int32(truncatingIfNeeded: used.count)
        } else if ggaUsedCount >= 0, report.usedCount <= 0 {
            report.usedCount = Int32(truncatingIfNeeded: ggaUsedCount)
        }
        return hasData ? report : nil
    }
}
