// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SensorTools

/// A reading that a terminal can show as a picture.
protocol PicturedReading: TimedReading {
    /// The rows of the picture.
    ///
    /// - Parameters:
    ///   - past: the last readings of the stream, this one among them.
    ///   - rate: how many come in a second; nil as long as that is not known.
    func rows(_ past: [any PicturedReading], size: PictureSize, rate: Double?, ink: Ink) -> [String]
}

/// A reading that is drawn without those before it.
protocol DrawnReading: PicturedReading {
    func picture(width: Int, height: Int, rate: Double?) -> Canvas
}

extension DrawnReading {
    /// The rows of a picture of 100 columns and 22 rows at most. The row below it is the cursor's.
    func rows(_ past: [any PicturedReading], size: PictureSize, rate: Double?, ink: Ink) -> [String] {
        picture(width: min(size.width, 100), height: min(size.height - 1, 22), rate: rate).rows(colored: ink.isOn)
    }
}

struct PictureSize: Equatable {
    /// In fewer columns or rows than these nothing is drawn.
    static let leastColumns = 42
    static let leastRows = 12
    /// In fewer columns numbers stand below a picture, not beside it.
    static let wideColumns = 60
    /// What numbers beside a picture take.
    static let numbersColumns = 28

    var width: Int
    var height: Int
}

/// Draws readings in a terminal, again and again in the same place.
final class PicturePrinter: ReadingPrinter {
    private let clock: any DeviceClock
    private let screen = TerminalScreen(.standardOutput)
    private let output: StandardOutput
    private let ink = Ink(.standardOutput)
    private var painter: RowPainter
    private var lastDrawn: BootTime?
    /// As many as a line of bars shows.
    private var recent: [any PicturedReading] = []

    /// - Parameter clock: says when to draw again.
    init(output: StandardOutput, clock: any DeviceClock) {
        self.output = output
        self.clock = clock
        painter = RowPainter(output: output)
    }

    func print(_ reading: some Reading) {
        guard let reading = reading as? any PicturedReading else { return printBelow(reading) }
        // A clock that went back, as when a trace starts again, begins anew.
        if let last = recent.last, reading.timestamp <= last.timestamp { recent = [] }
        recent.append(reading)
        if recent.count > Sparkline.maximumWidth { recent.removeFirst() }
        let now = clock.now
        if let lastDrawn, now.seconds(since: lastDrawn) < RowPainter.pause { return }
        lastDrawn = now
        painter.draw(reading.rows(recent, size: screen.measure(), rate: rate, ink: ink))
    }

    /// What is no picture stays on the screen; the picture goes on below.
    private func printBelow(_ reading: some Reading) {
        painter.leave()
        let failure = reading as? StreamFailure
        let lines = failure.map { [$0.line("no \($0.stream.rawValue)", ink)] } ?? reading.lines(ink)
        for line in lines { output.write(line: line) }
    }

    /// Readings a second by their stamps.
    private var rate: Double? {
        let times = recent.suffix(50).map(\.timestamp)
        guard times.count > 1, let first = times.first, let last = times.last, last > first else { return nil }
        return Double(times.count - 1) / (last - first)
    }
}
