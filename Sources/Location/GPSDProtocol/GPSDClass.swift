// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// The classes of gpsd's JSON objects.
package enum GPSDClass: Sendable {
    /// Position, speed and time.
    case tpv
    /// Satellites in view.
    case sky
    /// Attitude.
    case att
    /// Release and protocol version of the server.
    case version
    /// The list of receivers.
    case devices
    /// One receiver.
    case device
    /// The watch policy of the client.
    case watch
    /// A rejected request.
    case error
    /// The response to a poll request.
    case poll
    /// Pulse per second.
    case pps
    /// The offset between receiver time and system time.
    case toff
    /// The state of a disciplined oscillator.
    case osc
    /// Pseudorange noise statistics.
    case gst
    /// Data of an inertial measurement unit.
    case imu
    /// Raw measurements.
    case raw
    /// A navigation message subframe.
    case subframe
    /// AIS messages of ships.
    case ais
    /// Differential corrections, RTCM version 2.
    case rtcm2
    /// Differential corrections, RTCM version 3.
    case rtcm3
    /// Any other class.
    case unknown

    /// Creates the class from its name in a report.
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
