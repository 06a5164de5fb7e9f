// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

extension TestDevice {
    /// Feeds 50 accelerometer readings per second of a user who walks at a cadence in steps per second, or rests if the
    /// cadence is 0.
    func walk(from start: Double, seconds: Double, cadence: Double) {
        for index in 0..<Int(seconds * 50) {
            let time = start + Double(index) / 50
            feed(.accelerometer, [0, 0, 9.80665 + 3 * sin(2 * .pi * cadence * time)], at: time)
        }
    }

    /// Signals that no further readings follow, as at the end of a trace.
    func end() {
        hub.postInputIdle()
        playback?.run()
    }

    /// Returns the wall-clock time at an offset from the start, in seconds.
    func date(_ seconds: Double) -> Date {
        Date(timeIntervalSince1970: Self.wallStart.advanced(bySeconds: seconds).seconds)
    }

    /// Sets the last fix to one with the given speed and the current time.
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
