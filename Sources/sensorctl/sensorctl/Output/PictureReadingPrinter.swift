// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Draws readings in a terminal, again and again in the same place.
final class PictureReadingPrinter<Value: FusedReading>: ReadingPrinter {
    private let clock: any DeviceClock
    private let terminal: DemoTerminal
    private let output: StandardOutput
    private let ink = Ink(.standardOutput)
    private var painter: RowPainter
    private var lastDrawn: BootTime?
    private var recent: [Double] = []

    /// - Parameter clock: says when to draw again.
    init(output: StandardOutput, clock: any DeviceClock) {
        self.output = output
        self.clock = clock
        terminal = DemoTerminal(.standardOutput)
        painter = RowPainter(output: output)
    }

    func print(_ reading: Value) {
        // A clock that went back, as when a trace starts again, begins anew.
        if let last = recent.last, reading.timestamp <= last { recent = [] }
        recent.append(reading.timestamp)
        if recent.count > 50 { recent.removeFirst() }
        let now = clock.now
        if let lastDrawn, now.seconds(since: lastDrawn) < RowPainter.pause { return }
        lastDrawn = now
        let size = terminal.measure()
        // The row below the picture is the cursor's.
        let canvas = reading.picture(width: min(size.width, 100), height: min(size.height - 1, 22), rate: rate)
        painter.draw(canvas.rows(colored: ink.isOn))
    }

    func print(_ error: any Error) {
        // It stays on the screen; the picture goes on below.
        painter.leave()
        output.write(line: "\(ink.color(214, "no \(Value.stream.rawValue)")): \(error.reason)")
    }

    /// Readings a second by their stamps.
    private var rate: Double? {
        guard recent.count > 1, let first = recent.first, let last = recent.last, last > first else { return nil }
        return Double(recent.count - 1) / (last - first)
    }
}
