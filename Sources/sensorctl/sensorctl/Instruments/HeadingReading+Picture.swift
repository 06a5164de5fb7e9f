// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A picture of a heading, with a compass card and the values.
extension HeadingReading: DrawnReading {
    /// The number of rows drawn by `numbers`.
    private static let numbersRows = 10

    /// Draws a compass card with the values beside it or, in a small terminal, a compass tape.
    func picture(width: Int, height: Int, rate: Double?) -> Canvas {
        let width = max(width, PictureSize.minimumColumns)
        guard width >= PictureSize.wideColumns, height >= Self.numbersRows + 3 else { return tape(width: width) }
        let numbersWidth = PictureSize.numbersColumns
        let cardWidth = width - numbersWidth
        let cardRows = min(height - 2, (cardWidth - 4) / 2, 18)
        let frameHeight = max(cardRows, Self.numbersRows) + 2
        var canvas = Canvas(width: width, height: frameHeight)
        canvas.frame(x: 0, y: 0, width: cardWidth, height: frameHeight, title: "Compass")
        CompassRose(heading: preferredHeading).draw(
            on: &canvas, x: (cardWidth - cardRows * 2) / 2, y: 1 + (frameHeight - 2 - cardRows) / 2, rows: cardRows)
        canvas.frame(x: cardWidth, y: 0, width: numbersWidth, height: frameHeight, title: "Heading")
        numbers(rate, on: &canvas, x: cardWidth + 2, y: 1, width: numbersWidth - 4)
        return canvas
    }

    private func numbers(_ rate: Double?, on canvas: inout Canvas, x: Int, y: Int, width: Int) {
        func row(_ offset: Int, _ name: String, _ value: String, color: Int = Palette.text) {
            canvas.row(name, value, x: x, y: y + offset, width: width, color: color)
        }
        row(0, "toward", "\(Compass.arrow(preferredHeading)) \(Compass.name(preferredHeading))")
        row(1, "magnetic", Self.degrees(magneticHeading))
        row(2, "true", Self.degrees(trueHeading))
        row(3, "declination", declination)
        row(4, "accuracy", accuracy.text, color: accuracy.color)
        row(5, "field", String(format: "%.1f µT", strength))
        for (index, name) in ["x", "y", "z"].enumerated() {
            canvas.dim(name, x: x, y: y + 6 + index)
            canvas.put(String(format: "%6.1f", field[index]), x: x + 2, y: y + 6 + index, color: Palette.text)
            // The Earth's field is at most about 65 µT. A magnitude of 60 µT or more fills one half of the bar.
            Gauges.signedBar(field[index] / 60, on: &canvas, x: x + 9, y: y + 6 + index, width: width - 9)
        }
        row(9, String(format: "%.1f s", timestamp), rate.map { String(format: "%.1f Hz", $0) } ?? "", color: 250)
    }

    /// The magnetic declination and its direction (E or W).
    private var declination: String {
        guard trueHeading >= 0 else { return "-" }
        let difference = (trueHeading - magneticHeading).remainder(dividingBy: 360)
        return String(format: "%.1f° %@", abs(difference), difference < 0 ? "W" : "E")
    }

    private func tape(width: Int) -> Canvas {
        var canvas = Canvas(width: width, height: 6)
        canvas.frame(x: 0, y: 0, width: width, height: 3, title: "")
        Gauges.compassTape(preferredHeading, on: &canvas, x: 1, y: 1, width: width - 2)
        canvas.put("▼", x: 1 + (width - 2) / 2, y: 0, color: Palette.fair, bold: true)
        let headings = "magnetic \(Self.degrees(magneticHeading))  true \(Self.degrees(trueHeading))"
        canvas.put(headings, x: 1, y: 3, color: Palette.text, bold: true)
        canvas.put("accuracy \(accuracy.text)", x: 1, y: 4, color: accuracy.color)
        canvas.dim(String(format: "x %.1f  y %.1f  z %.1f µT", field.x, field.y, field.z), x: 1, y: 5)
        return canvas
    }
}

/// A compass card that rotates under a fixed mark at the top.
struct CompassRose {
    /// The bearing shown at the mark, in degrees clockwise from north.
    let heading: Double

    /// Draws a card with the given number of rows and twice as many columns.
    func draw(on canvas: inout Canvas, x: Int, y: Int, rows: Int) {
        guard rows >= 7, heading.isFinite else { return }
        let columns = rows * 2
        var grid = BrailleGrid(columns: columns, rows: rows)
        let radius = grid.radius
        let middle = grid.point(0, 0)
        func point(_ bearing: Int, _ distance: Double) -> (x: Double, y: Double) {
            grid.point((Double(bearing) - heading) * .pi / 180, distance)
        }
        for bearing in 0..<360 { grid.dot(at: point(bearing, radius), color: 244) }
        for bearing in stride(from: 0, to: 360, by: 15) where bearing % 45 != 0 || rows < 11 {
            let length = bearing % 30 == 0 ? 3.0 : 1.5
            grid.line(from: point(bearing, radius - length), to: point(bearing, radius), color: 244)
        }
        // The needle's north half is red.
        grid.line(from: middle, to: point(0, radius * 0.55), color: 203)
        grid.line(from: middle, to: point(180, radius * 0.55), color: 244)
        grid.draw(on: &canvas, x: x, y: y)
        for bearing in stride(from: 0, to: 360, by: rows >= 11 ? 45 : 90) {
            let name = Compass.name(Double(bearing))
            let labelPoint = point(bearing, radius - 3.5)
            let column = Int((labelPoint.x / 2).rounded(.down)) - (name.count - 1) / 2
            canvas.put(
                name, x: x + column, y: y + Int(labelPoint.y / 4),
                color: bearing == 0 ? 203 : bearing % 90 == 0 ? 231 : 250,
                bold: bearing % 90 == 0)
        }
        canvas.put("▼", x: x + columns / 2, y: y, color: Palette.fair, bold: true)
    }
}
