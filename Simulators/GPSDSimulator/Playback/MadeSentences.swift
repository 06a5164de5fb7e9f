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
