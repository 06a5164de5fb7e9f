// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A picture of a device-motion reading, with an artificial horizon and the values.
extension DeviceMotionReading: DrawnReading {
    /// The numbers of rows drawn by `numbers` and `summary`.
    private static let (numbersRows, summaryRows) = (13, 3)

    /// Draws the horizon, with the values beside it or, in a small terminal, below it.
    func picture(width: Int, height: Int, rate: Double?) -> Canvas {
        let width = max(width, PictureSize.minimumColumns)
        let isWide = width >= PictureSize.wideColumns && height >= Self.numbersRows + 2
        let numbersWidth = PictureSize.numbersColumns
        let horizonWidth = isWide ? width - numbersWidth : width
        // The frame has at least twice as many columns as rows, because a character is twice as high as it is wide.
        let maximumHeight = isWide ? height : height - Self.summaryRows
        let frameHeight = min(max(maximumHeight, 7), max(Self.numbersRows + 2, horizonWidth / 2))
        var canvas = Canvas(width: width, height: isWide ? frameHeight : frameHeight + Self.summaryRows)
        canvas.frame(x: 0, y: 0, width: horizonWidth, height: frameHeight, title: "Horizon")
        HorizonView(gravity: gravity).draw(on: &canvas, x: 1, y: 1, columns: horizonWidth - 2, rows: frameHeight - 2)
        if isWide {
            canvas.frame(x: horizonWidth, y: 0, width: numbersWidth, height: frameHeight, title: "Attitude")
            numbers(rate, on: &canvas, x: horizonWidth + 2, y: 1, width: numbersWidth - 4)
        } else {
            summary(on: &canvas, y: frameHeight)
        }
        return canvas
    }

    private func numbers(_ rate: Double?, on canvas: inout Canvas, x: Int, y: Int, width: Int) {
        func row(_ offset: Int, _ name: String, _ value: String, color: Int = Palette.text) {
            canvas.row(name, value, x: x, y: y + offset, width: width, color: color)
        }
        row(0, "roll", Self.degrees(roll))
        row(1, "pitch", Self.degrees(pitch))
        row(2, "yaw, \(frame.rawValue)", Self.degrees(yaw))
        row(3, "heading", heading < 0 ? "-" : "\(Compass.name(heading)) \(HeadingReading.degrees(heading))")
        canvas.dim("user acceleration, g", x: x, y: y + 4)
        for (index, name) in ["x", "y", "z"].enumerated() {
            let value = userAcceleration[index]
            canvas.dim(name, x: x, y: y + 5 + index)
            let text = String(format: "%6.3f", value)
            canvas.put(text, x: x + 2, y: y + 5 + index, color: Palette.text, bold: true)
            Gauges.signedBar(value, on: &canvas, x: x + 9, y: y + 5 + index, width: width - 9)
        }
        row(8, "turning", Self.vector(rotationRate * (180 / .pi), "°/s"))
        row(9, "bias", condition?.bias.map { Self.vector($0 * (180 / .pi), "°/s", digits: 2) } ?? "-")
        row(10, "field", field.text, color: field.color)
        row(11, "state", state.text, color: state.color)
        row(12, Self.time(timestamp), rate.map { String(format: "%.1f Hz", $0) } ?? "", color: 250)
    }

    private func summary(on canvas: inout Canvas, y: Int) {
        let angles = "roll \(Self.degrees(roll))  pitch \(Self.degrees(pitch))  yaw \(Self.degrees(yaw))"
        canvas.put(angles, x: 1, y: y, color: Palette.text, bold: true)
        let user = userAcceleration
        canvas.put(String(format: "user %6.3f %6.3f %6.3f g", user.x, user.y, user.z), x: 1, y: y + 1, color: 250)
        if let bias = condition?.bias {
            let text = "bias " + Self.vector(bias * (180 / .pi), "°/s", digits: 2)
            if 32 + text.count < canvas.width { canvas.put(text, x: 32, y: y + 1, color: 250) }
        }
        let degrees = HeadingReading.degrees(heading).drop { $0 == " " }
        canvas.put((heading < 0 ? "" : "heading \(degrees)  ") + state.text, x: 1, y: y + 2, color: state.color)
        let foot = Self.time(timestamp)
        canvas.dim(foot, x: canvas.width - foot.count - 1, y: y + 2)
    }

    private var state: (text: String, color: Int) {
        guard let condition = condition else { return ("-", 244) }
        if condition.isDisturbed, frame.needsMagnetometer { return ("disturbed", Palette.bad) }
        return condition.isResting ? ("at rest", Palette.good) : ("moving", Palette.accent)
    }

    private var field: (text: String, color: Int) {
        let strength = (magneticField * magneticField).sum().squareRoot()
        switch magneticAccuracy {
        case 2...: return (String(format: "%.1f µT, high", strength), Palette.good)
        case 1: return (String(format: "%.1f µT, medium", strength), Palette.good)
        case 0: return (String(format: "%.1f µT, low", strength), Palette.fair)
        default: return ("uncalibrated", 244)
        }
    }

    private static func degrees(_ radians: Double) -> String { String(format: "%6.1f°", radians * 180 / .pi) }

    private static func vector(_ v: SIMD3<Double>, _ unit: String, digits: Int = 0) -> String {
        String(format: "%.*f %.*f %.*f %@", digits, v.x, digits, v.y, digits, v.z, unit)
    }

    private static func time(_ seconds: Double) -> String { String(format: "%.1f s", seconds) }
}
