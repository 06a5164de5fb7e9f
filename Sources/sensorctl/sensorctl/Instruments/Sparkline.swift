// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorTools

/// The most recent readings of an axis as a row of block characters.
struct Sparkline {
    static let maximumWidth = 120

    private var readings: [Double] = []
    private let width: Int

    init(width: Int) { self.width = max(1, width) }

    mutating func add(_ reading: Double) {
        readings.append(reading)
        if readings.count > width { readings.removeFirst(readings.count - width) }
    }

    /// Returns the bars, with the lowest one for `least` and spaces before the first reading.
    func text(from least: Double, to greatest: Double) -> String {
        let span = greatest - least
        let drawn = readings.map { reading -> Character in
            guard reading.isFinite, span > 0 else { return "·" }
            let part = min(max((reading - least) / span, 0), 1)
            return Gauges.levels[min(Int(part * 8), 7)]
        }
        return String(repeating: " ", count: width - drawn.count) + String(drawn)
    }

    /// The smallest and largest finite reading; nil if there are none.
    var range: (least: Double, greatest: Double)? {
        guard let least = readings.filter(\.isFinite).min(), let greatest = readings.filter(\.isFinite).max() else {
            return nil
        }
        return (least, greatest)
    }
}

extension MotionReading: PicturedReading {
    private static let colors = [203, 78, 75]

    func rows(_ past: [any PicturedReading], size: PictureSize, rate: Double?, ink: TerminalStyle) -> [String] {
        let lines = values.indices.map { index in
            var line = Sparkline(width: min(max(size.width - 30, 10), Sparkline.maximumWidth))
            for case let reading as MotionReading in past where reading.values.indices.contains(index) {
                line.add(reading.values[index].number)
            }
            return line
        }
        let rows = zip(values, lines).enumerated().map { index, row in
            let (value, line) = row
            let name = value.name == "relativeAltitude" ? "height" : value.name
            let head = String(format: "%@ %10.4f %@", name.padded(to: 8), value.number, value.unit.padded(to: 5))
            let (least, greatest) = range(of: line, among: lines)
            return "\(ink.bold(head)) \(ink.color(Self.colors[index % 3], line.text(from: least, to: greatest)))"
        }
        var foot = String(format: "%12.3f s", timestamp)
        if let magnitude { foot += String(format: "   |%.4f| %@", magnitude, stream.unit) }
        if let rate { foot += String(format: "   %.1f Hz", rate) }
        return rows + [ink.dim(foot)]
    }

    /// The axes of a vector share a symmetric scale, so that they can be compared. A pressure has a scale of its own.
    private func range(of line: Sparkline, among lines: [Sparkline]) -> (Double, Double) {
        guard stream == .pressure else {
            let extremes = lines.compactMap { line in line.range.map { max(abs($0.least), abs($0.greatest)) } }
            let span = max(extremes.max() ?? 0, stream.span / 2)
            return (-span, span)
        }
        guard let range = line.range else { return (0, 1) }
        let margin = max((range.greatest - range.least) * 0.1, 0.01)
        return (range.least - margin, range.greatest + margin)
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
