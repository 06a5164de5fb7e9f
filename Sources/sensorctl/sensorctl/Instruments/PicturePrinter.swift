// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SensorTools

/// A reading that can be drawn in a terminal.
protocol PicturedReading: TimedReading {
    /// Returns the rows of a picture of the most recent readings, including this one. `rate` is in readings per
    /// second; nil if it is unknown.
    func rows(_ past: [any PicturedReading], size: PictureSize, rate: Double?, ink: TerminalStyle) -> [String]
}

/// A reading whose picture does not depend on earlier readings.
protocol DrawnReading: PicturedReading { func picture(width: Int, height: Int, rate: Double?) -> Canvas }

extension DrawnReading {
    /// Returns a picture of at most 100 columns and 22 rows. The row below it contains the cursor.
    func rows(_ past: [any PicturedReading], size: PictureSize, rate: Double?, ink: TerminalStyle) -> [String] {
        picture(width: min(size.width, 100), height: min(size.height - 1, 22), rate: rate).rows(colored: ink.isOn)
    }
}

struct PictureSize: Equatable {
    static let minimumColumns = 42
    static let minimumRows = 12
    /// The minimum number of columns at which values are drawn beside a picture instead of below it.
    static let wideColumns = 60
    /// The width of the values beside a picture, in columns.
    static let numbersColumns = 28

    var width: Int
    var height: Int
}

/// A printer that draws readings repeatedly in the same rows of a terminal.
final class PicturePrinter: ReadingPrinter {
    private let clock: any DeviceClock
    private let screen = TerminalScreen(.standardOutput)
    private let output: StandardOutput
    private let ink = TerminalStyle(.standardOutput)
    private var painter: RowPainter
    private var lastDrawn: BootTime?
    /// The most recent readings, at most as many as a sparkline shows.
    private var recent: [any PicturedReading] = []

    init(output: StandardOutput, clock: any DeviceClock) {
        (self.output, self.clock) = (output, clock)
        painter = RowPainter(output: output)
    }

    func print(_ reading: some Reading) {
        guard let reading = reading as? any PicturedReading else { return printBelow(reading) }
        // A timestamp that decreases means that a trace has restarted.
        if let last = recent.last, reading.timestamp <= last.timestamp { recent = [] }
        recent.append(reading)
        if recent.count > Sparkline.maximumWidth { recent.removeFirst() }
        let now = clock.now
        if let lastDrawn, now.seconds(since: lastDrawn) < RowPainter.minimumInterval { return }
        lastDrawn = now
        painter.draw(reading.rows(recent, size: screen.measure(), rate: rate, ink: ink))
    }

    /// Prints a reading that has no picture. It remains on the screen above the next picture.
    private func printBelow(_ reading: some Reading) {
        painter.keepRows()
        let failure = reading as? StreamFailure
        let lines = failure.map { [$0.line("no \($0.stream.rawValue)", ink)] } ?? reading.lines(ink)
        for line in lines { output.write(line: line) }
    }

    /// The rate computed from timestamps, in readings per second.
    private var rate: Double? {
        let times = recent.suffix(50).map(\.timestamp)
        guard times.count > 1, let first = times.first, let last = times.last, last > first else { return nil }
        return Double(times.count - 1) / (last - first)
    }
}
