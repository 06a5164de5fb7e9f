// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Geodesy
package import JSONBytes

/// The magnetic field at a place, to be printed.
package struct FieldReport: Report {
    private let latitude: Double
    private let longitude: Double
    private let altitude: Double
    private let model: MagneticModel
    private let field: MagneticField

    package init(latitude: Double, longitude: Double, altitude: Double, year: Double, model: MagneticModel) {
        (self.latitude, self.longitude, self.altitude, self.model) = (latitude, longitude, altitude, model)
        field = model.field(latitude: latitude, longitude: longitude, altitude: altitude, year: year)
    }

    /// With as many digits behind the point as the value and its change have.
    private typealias Row = (
        name: String, unit: String, digits: Int, value: Double, rate: Double, uncertainty: Double
    )

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

    /// What one has to know before one relies on it.
    package var remarks: [String] {
        var remarks: [String] = []
        if !model.validYears.contains(field.year) {
            let years = model.validYears
            remarks.append(
                "\(model.name) is made for the years \(years.lowerBound) to \(years.upperBound); "
                    + "\(Self.text(field.year, digits: 3)) is not among them, and the error grows with every year.")
        }
        if !MagneticModel.validAltitudes.contains(altitude) {
            remarks.append("\(model.name) is made for heights from 1 km below the ellipsoid to 850 km above.")
        }
        if field.isInBlackoutZone {
            remarks.append("The horizontal field is so weak here that a compass is of no use.")
        } else if field.isInCautionZone {
            remarks.append("The horizontal field is so weak here that a compass is unreliable.")
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

    package func text(ink: Ink) -> String {
        let place = "\(latitude), \(longitude), \(altitude) m, year \(Self.text(field.year, digits: 3))"
        var lines = ["\(ink.bold(model.name)) at \(place)", ink.dim(Self.line("", "", ["value", "a year", "±"]))]
        for row in rows {
            lines.append(
                Self.line(
                    row.name, row.unit,
                    [
                        Self.text(row.value, digits: row.digits), Self.text(row.rate, digits: row.digits),
                        Self.text(row.uncertainty, digits: row.digits == 1 ? 0 : 2),
                    ]))
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
