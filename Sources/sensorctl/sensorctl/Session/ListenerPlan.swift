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
    /// What device motion is measured against.
    var frame = FrameName.arbitrary
    /// The edge whose heading is told.
    var edge = EdgeName.portrait
    /// The time that is called zero: the start of a trace, boot elsewhere.
    var origin = BootTime.zero
    /// False to keep the output to readings where several sensors make them: an error then is a note.
    var tellsErrors = true

    /// The listener, made where its manager belongs.
    @MainActor func listener(on device: Device, output: StandardOutput, stop: Stop) -> any StreamListener {
        let clock = device.clock
        switch stream {
        case .location:
            let printer: any CallbackPrinter =
                asJSON
                ? JSONCallbackPrinter(output: output)
                : TableCallbackPrinter(output: output, clock: { clock.wallTime })
            return LocationListener(
                printer: printer, stop: stop, limit: limit, everyReport: everyReport, receiver: receiver)
        case .accessories:
            let printer: any AccessoryPrinter =
                asJSON ? JSONAccessoryPrinter(output: output) : LineAccessoryPrinter(output: output)
            return AccessoryListener(clock: clock, printer: printer, stop: stop, limit: limit)
        case .pressure:
            return AltitudeListener(printer: motionPrinter(output), stop: stop, limit: limit)
        case .orientation:
            return OrientationListener(clock: clock, printer: motionPrinter(output), stop: stop, limit: limit)
        case .deviceMotion:
            // Only a picture shows what Core Motion has no words for.
            let tap = drawsPictures() ? FusionTap(device) : nil
            return DeviceMotionListener(
                frame: frame, interval: interval, origin: origin, tap: tap, printer: readingPrinter(output), stop: stop,
                limit: limit)
        case .heading:
            return HeadingListener(
                edge: edge, interval: interval, origin: origin, clock: clock, printer: readingPrinter(output),
                stop: stop, limit: limit)
        case .accelerometer, .gyro, .magnetometer:
            return MotionListener(
                stream, interval: interval, printer: motionPrinter(output), stop: stop, limit: limit)
        }
    }

    private func motionPrinter(_ output: StandardOutput) -> any MotionPrinter {
        if asJSON { return JSONMotionPrinter(output: output) }
        guard drawsPictures(rows: 6) else { return LineMotionPrinter(output: output) }
        // Pictures are drawn in real time, also of a trace.
        let columns = DemoTerminal(.standardOutput).measure().width
        return LiveMotionPrinter(output: output, clock: LiveClock(), columns: columns)
    }

    private func readingPrinter<Value: FusedReading>(_ output: StandardOutput) -> any ReadingPrinter<Value> {
        if asJSON { return JSONReadingPrinter<Value>(output: output, tellsErrors: tellsErrors) }
        guard drawsPictures() else { return LineReadingPrinter<Value>(output: output) }
        return PictureReadingPrinter<Value>(output: output, clock: LiveClock())
    }

    /// A row that is broken in two cannot be drawn over, nor one that has left the screen.
    private func drawsPictures(rows: Int = PictureSize.leastRows) -> Bool {
        guard !asJSON, isLive else { return false }
        let size = DemoTerminal(.standardOutput).measure()
        return size.width >= PictureSize.leastColumns && size.height >= rows
    }

    /// What one update of the stream is called.
    var noun: String {
        switch stream {
        case .location: "locations"
        case .accessories: "changes"
        default: "readings"
        }
    }
}
