// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Small instruments of one line each.
enum Gauges {
    private static let levels: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// A bar that fills a share of its width, in the colours of speed.
    static func bar(_ share: Double, on canvas: inout Canvas, x: Int, y: Int, width: Int) {
        let share = share.isFinite ? min(max(share, 0), 1) : 0
        let halves = Int((share * Double(width * 2)).rounded())
        for column in 0..<max(0, width) {
            let color = Palette.speed(Double(column) / Double(max(1, width)))
            switch halves - column * 2 {
            case 2...: canvas.put("━", x: x + column, y: y, color: color, bold: true)
            case 1: canvas.put("╸", x: x + column, y: y, color: color, bold: true)
            default: canvas.put("─", x: x + column, y: y, color: Palette.faint)
            }
        }
    }

    /// A bar from the middle to the left or the right; 1 and more fill half of the width.
    static func signedBar(_ value: Double, on canvas: inout Canvas, x: Int, y: Int, width: Int) {
        guard width >= 3 else { return }
        let half = width / 2
        let share = value.isFinite ? min(max(value, -1), 1) : 0
        let filled = Int((abs(share) * Double(half)).rounded())
        for column in 0..<(2 * half + 1) {
            let place = column - half
            let isFilled = place != 0 && abs(place) <= filled && (place < 0) == (share < 0)
            if place == 0 {
                canvas.put("┼", x: x + column, y: y, color: 250)
            } else if isFilled {
                canvas.put(
                    "━", x: x + column, y: y, color: Palette.speed(Double(abs(place)) / Double(half)), bold: true)
            } else {
                canvas.put("─", x: x + column, y: y, color: Palette.faint)
            }
        }
    }

    /// A profile over the whole time, of which only the past is known.
    static func profile(
        _ values: [(time: Double, altitude: Double)], duration: Double, on canvas: inout Canvas, x: Int, y: Int,
        width: Int
    ) {
        guard width > 0, let low = values.map(\.altitude).min(), let high = values.map(\.altitude).max() else { return }
        var sums = Array(repeating: (sum: 0.0, count: 0), count: width)
        for value in values {
            let share = value.time / max(duration, 0.001)
            guard share.isFinite, share >= 0 else { continue }
            let column = min(width - 1, Int(min(share, 1) * Double(width)))
            sums[column].sum += value.altitude
            sums[column].count += 1
        }
        for column in 0..<width {
            guard sums[column].count > 0 else {
                canvas.put("·", x: x + column, y: y, color: Palette.faint)
                continue
            }
            let mean = sums[column].sum / Double(sums[column].count)
            let share = (mean - low) / max(high - low, 8)
            let level = min(7, max(0, Int(share * 8)))
            canvas.put(String(levels[level]), x: x + column, y: y, color: 110)
        }
    }

    /// A piece of a compass card, with the course in its middle.
    static func compassTape(_ course: Double, on canvas: inout Canvas, x: Int, y: Int, width: Int) {
        let names = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
        // One column for five degrees.
        let middle = width / 2
        var text = Array(repeating: Character(" "), count: max(0, width))
        for column in 0..<text.count {
            let degrees = (Int((course / 5).rounded()) + column - middle) * 5
            if degrees % 15 == 0 { text[column] = degrees % 45 == 0 ? "┼" : "·" }
        }
        for column in 0..<text.count {
            let degrees = (Int((course / 5).rounded()) + column - middle) * 5
            guard degrees % 45 == 0 else { continue }
            let name = names[((degrees / 45) % 8 + 8) % 8]
            for (offset, character) in name.enumerated() {
                let place = column + offset - (name.count - 1) / 2
                if text.indices.contains(place) { text[place] = character }
            }
        }
        if text.indices.contains(middle), text[middle] == " " || text[middle] == "·" { text[middle] = "▴" }
        for (column, character) in text.enumerated() {
            let distance = abs(column - middle)
            guard distance > 0 else {
                canvas.put(String(character), x: x + column, y: y, color: Palette.accent, bold: true)
                continue
            }
            let color = character == "·" ? 240 : distance < 4 ? 231 : distance < 9 ? 250 : 243
            canvas.put(String(character), x: x + column, y: y, color: color)
        }
    }
}
