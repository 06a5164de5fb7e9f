// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Geodesy
package import JSONBytes

/// The Earth's magnetic field at a position, for the `field` command.
package struct FieldReport: Report {
    /// The latitude and longitude in degrees, and the altitude in metres above the ellipsoid.
    private let latitude: Double
    private let longitude: Double
    private let altitude: Double
    private let model: MagneticModel
    private let field: MagneticField

    package init(latitude: Double, longitude: Double, altitude: Double, year: Double, model: MagneticModel) {
        (self.latitude, self.longitude, self.altitude, self.model) = (latitude, longitude, altitude, model)
        field = model.field(latitude: latitude, longitude: longitude, altitude: altitude, year: year)
    }

    /// A component of the field. `rate` is the change per year. `digits` is the number of decimals in `value` and
    /// `rate`.
    private typealias Row = (name: String, unit: String, digits: Int, value: Double, rate: Double, uncertainty: Double)

    private var rows: [Row] {
        [
            ("x", "nT", 1, field.x, field.xRate, field.xUncertainty),
            ("y", "nT", 1, field.y, field.yRate, field.yUncertainty),
            ("z", "nT", 1, field.z, field.zRate, field.zUncertainty),
            ("horizontal", "nT", 1, field.horizontal, field.horizontalRate, field.horizontalUncertainty),
            ("total", "nT", 1, field.total, field.totalRate, field.totalUncertainty),
            ("declination", "°", 3, field.declination, field.declinationRate, field.declinationUncertainty),
            ("inclination", "°", 3, field.inclination, field.inclinationRate, field.inclinationUncertainty),
        ]
    }

    /// Limitations of the result, such as a date outside the model's valid years.
    package var remarks: [String] {
        var remarks: [String] = []
        if !model.validYears.contains(field.year) {
            let years = model.validYears
            remarks.append(
                "\(model.name) is valid from \(years.lowerBound) to \(years.upperBound). The year "
                    + "\(Self.text(field.year, digits: 3)) is outside this range; the error grows with every year.")
        }
        if !MagneticModel.validAltitudes.contains(altitude) {
            remarks.append("\(model.name) is valid from 1 km below the ellipsoid to 850 km above it.")
        }
        if field.isInBlackoutZone {
            remarks.append("The horizontal field is too weak for a compass here.")
        } else if field.isInCautionZone {
            remarks.append("The horizontal field is weak here, so a compass is unreliable.")
        }
        return remarks
    }

    package func write(to writer: inout JSONWriter) {
        writer.line { writer in
            for row in rows { writer.member(text: row.name, row.value) }
            for row in rows { writer.member(text: row.name + "Rate", row.rate) }
            for row in rows { writer.member(text: row.name + "Uncertainty", row.uncertainty) }
            writer.members([
                "latitude": latitude, "longitude": longitude, "altitude": altitude, "date": field.year,
                "model": model.name, "epoch": model.epoch, "valid": field.isModelValid,
                "caution": field.isInCautionZone, "blackout": field.isInBlackoutZone,
            ])
        }
    }

    package func text(ink: TerminalStyle) -> String {
        let location = "\(latitude), \(longitude), \(altitude) m, year \(Self.text(field.year, digits: 3))"
        var lines = ["\(ink.bold(model.name)) at \(location)", ink.dim(Self.line("", "", ["value", "per year", "±"]))]
        for row in rows {
            let (value, rate) = (Self.text(row.value, digits: row.digits), Self.text(row.rate, digits: row.digits))
            let uncertainty = Self.text(row.uncertainty, digits: row.digits == 1 ? 0 : 2)
            lines.append(Self.line(row.name, row.unit, [value, rate, uncertainty]))
        }
        lines.append(ink.dim("x north, y east, z down; declination east of true north; inclination below the horizon"))
        return lines.joined(separator: "\n")
    }

    private static func line(_ name: String, _ unit: String, _ columns: [String]) -> String {
        func padding(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(0, width - text.count))
        }
        let numbers = zip(columns, [11, 10, 8]).map { padding($0, $1) + $0 }.joined()
        return name + padding(name, 12) + numbers + (unit.isEmpty ? "" : " " + unit)
    }

    private static func text(_ value: Double, digits: Int) -> String { String(format: "%.\(digits)f", value) }
}
