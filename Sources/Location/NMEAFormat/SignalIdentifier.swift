// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

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
