// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SimulatedDevice
import Trace

/// Small traces, written out so that a test shows what it plays.
enum Drives {
    /// One TPV line. The second is that of the time 2026-05-01T10:00:00Z plus it.
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

    /// A simulated device that plays the lines.
    static func device(
        _ lines: [String], configuration: Configuration = Configuration(), stamps: TraceStamps = .kept,
        delivery: SimulatedDevice.CallbackDelivery = .inOrder
    ) throws -> SimulatedDevice {
        let text = lines.joined(separator: "\n") + "\n"
        return SimulatedDevice(
            try TraceFile(bytes: Array(text.utf8), name: "test"), configuration: configuration, stamps: stamps,
            delivery: delivery)
    }

    /// Seconds from 2026-05-01T10:00:00Z. 1,777,629,600 is what `date -u -d 2026-05-01T10:00:00Z +%s` prints.
    static func second(_ date: Date) -> Double { date.timeIntervalSince1970 - 1_777_629_600 }
}
