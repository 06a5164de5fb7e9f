// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import JSONBytes
import SensorFusion
import SensorTools

/// A heading callback, as printed by `watch` and `replay`. Its JSON member names are public API.
struct HeadingReading: TimedReading {
    var timestamp: Double
    /// The heading in degrees clockwise from magnetic north.
    var magneticHeading: Double
    /// The heading in degrees clockwise from true north, or a negative value if the position is unknown.
    var trueHeading: Double
    /// The accuracy in degrees, or a negative value if the heading is unreliable.
    var headingAccuracy: Double
    /// The magnetic field in microteslas, in the device's axes.
    var field: SIMD3<Double>

    var callback: String { StreamName.heading.rawValue }

    func writeValues(to writer: inout JSONWriter) {
        writer.members([
            "magneticHeading": magneticHeading, "trueHeading": trueHeading, "headingAccuracy": headingAccuracy,
            "x": field.x, "y": field.y, "z": field.z,
        ])
    }

    var strength: Double { (field * field).sum().squareRoot() }
    var preferredHeading: Double { trueHeading < 0 ? magneticHeading : trueHeading }

    var accuracy: (text: String, color: Int) {
        guard headingAccuracy >= 0 else { return ("unreliable", Palette.bad) }
        let color = headingAccuracy <= 10 ? Palette.good : headingAccuracy <= 25 ? Palette.fair : Palette.bad
        return (String(format: "± %.1f°", headingAccuracy), color)
    }

    func columns(_ ink: TerminalStyle) -> [String] {
        let name = Compass.name(preferredHeading)
        let pad = String(repeating: " ", count: max(0, 3 - name.count))
        return [
            "\(Compass.arrow(preferredHeading)) \(name)\(pad)",
            "\(ink.bold(Self.degrees(magneticHeading))) \(ink.dim("magnetic"))",
            "\(ink.bold(Self.degrees(trueHeading))) \(ink.dim("true"))",
            headingAccuracy < 0
                ? ink.color(Palette.bad, "±     - ")
                : ink.color(accuracy.color, String(format: "± %5.1f°", headingAccuracy)),
            String(format: "%6.1f µT", strength),
        ]
    }

    /// Formats an angle as six characters. An angle that rounds to 360° is formatted as 0°.
    static func degrees(_ angle: Double) -> String {
        angle < 0 || !angle.isFinite ? "     -" : String(format: "%5.1f°", angle < 359.95 ? angle : 0)
    }
}

extension HeadingReading {
    init(_ heading: CLHeading, timestamp: Double) {
        self.init(
            timestamp: timestamp, magneticHeading: heading.magneticHeading, trueHeading: heading.trueHeading,
            headingAccuracy: heading.headingAccuracy, field: SIMD3(heading.x, heading.y, heading.z))
    }
}

/// Calibration advice, printed while the magnetometer yields no reliable heading.
struct HeadingAdvice: Reading, Equatable {
    /// The orientations in which the magnetic field has been measured so far, or nil if unknown.
    let survey: PoseCoverage?

    func hasProgress(since earlier: HeadingAdvice?) -> Bool {
        guard let earlier else { return true }
        guard let survey else { return false }
        guard let previous = earlier.survey else { return true }
        return survey.isCalibrated != previous.isCalibrated || survey.sectorsCovered > previous.sectorsCovered
            || survey.sidesUp.count > previous.sidesUp.count
    }

    var text: String {
        if let survey, survey.isCalibrated {
            return "The magnetic field is disturbed here: move away from iron and magnets."
        }
        if let survey, survey.hasSufficientPoses {
            return "The magnetometer is not calibrated yet: keep turning the device, away from iron and magnets."
        }
        let request = "The magnetometer is not calibrated yet: turn the device around once, and turn it over."
        guard let survey, survey.sectorsCovered > 0 else { return request }
        let directions = "It has faced \(survey.sectorsCovered) of \(PoseCoverage.sectorCount) directions"
        let sides = survey.sidesUp.map(\.displayName).joined(separator: ", ")
        return "\(request) \(directions)\(sides.isEmpty ? "" : "; sides that faced up: \(sides)")."
    }

    func writeMembers(to writer: inout JSONWriter) {
        writer.members(["callback": "headingCalibration", "text": text])
        if let survey { writer.members(["directions": survey.sectorsCovered]) }
    }

    func lines(_ ink: TerminalStyle) -> [String] { ["\(ink.color(214, "no heading")): \(text)"] }

    var warning: String? { "heading: \(text)" }
}

enum Compass {
    private static let names = [
        "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW",
    ]
    private static let arrows = ["↑", "↗", "→", "↘", "↓", "↙", "←", "↖"]

    /// Returns the nearest of the 16 compass points. `degrees` is measured clockwise from north.
    static func name(_ degrees: Double) -> String { nearest(degrees, of: names) }

    static func arrow(_ degrees: Double) -> String { nearest(degrees, of: arrows) }

    private static func nearest(_ degrees: Double, of texts: [String]) -> String {
        guard degrees.isFinite else { return "?" }
        let share = 360 / Double(texts.count)
        let remainder = degrees.truncatingRemainder(dividingBy: 360)
        let index = Int(((remainder < 0 ? remainder + 360 : remainder) / share).rounded())
        return texts[index % texts.count]
    }
}
