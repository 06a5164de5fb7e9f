// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// The classes of gpsd's reports.
package enum GPSDClass: Sendable {
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

    private static let named: [UInt64: GPSDClass] = [
        JSONText.word("TPV"): .tpv, JSONText.word("SKY"): .sky, JSONText.word("ATT"): .att,
        JSONText.word("VERSION"): .version, JSONText.word("DEVICES"): .devices, JSONText.word("DEVICE"): .device,
        JSONText.word("WATCH"): .watch, JSONText.word("ERROR"): .error, JSONText.word("POLL"): .poll,
        JSONText.word("PPS"): .pps, JSONText.word("TOFF"): .toff, JSONText.word("OSC"): .osc,
        JSONText.word("GST"): .gst, JSONText.word("IMU"): .imu, JSONText.word("RAW"): .raw,
        JSONText.word("SUBFRAME"): .subframe, JSONText.word("AIS"): .ais, JSONText.word("RTCM2"): .rtcm2,
        JSONText.word("RTCM3"): .rtcm3,
    ]

    /// The class of that name.
    init(_ name: JSONText) { self = Self.named[name.word] ?? .unknown }
}
