// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// The classes of gpsd's JSON objects.
package enum GPSDClass: Sendable {
    /// Position, satellites in view and attitude.
    case tpv, sky, att
    /// Service messages.
    case version, devices, device, watch, error, poll
    /// Time synchronization and oscillators.
    case pps, toff, osc
    /// Pseudorange noise statistics, inertial data, raw measurements and navigation message subframes.
    case gst, imu, raw, subframe
    /// Ship reports, and RTCM 2 and RTCM 3 differential corrections.
    case ais, rtcm2, rtcm3
    case unknown

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
