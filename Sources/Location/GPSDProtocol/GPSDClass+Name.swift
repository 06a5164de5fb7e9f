// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import JSONBytes

extension GPSDClass {
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
