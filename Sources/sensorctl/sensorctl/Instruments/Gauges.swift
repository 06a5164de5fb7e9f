// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorTools

/// Draws gauges in a single row of a canvas.
enum Gauges {
    static let levels: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// Draws a bar that fills the specified share of the width, from 0 to 1.
    static func bar(_ share: Double, on canvas: inout Canvas, x: Int, y: Int, width: Int) {
        let share = share.isFinite ? min(max(share, 0), 1) : 0
        let halves = Int((share * Double(width * 2)).rounded())
        for column in 0..<max(0, width) {
            let rest = halves - column * 2
            let color = rest > 0 ? Palette.speed(Double(column) / Double(width)) : Palette.faint
            canvas.put(rest > 1 ? "━" : rest == 1 ? "╸" : "─", x: x + column, y: y, color: color, bold: rest > 0)
        }
    }

    /// Draws a bar that extends from the centre to the right for positive values, and to the left for negative values.
    /// A magnitude of 1 or more fills half the width.
    static func signedBar(_ value: Double, on canvas: inout Canvas, x: Int, y: Int, width: Int) {
        guard width >= 3 else { return }
        let half = width / 2
        let filled = Int(((value.isFinite ? min(max(value, -1), 1) : 0) * Double(half)).rounded())
        for offset in -half...half {
            let isFilled = offset * filled > 0 && abs(offset) <= abs(filled)
            let color = isFilled ? Palette.speed(Double(abs(offset)) / Double(half)) : offset == 0 ? 250 : Palette.faint
            canvas.put(
                isFilled ? "━" : offset == 0 ? "┼" : "─", x: x + half + offset, y: y, color: color, bold: isFilled)
        }
    }

    /// Draws an altitude profile, with the mean altitude in each column. The whole width represents `duration` seconds.
    /// A range of less than 8 m does not fill the height, so that receiver noise does not look like hills.
    static func profile(
        _ values: [(time: Double, altitude: Double)], duration: Double, on canvas: inout Canvas, x: Int, y: Int,
        width: Int
    ) {
        guard width > 0, let low = values.map(\.altitude).min(), let high = values.map(\.altitude).max() else { return }
        let known = values.filter { $0.time >= 0 && $0.time.isFinite }
        let columns = Dictionary(grouping: known) { value in
            min(width - 1, Int(min(value.time / max(duration, 0.001), 1) * Double(width)))
        }
        for column in 0..<width {
            guard let found = columns[column] else {
                canvas.put("·", x: x + column, y: y, color: Palette.faint)
                continue
            }
            let mean = found.reduce(0) { $0 + $1.altitude } / Double(found.count)
            let level = min(7, max(0, Int((mean - low) / max(high - low, 8) * 8)))
            canvas.put(String(levels[level]), x: x + column, y: y, color: 110)
        }
    }

    /// Draws a compass tape. One column represents 5°.
    static func compassTape(_ course: Double, on canvas: inout Canvas, x: Int, y: Int, width: Int) {
        let middle = width / 2
        let first = Int((course / 5).rounded()) - middle
        var text = (0..<max(0, width)).map { column -> Character in (first + column) % 3 == 0 ? "·" : " " }
        for column in text.indices where (first + column) % 9 == 0 {
            let name = Compass.name(Double((first + column) * 5))
            for (index, character) in zip((column - (name.count - 1) / 2)..., name) where text.indices.contains(index) {
                text[index] = character
            }
        }
        if text.indices.contains(middle), [" ", "·"].contains(text[middle]) { text[middle] = "▴" }
        for (column, character) in text.enumerated() {
            let distance = abs(column - middle)
            let color = character == "·" ? 240 : distance < 4 ? 231 : distance < 9 ? 250 : 243
            canvas.put(
                String(character), x: x + column, y: y, color: distance == 0 ? Palette.accent : color,
                bold: distance == 0)
        }
    }
}

/// Displays an axis's most recent readings as a row of block characters.
struct Sparkline {
    static let maximumWidth = 120

    private var readings: [Double] = []
    private let width: Int

    init(width: Int) { self.width = max(1, width) }

    mutating func add(_ reading: Double) {
        readings.append(reading)
        if readings.count > width { readings.removeFirst(readings.count - width) }
    }

    /// Returns one bar per reading, preceded by spaces if there are fewer than `width` readings. The bars cover the
    /// range from `least` to `greatest`.
    func text(from least: Double, to greatest: Double) -> String {
        let span = greatest - least
        let drawn = readings.map { reading -> Character in
            guard reading.isFinite, span > 0 else { return "·" }
            let part = min(max((reading - least) / span, 0), 1)
            return Gauges.levels[min(Int(part * 8), 7)]
        }
        return String(repeating: " ", count: width - drawn.count) + String(drawn)
    }

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

    /// Returns the range of values that a sparkline covers. A vector's axes share a range symmetric about zero, so they
    /// can be compared. Pressure and altitude each have their own range.
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
