// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import NMEAFormat

/// Sentences of NMEA 0183 that are made of reports, for traces that do not have the receiver's own.
enum MadeSentences {
    /// The sentences of a report, without line ends; none for reports that sentences have nothing for.
    ///
    /// - Parameter sky: the satellites that go with a position; nil when they were told before.
    static func sentences(_ report: GPSDReport, _ sky: SkyReport?) -> [[UInt8]] {
        switch report {
        case .position(let position): NMEAEncoder.sentences(position, sky: sky)
        case .attitude(let attitude): NMEAEncoder.sentences(attitude)
        default: []
        }
    }
}

extension GPSDReport {
    /// The same with its time moved by that many nanoseconds.
    func moved(by shift: Int64) -> GPSDReport {
        func moved(_ time: WallTime?) -> WallTime? {
            time.map { WallTime(nanoseconds: $0.nanoseconds.addingSaturated(shift)) }
        }
        guard shift != 0 else { return self }
        switch self {
        case .position(var report):
            report.time = moved(report.time)
            return .position(report)
        case .sky(var report):
            report.time = moved(report.time)
            return .sky(report)
        case .attitude(var report):
            report.time = moved(report.time)
            return .attitude(report)
        default: return self
        }
    }
}
