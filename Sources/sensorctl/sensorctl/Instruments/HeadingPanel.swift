// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The picture of a heading: a compass card and the numbers beside it; in a narrow or low terminal a tape instead of the
/// card.
struct HeadingPanel {
    private static let numbersWidth = 28
    private static let numbersRows = 10

    let reading: HeadingReading
    let rate: Double?

    func draw(width: Int, height: Int) -> Canvas {
        let width = max(width, PictureSize.leastColumns)
        guard width >= PictureSize.wideColumns, height >= Self.numbersRows + 3 else { return tape(width: width) }
        let cardRows = min(height - 2, (width - Self.numbersWidth - 4) / 2, 18)
        let frameHeight = max(cardRows, Self.numbersRows) + 2
        let cardWidth = width - Self.numbersWidth
        var canvas = Canvas(width: width, height: frameHeight)
        canvas.frame(x: 0, y: 0, width: cardWidth, height: frameHeight, title: "Compass")
        CompassRose(heading: reading.best).draw(
            on: &canvas, x: (cardWidth - cardRows * 2) / 2, y: 1 + (frameHeight - 2 - cardRows) / 2, rows: cardRows)
        canvas.frame(x: cardWidth, y: 0, width: Self.numbersWidth, height: frameHeight, title: "Heading")
        numbers(on: &canvas, x: cardWidth + 2, y: 1, width: Self.numbersWidth - 4)
        return canvas
    }

    private func numbers(on canvas: inout Canvas, x: Int, y: Int, width: Int) {
        func row(_ offset: Int, _ name: String, _ value: String, color: Int = Palette.text) {
            canvas.row(name, value, x: x, y: y + offset, width: width, color: color)
        }
        row(0, "toward", "\(Compass.arrow(reading.best)) \(Compass.name(reading.best))")
        row(1, "magnetic", HeadingReading.degrees(reading.magneticHeading))
        row(2, "true", HeadingReading.degrees(reading.trueHeading))
        row(3, "declination", declination)
        let accuracy = reading.accuracy
        row(4, "accuracy", accuracy.text, color: accuracy.color)
        row(5, "field", String(format: "%.1f µT", reading.strength))
        for (index, name) in ["x", "y", "z"].enumerated() {
            canvas.dim(name, x: x, y: y + 6 + index)
            canvas.put(String(format: "%6.1f", reading.field[index]), x: x + 2, y: y + 6 + index, color: Palette.text)
            Gauges.signedBar(reading.field[index] / 60, on: &canvas, x: x + 9, y: y + 6 + index, width: width - 9)
        }
        row(
            9, String(format: "%.1f s", reading.timestamp), rate.map { String(format: "%.1f Hz", $0) } ?? "",
            color: 250)
    }

    /// East is positive.
    private var declination: String {
        guard reading.trueHeading >= 0 else { return "-" }
        let turned = (reading.trueHeading - reading.magneticHeading).remainder(dividingBy: 360)
        return String(format: "%.1f° %@", abs(turned), turned < 0 ? "W" : "E")
    }

    private func tape(width: Int) -> Canvas {
        var canvas = Canvas(width: width, height: 6)
        canvas.frame(x: 0, y: 0, width: width, height: 3, title: "")
        Gauges.compassTape(reading.best, on: &canvas, x: 1, y: 1, width: width - 2)
        canvas.put("▼", x: 1 + (width - 2) / 2, y: 0, color: Palette.fair, bold: true)
        let headings =
            "magnetic \(HeadingReading.degrees(reading.magneticHeading))  true \(HeadingReading.degrees(reading.trueHeading))"
        canvas.put(headings, x: 1, y: 3, color: Palette.text, bold: true)
        canvas.put("accuracy \(reading.accuracy.text)", x: 1, y: 4, color: reading.accuracy.color)
        canvas.dim(
            String(format: "x %.1f  y %.1f  z %.1f µT", reading.field.x, reading.field.y, reading.field.z), x: 1, y: 5)
        return canvas
    }
}

/// A compass card that turns under a fixed mark at the top.
struct CompassRose {
    private static let names = [
        (0, "N"), (45, "NE"), (90, "E"), (135, "SE"), (180, "S"), (225, "SW"), (270, "W"), (315, "NW"),
    ]

    /// Degrees clockwise from north, of what the mark points to.
    let heading: Double

    /// Draws a card of that many rows and twice as many columns.
    func draw(on canvas: inout Canvas, x: Int, y: Int, rows: Int) {
        guard rows >= 7, heading.isFinite else { return }
        let columns = rows * 2
        var grid = BrailleGrid(columns: columns, rows: rows)
        let middle = (x: Double(grid.width) / 2 - 0.5, y: Double(grid.height) / 2 - 0.5)
        let radius = Double(grid.height) / 2 - 1
        func place(_ bearing: Double, _ distance: Double) -> (x: Double, y: Double) {
            let angle = (bearing - heading) * .pi / 180
            return (middle.x + sin(angle) * distance, middle.y - cos(angle) * distance)
        }
        for step in 0..<360 {
            let dot = place(Double(step), radius)
            grid.dot(x: Int(dot.x.rounded()), y: Int(dot.y.rounded()), color: 244)
        }
        for bearing in stride(from: 0, to: 360, by: 15) where bearing % 45 != 0 || rows < 11 {
            let length = bearing % 30 == 0 ? 3.0 : 1.5
            grid.line(from: place(Double(bearing), radius - length), to: place(Double(bearing), radius), color: 244)
        }
        // The needle: its north half is bright.
        grid.line(from: middle, to: place(0, radius * 0.55), color: 203)
        grid.line(from: middle, to: place(180, radius * 0.55), color: 244)
        grid.draw(on: &canvas, x: x, y: y)
        for (bearing, name) in Self.names where rows >= 11 || bearing % 90 == 0 {
            let spot = place(Double(bearing), radius - 3.5)
            let column = Int((spot.x / 2).rounded(.down)) - (name.count - 1) / 2
            canvas.put(
                name, x: x + column, y: y + Int(spot.y / 4), color: bearing == 0 ? 203 : bearing % 90 == 0 ? 231 : 250,
                bold: bearing % 90 == 0)
        }
        canvas.put("▼", x: x + columns / 2, y: y, color: Palette.fair, bold: true)
    }
}
