// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Encodes the GSA and GSV sentences of a sky report. Also provides the epoch's talker and the values for GGA.
struct SkySentences {
    private static let satellitesOfGSA = 12
    private static let satellitesOfGSV = 4
    /// The maximum number of satellites in a list. The limit is 99 because the field for the number of satellites has
    /// two digits.
    private static let maximumSatellites = 99

    private let report: SkyReport
    private let satellites: [(identity: SatelliteIdentity, satellite: Satellite)]
    /// The systems of the satellites used for the fix, or of the satellites in view if none are used.
    private let systems: [NMEASystem]

    init(_ report: SkyReport) {
        self.report = report
        // Limits the number of sentences and the encoding time, because a report may contain any number of satellites.
        satellites = (report.satellites ?? []).prefix(1000).compactMap { satellite in
            guard let identity = SatelliteIdentity(satellite), identity.sentenceNumber != nil else { return nil }
            return (identity, satellite)
        }
        let used = Set(satellites.filter(\.satellite.isUsed).map(\.identity.group))
        systems = (used.isEmpty ? Set(satellites.map(\.identity.group)) : used).sorted()
    }

    var talker: String {
        switch systems.count {
        case 0: "GP"
        case 1: systems[0].talker
        default: "GN"
        }
    }

    /// The number of satellites used for the fix, or -1 if unknown.
    var usedCount: Int {
        if report.usedCount >= 0 { return min(Int(report.usedCount), 999) }
        return report.satellites == nil ? -1 : satellites.count { $0.satellite.isUsed }
    }

    var hdop: Double { report.hdop }

    /// Returns one GSA sentence for each system. If there are no systems, returns one sentence without satellites.
    func gsaSentences(mode: FixMode) -> [[UInt8]] {
        let groups: [NMEASystem?] = systems.isEmpty ? [nil] : systems.map { $0 }
        return groups.map { group in
            var text = NMEASentenceBuilder(talker, "GSA")
            text.appendText("A")
            text.appendInteger(max(Int(mode.rawValue), 1))
            // The report lists a satellite once for each received signal, but GSA must contain it only once.
            var numbers: [Int] = []
            for (identity, satellite) in satellites where satellite.isUsed && identity.group == group {
                guard let number = identity.sentenceNumber, !numbers.contains(number) else { continue }
                numbers.append(number)
            }
            for number in numbers.prefix(Self.satellitesOfGSA) { text.appendInteger(number, digits: 2) }
            text.appendEmpty(max(Self.satellitesOfGSA - numbers.count, 0))
            text.appendNumber(report.pdop, decimals: 2)
            text.appendNumber(report.hdop, decimals: 2)
            text.appendNumber(report.vdop, decimals: 2)
            // Different systems use the same satellite numbers. The system ID is therefore added if there are several
            // systems, or if the system is neither GPS nor GLONASS.
            if let group, systems.count > 1 || group.identifier > 2 { text.appendInteger(group.identifier) }
            return text.finish()
        }
    }

    /// Returns the GSV sentences of all satellites in view, grouped by system and, if known, by signal.
    func gsvSentences() -> [[UInt8]] {
        struct Group: Hashable {
            var system: NMEASystem
            var signal: Int?
        }
        guard report.satellites != nil else { return [] }
        var members: [Group: [(number: Int, satellite: Satellite)]] = [:]
        for (identity, satellite) in satellites {
            guard let number = identity.sentenceNumber else { continue }
            let signal = SignalIdentifier.nmeaIdentifier(of: satellite.signalIdentifier, system: identity.system)
            members[Group(system: identity.group, signal: signal), default: []].append((number, satellite))
        }
        if members.isEmpty { members[Group(system: .gps, signal: nil)] = [] }
        let order = members.keys.sorted {
            ($0.system.identifier, $0.signal ?? 0) < ($1.system.identifier, $1.signal ?? 0)
        }
        var sentences: [[UInt8]] = []
        for group in order {
            let listed = (members[group] ?? []).prefix(Self.maximumSatellites)
            let count = max((listed.count + Self.satellitesOfGSV - 1) / Self.satellitesOfGSV, 1)
            for index in 0..<count {
                var text = NMEASentenceBuilder(group.system.talker, "GSV")
                text.appendInteger(count)
                text.appendInteger(index + 1)
                text.appendInteger(listed.count, digits: 2)
                for (number, satellite) in listed.dropFirst(index * Self.satellitesOfGSV).prefix(Self.satellitesOfGSV) {
                    text.appendInteger(number, digits: 2)
                    let (elevation, azimuth, signal) = (satellite.elevation, satellite.azimuth, satellite.signal)
                    text.appendNumber((-90...90).contains(elevation) ? elevation : .nan, decimals: 0, width: 2)
                    text.appendDirection((0...360).contains(azimuth) ? azimuth : .nan, decimals: 0, width: 3)
                    // The field has two digits. It is empty for 0, which gpsd reports for an untracked satellite.
                    text.appendNumber(signal > 0 && signal < 99.5 ? signal : .nan, decimals: 0, width: 2)
                }
                if let signal = group.signal {
                    text.appendCharacter(NMEASentenceBuilder.hexadecimalDigit(UInt8(truncatingIfNeeded: signal)))
                }
                sentences.append(text.finish())
            }
        }
        return sentences
    }
}
