// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The satellite systems as sentences tell them apart.
struct NMEASystem: Hashable, Comparable {
    /// NMEA 4.11's number, as in the last field of GSA: 1 GPS with SBAS, 2 GLONASS, 3 Galileo, 4 BeiDou, 5 QZSS, 6 NavIC.
    var number: Int

    static let gps = NMEASystem(number: 1)
    static let glonass = NMEASystem(number: 2)
    static let galileo = NMEASystem(number: 3)
    static let beiDou = NMEASystem(number: 4)
    static let qzss = NMEASystem(number: 5)
    static let navIC = NMEASystem(number: 6)

    static func < (left: NMEASystem, right: NMEASystem) -> Bool { left.number < right.number }

    /// The second letters of the systems' talkers, by their numbers; the first is G.
    private static let letters = Array("PLABQI".utf8)

    /// The talker of sentences about this system alone.
    var talker: String {
        let letter = Self.letters.indices.contains(number - 1) ? Self.letters[number - 1] : Self.letters[0]
        return String(decoding: [UInt8(ascii: "G"), letter], as: UTF8.self)
    }

    /// The system of a talker; nil when it speaks for several, or is not a receiver of satellites.
    init?(talker: (UInt8, UInt8)) {
        switch talker {
        case (UInt8(ascii: "B"), UInt8(ascii: "D")): self = .beiDou
        case (UInt8(ascii: "Q"), UInt8(ascii: "Z")): self = .qzss
        case (UInt8(ascii: "G"), let letter):
            guard let place = Self.letters.firstIndex(of: letter) else { return nil }
            number = place + 1
        default: return nil
        }
    }

    init(number: Int) { self.number = number }
}

/// A satellite's system and its number there.
struct SatelliteIdentity: Hashable {
    var system: Satellite.System
    var number: Int

    /// What gpsd's report says of a satellite: the system and the number within it, else the range of its PRN. Nil when
    /// it fits nothing.
    init?(_ satellite: Satellite) {
        if let system = satellite.system, satellite.systemNumber > 0 {
            self.init(system: system, number: Int(satellite.systemNumber))
            return
        }
        self.init(extended: Int(satellite.number))
    }

    init(system: Satellite.System, number: Int) {
        self.system = system
        self.number = number
    }

    /// A number of which only the range tells the system: NMEA's for the older systems, and u-blox's and gpsd's extension
    /// of it for the newer.
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

    /// A number in a sentence about one system.
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

    /// The system whose sentences it stands in.
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

    /// Its number in the sentences of its system; nil when they have none for it.
    var sentenceNumber: Int? {
        let result =
            switch system {
            case .sbas: number >= 120 && number <= 151 ? number - 87 : number
            case .glonass: number <= 32 ? number + 64 : number
            case .imes: number + 172
            default: number
            }
        return (1...999).contains(result) ? result : nil
    }

    /// gpsd's number of it, which no other system shares.
    var extendedNumber: Int32 {
        switch system {
        case .gps: Int32(number)
        case .sbas: Int32(number >= 120 && number <= 151 ? number - 87 : number)
        case .glonass: Int32(number + 64)
        case .imes: Int32(number + 172)
        case .qzss: Int32(number + 192)
        case .galileo: Int32(number + 300)
        case .beiDou: Int32(number + 400)
        case .navIC: Int32(number + 499)
        }
    }
}

/// The numbers of satellites' signals: NMEA 4.11's in sentences, u-blox's in gpsd's reports.
enum SignalIdentifier {
    /// Pairs of u-blox's number and NMEA's, the one that is preferred in return first.
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

    /// NMEA's number; nil when there is none.
    static func sentence(_ report: Int32, _ system: Satellite.System) -> Int? {
        pairs(system).first { $0.report == report }?.sentence
    }

    /// u-blox's number; -1 when there is none.
    static func report(_ sentence: Int, _ system: Satellite.System) -> Int32 {
        pairs(system).first { $0.sentence == sentence }?.report ?? -1
    }
}
