// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// The classes of gpsd's reports.
public enum GPSDClass: UInt8, Sendable {
    /// Position.
    case tpv
    /// Satellites.
    case sky
    /// Attitude.
    case att
    /// Server release and protocol.
    case version
    /// List of receivers.
    case devices
    /// One receiver.
    case device
    /// What is watched.
    case watch
    /// A refused request.
    case error
    /// Answer to a poll.
    case poll
    /// Pulse per second.
    case pps
    /// Time offset.
    case toff
    /// Oscillator.
    case osc
    /// Pseudorange noise statistics.
    case gst
    /// Inertial unit.
    case imu
    /// Raw measurements.
    case raw
    /// Navigation message subframe.
    case subframe
    /// Ships.
    case ais
    /// Differential corrections, version 2.
    case rtcm2
    /// Differential corrections, version 3.
    case rtcm3
    /// A class that this list does not know.
    case unknown
}

extension GPSDClass {
    /// The names in the order of the cases.
    private static let words = [
        JSONText.word("TPV"), JSONText.word("SKY"), JSONText.word("ATT"), JSONText.word("VERSION"),
        JSONText.word("DEVICES"), JSONText.word("DEVICE"), JSONText.word("WATCH"), JSONText.word("ERROR"),
        JSONText.word("POLL"), JSONText.word("PPS"), JSONText.word("TOFF"), JSONText.word("OSC"),
        JSONText.word("GST"), JSONText.word("IMU"), JSONText.word("RAW"), JSONText.word("SUBFRAME"),
        JSONText.word("AIS"), JSONText.word("RTCM2"), JSONText.word("RTCM3"),
    ]

    /// The class of that name.
    init(_ name: JSONText) {
        self = Self.words.firstIndex(of: name.word).flatMap { GPSDClass(rawValue: UInt8($0)) } ?? .unknown
    }
}
