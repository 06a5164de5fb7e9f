// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A satellite system, with the identifiers used in sentences.
struct NMEASystem: Hashable, Comparable {
    /// The NMEA 4.11 system ID, as in the last field of GSA.
    var identifier: Int

    static let gps = NMEASystem(number: 1)
    static let glonass = NMEASystem(number: 2)
    static let galileo = NMEASystem(number: 3)
    static let beiDou = NMEASystem(number: 4)
    static let qzss = NMEASystem(number: 5)
    static let navIC = NMEASystem(number: 6)

    static func < (left: NMEASystem, right: NMEASystem) -> Bool { left.identifier < right.identifier }

    /// The second letter of each system's talker, in the order of the system IDs. The first letter is always G.
    private static let letters = Array("PLABQI".utf8)

    var talker: String {
        let letter = Self.letters.indices.contains(identifier - 1) ? Self.letters[identifier - 1] : Self.letters[0]
        return String(decoding: [UInt8(ascii: "G"), letter], as: UTF8.self)
    }

    /// Creates the system that a talker represents. Returns nil if the talker represents several systems or is not a
    /// GNSS receiver.
    init?(talker: (UInt8, UInt8)) {
        switch talker {
        case (UInt8(ascii: "B"), UInt8(ascii: "D")): self = .beiDou
        case (UInt8(ascii: "Q"), UInt8(ascii: "Z")): self = .qzss
        case (UInt8(ascii: "G"), let letter):
            guard let index = Self.letters.firstIndex(of: letter) else { return nil }
            identifier = index + 1
        default: return nil
        }
    }

    init(number: Int) { self.identifier = number }
}

/// A satellite's system, and its number within the system.
struct SatelliteIdentity: Hashable {
    var system: Satellite.System
    var identifier: Int

    /// Creates the identity of a satellite in a gpsd report. If the satellite's system is unknown, the identity is
    /// derived from the PRN. Returns nil if the PRN is not in a known range.
    init?(_ satellite: Satellite) {
        if let system = satellite.system, satellite.systemNumber > 0 {
            self.init(system: system, number: Int(satellite.systemNumber))
            return
        }
        self.init(extended: Int(satellite.number))
    }

    init(system: Satellite.System, number: Int) { (self.system, self.identifier) = (system, number) }

    /// Creates the identity from a satellite number that also determines the system. The numbers of older systems are
    /// in the NMEA ranges, and those of newer systems are in the extended ranges of u-blox and gpsd.
    init?(extended number: Int) {
        switch number {
        case 1...32: self.init(system: .gps, number: number)
        case 33...64: self.init(system: .sbas, number: number + 87)
        case 65...96: self.init(system: .glonass, number: number - 64)
        case 120...158: self.init(system: .sbas, number: number)
        case 173...182: self.init(system: .imes, number: number - 172)
        case 193...202: self.init(system: .qzss, number: number - 192)
        case 203...264: self.init(system: .beiDou, number: number - 200)
        case 301...336: self.init(system: .galileo, number: number - 300)
        case 401...463: self.init(system: .beiDou, number: number - 400)
        case 500...509: self.init(system: .navIC, number: number - 499)
        default: return nil
        }
    }

    /// Creates the identity from a satellite number in a sentence of the given system. If the number is outside the
    /// system's range, it is looked up in the extended ranges.
    init?(_ number: Int, in system: NMEASystem?) {
        switch (system, number) {
        case (.glonass?, 1...32): self.init(system: .glonass, number: number)
        case (.galileo?, 1...36): self.init(system: .galileo, number: number)
        case (.beiDou?, 1...64): self.init(system: .beiDou, number: number)
        case (.beiDou?, 201...264): self.init(system: .beiDou, number: number - 200)
        case (.qzss?, 1...10): self.init(system: .qzss, number: number)
        case (.navIC?, 1...15): self.init(system: .navIC, number: number)
        default: self.init(extended: number)
        }
    }

    /// The system whose sentences list the satellite.
    var group: NMEASystem {
        switch system {
        case .gps, .sbas, .imes: .gps
        case .glonass: .glonass
        case .galileo: .galileo
        case .beiDou: .beiDou
        case .qzss: .qzss
        case .navIC: .navIC
        }
    }

    /// The number that identifies the satellite in the sentences of `group`, or nil if there is none.
    var sentenceNumber: Int? {
        let result =
            switch system {
            case .sbas: identifier >= 120 && identifier <= 151 ? identifier - 87 : identifier
            case .glonass: identifier <= 32 ? identifier + 64 : identifier
            case .imes: identifier + 172
            default: identifier
            }
        return (1...999).contains(result) ? result : nil
    }

    /// The satellite number in gpsd's `PRN`, which is unique across all systems.
    var extendedNumber: Int32 {
        switch system {
        case .gps: Int32(identifier)
        case .sbas: Int32(identifier >= 120 && identifier <= 151 ? identifier - 87 : identifier)
        case .glonass: Int32(identifier + 64)
        case .imes: Int32(identifier + 172)
        case .qzss: Int32(identifier + 192)
        case .galileo: Int32(identifier + 300)
        case .beiDou: Int32(identifier + 400)
        case .navIC: Int32(identifier + 499)
        }
    }
}

/// Converts between the NMEA 4.11 signal IDs in sentences and the u-blox signal IDs in gpsd reports.
enum SignalIdentifier {
    /// The pairs of u-blox and NMEA signal IDs. Several u-blox IDs can share an NMEA ID. The first pair with an NMEA ID
    /// is used to convert it to a u-blox ID.
    private static func pairs(_ system: Satellite.System) -> [(report: Int32, sentence: Int)] {
        switch system {
        case .gps: [(0, 1), (4, 5), (3, 6), (6, 7), (7, 8)]
        case .galileo: [(0, 7), (1, 7), (3, 1), (4, 1), (5, 2), (6, 2)]
        case .beiDou: [(0, 1), (1, 1), (2, 11), (3, 11), (5, 3), (6, 3), (7, 5), (8, 5)]
        case .glonass: [(0, 1), (2, 3)]
        case .qzss: [(0, 1), (1, 4), (4, 5), (5, 6), (8, 7), (9, 8)]
        case .sbas, .navIC, .imes: [(0, 1)]
        }
    }

    /// Returns the NMEA signal ID, or nil if there is none.
    static func nmeaIdentifier(of report: Int32, system: Satellite.System) -> Int? {
        pairs(system).first { $0.report == report }?.sentence
    }

    /// Returns the u-blox signal ID, or -1 if there is none.
    static func ubloxIdentifier(of sentence: Int, system: Satellite.System) -> Int32 {
        pairs(system).first { $0.sentence == sentence }?.report ?? -1
    }
}
