// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// What to listen to, and how to print it.
struct ListenerPlan {
    var stream: StreamName
    var asJSON: Bool
    /// True to draw readings again and again in a terminal.
    var isLive = false
    var limit: Int?
    /// Seconds between readings of motion.
    var interval: Double
    var everyReport = false
    var receiver: String?

    /// The listener, made where its manager belongs. The clock is the one of its device.
    @MainActor func listener(clock: any DeviceClock, output: StandardOutput, stop: Stop) -> any StreamListener {
        switch stream {
        case .location:
            let printer: any CallbackPrinter =
                asJSON
                ? JSONCallbackPrinter(output: output)
                : TableCallbackPrinter(output: output, clock: { clock.wallTime })
            return LocationListener(
                printer: printer, stop: stop, limit: limit, everyReport: everyReport, receiver: receiver)
        case .pressure:
            return AltitudeListener(printer: motionPrinter(output), stop: stop, limit: limit)
        case .orientation:
            return OrientationListener(clock: clock, printer: motionPrinter(output), stop: stop, limit: limit)
        case .accelerometer, .gyro, .magnetometer:
            return MotionListener(
                stream, interval: interval, printer: motionPrinter(output), stop: stop, limit: limit)
        }
    }

    private func motionPrinter(_ output: StandardOutput) -> any MotionPrinter {
        if asJSON { return JSONMotionPrinter(output: output) }
        guard isLive else { return LineMotionPrinter(output: output) }
        // Pictures are drawn in real time, also of a trace.
        let columns = DemoTerminal(.standardOutput).measure().width
        // A row that is broken in two cannot be drawn over.
        guard columns >= LiveMotionPrinter.leastColumns else { return LineMotionPrinter(output: output) }
        return LiveMotionPrinter(output: output, clock: LiveClock(), columns: columns)
    }

    /// What one update of the stream is called.
    var noun: String { stream == .location ? "locations" : "readings" }
}
