// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// Shows the readings of a stream in a few lines of a terminal, which it draws again and again.
final class LiveMotionPrinter: MotionPrinter {
    private let output: StandardOutput
    private let ink = Ink(.standardOutput)
    private let clock: any DeviceClock
    private var lines: [Sparkline] = []
    private var painter: RowPainter
    private var lastDrawn: BootTime?
    private var recent: [Double] = []
    private var width: Int

    /// - Parameter clock: says when to draw again.
    init(output: StandardOutput, clock: any DeviceClock, columns: Int) {
        self.output = output
        self.clock = clock
        painter = RowPainter(output: output)
        width = min(max(columns - 30, 10), 120)
    }

    func print(_ reading: MotionReading) {
        if lines.count != reading.values.count {
            lines = reading.values.map { _ in Sparkline(width: width) }
        }
        for (index, value) in reading.values.enumerated() { lines[index].add(value.number) }
        recent.append(reading.timestamp)
        if recent.count > 50 { recent.removeFirst() }
        let now = clock.now
        if let lastDrawn, now.seconds(since: lastDrawn) < RowPainter.pause { return }
        lastDrawn = now
        painter.draw(rows(for: reading))
    }

    func print(orientation: String, timestamp: Double) {
        painter.leave()
        output.write(line: "\(ink.dim(String(format: "%12.3f s", timestamp)))  \(ink.bold(orientation))")
    }

    func print(_ error: any Error, stream: StreamName) {
        // It stays on the screen; the picture goes on below.
        painter.leave()
        output.write(line: "\(ink.color(214, "no \(stream.rawValue)")): \(error.reason)")
    }

    private func rows(for reading: MotionReading) -> [String] {
        var rows = reading.values.indices.map { index -> String in
            let value = reading.values[index]
            let name = value.name == "relativeAltitude" ? "height" : value.name
            let (least, greatest) = range(of: index, stream: reading.stream)
            let head = String(format: "%@ %10.4f %@", name.padded(to: 8), value.number, value.unit.padded(to: 5))
            return
                "\(ink.bold(head)) \(ink.color(Self.colors[index % 3], lines[index].text(from: least, to: greatest)))"
        }
        var foot = String(format: "%12.3f s", reading.timestamp)
        if let magnitude = reading.magnitude { foot += String(format: "   |%.4f| %@", magnitude, reading.stream.unit) }
        if let first = recent.first, recent.count > 1, reading.timestamp > first {
            foot += String(format: "   %.1f Hz", Double(recent.count - 1) / (reading.timestamp - first))
        }
        rows.append(ink.dim(foot))
        return rows
    }

    private static let colors = [203, 78, 75]

    /// Axes share a scale, so that they can be compared; a scalar has its own.
    private func range(of index: Int, stream: StreamName) -> (Double, Double) {
        guard stream == .pressure else {
            let greatest =
                lines.compactMap { line in line.range.map { max(abs($0.least), abs($0.greatest)) } }.max() ?? 0
            let span = max(greatest, stream.span / 2)
            return (-span, span)
        }
        guard let range = lines[index].range else { return (0, 1) }
        let margin = max((range.greatest - range.least) * 0.1, 0.01)
        return (range.least - margin, range.greatest + margin)
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
