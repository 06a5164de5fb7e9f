// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The last readings of one axis as a line of small bars.
struct Sparkline {
    private static let bars: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    private var readings: [Double] = []
    private let width: Int

    init(width: Int) {
        self.width = max(1, width)
    }

    mutating func add(_ reading: Double) {
        readings.append(reading)
        if readings.count > width { readings.removeFirst(readings.count - width) }
    }

    /// The bars; the lowest stands for the least of the range, and blanks for what is not there yet.
    func text(from least: Double, to greatest: Double) -> String {
        let span = greatest - least
        let drawn = readings.map { reading -> Character in
            guard reading.isFinite, span > 0 else { return "·" }
            let part = min(max((reading - least) / span, 0), 1)
            return Self.bars[min(Int(part * 8), 7)]
        }
        return String(repeating: " ", count: width - drawn.count) + String(drawn)
    }

    /// The least and the greatest of what is shown; nil when there is nothing.
    var range: (least: Double, greatest: Double)? {
        guard let least = readings.filter(\.isFinite).min(), let greatest = readings.filter(\.isFinite).max() else {
            return nil
        }
        return (least, greatest)
    }
}
