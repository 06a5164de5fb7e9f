// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SimulatedDevice
import Trace

/// Short traces, written out in the tests that play them.
enum Drives {
    /// Returns a TPV report. Its time is 2026-05-01T10:00:00Z plus `second`.
    static func report(
        _ second: Double, latitude: Double? = nil, longitude: Double = 11, mode: Int = 3, eph: Double? = 5,
        device: String = "/dev/ttyACM0", more: String = ""
    ) -> String {
        let whole = Int(second)
        let milliseconds = Int(((second - Double(whole)) * 1000).rounded())
        let time = String(
            format: "2026-05-01T%02d:%02d:%02d.%03dZ", 10 + whole / 3600, whole / 60 % 60, whole % 60, milliseconds)
        var text = "{\"class\":\"TPV\",\"device\":\"\(device)\",\"mode\":\(mode),\"time\":\"\(time)\""
        if let latitude { text += ",\"lat\":\(latitude),\"lon\":\(longitude)" }
        if let eph { text += ",\"eph\":\(eph)" }
        return text + more + "}"
    }

    /// Returns a simulated device that plays the lines.
    static func device(
        _ lines: [String], configuration: Configuration = Configuration(), stamps: TimestampPolicy = .recorded,
        delivery: SimulatedDevice.CallbackDelivery = .inOrder
    ) throws -> SimulatedDevice {
        let text = lines.joined(separator: "\n") + "\n"
        return SimulatedDevice(
            try TraceFile(bytes: Array(text.utf8), name: "test"), configuration: configuration, stamps: stamps,
            delivery: delivery)
    }

    /// Returns the seconds since 2026-05-01T10:00:00Z. `date -u -d 2026-05-01T10:00:00Z +%s` prints 1777629600.
    static func second(_ date: Date) -> Double { date.timeIntervalSince1970 - 1_777_629_600 }
}
