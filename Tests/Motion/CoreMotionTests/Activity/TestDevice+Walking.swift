// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

extension TestDevice {
    /// Somebody who walks so many steps a second, or rests; 50 readings a second from that second on.
    func walk(from start: Double, seconds: Double, cadence: Double) {
        for index in 0..<Int(seconds * 50) {
            let time = start + Double(index) / 50
            feed(.accelerometer, [0, 0, 9.80665 + 3 * sin(2 * .pi * cadence * time)], at: time)
        }
    }

    /// Nothing follows, as at the end of a trace.
    func end() {
        hub.postQuiet()
        playback?.run()
    }

    /// The civil time so many seconds after the start.
    func date(_ seconds: Double) -> Date {
        Date(timeIntervalSince1970: Self.wallStart.advanced(bySeconds: seconds).seconds)
    }

    /// A fix of that speed, now.
    func move(speed: Double, error: Double = 5) {
        var report = PositionReport()
        report.mode = .threeDimensional
        (report.latitude, report.longitude) = (48, 11)
        report.speed = speed
        report.horizontalError = error
        report.arrival = clock.now
        positions.set(report)
    }
}
