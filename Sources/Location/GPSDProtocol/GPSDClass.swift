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

    /// The class of that name.
    init(_ name: JSONText) {
        self =
            switch name.word {
            case JSONText.word("TPV"): .tpv
            case JSONText.word("SKY"): .sky
            case JSONText.word("ATT"): .att
            case JSONText.word("VERSION"): .version
            case JSONText.word("DEVICES"): .devices
            case JSONText.word("DEVICE"): .device
            case JSONText.word("WATCH"): .watch
            case JSONText.word("ERROR"): .error
            case JSONText.word("POLL"): .poll
            case JSONText.word("PPS"): .pps
            case JSONText.word("TOFF"): .toff
            case JSONText.word("OSC"): .osc
            case JSONText.word("GST"): .gst
            case JSONText.word("IMU"): .imu
            case JSONText.word("RAW"): .raw
            case JSONText.word("SUBFRAME"): .subframe
            case JSONText.word("AIS"): .ais
            case JSONText.word("RTCM2"): .rtcm2
            case JSONText.word("RTCM3"): .rtcm3
            default: .unknown
            }
    }
}
