// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import JSONBytes
import SensorFusion
import SensorTools

struct HeadingReading: TimedReading {
    var timestamp: Double
    /// Degrees clockwise from magnetic north.
    var magneticHeading: Double
    /// Degrees clockwise from true north; negative when the place is not known.
    var trueHeading: Double
    /// Degrees; negative when the heading is not to be trusted.
    var headingAccuracy: Double
    /// Microtesla, in the device's axes.
    var field: SIMD3<Double>

    var callback: String { StreamName.heading.rawValue }

    func writeValues(to writer: inout JSONWriter) {
        writer.members([
            "magneticHeading": magneticHeading, "trueHeading": trueHeading, "headingAccuracy": headingAccuracy,
            "x": field.x, "y": field.y, "z": field.z,
        ])
    }

    /// Microtesla.
    var strength: Double { (field * field).sum().squareRoot() }

    /// The true heading where it is known, else the magnetic one.
    var best: Double { trueHeading < 0 ? magneticHeading : trueHeading }

    var accuracy: (text: String, color: Int) {
        guard headingAccuracy >= 0 else { return ("unreliable", Palette.bad) }
        let color = headingAccuracy <= 10 ? Palette.good : headingAccuracy <= 25 ? Palette.fair : Palette.bad
        return (String(format: "± %.1f°", headingAccuracy), color)
    }

    func columns(_ ink: Ink) -> [String] {
        let name = Compass.name(best)
        let pad = String(repeating: " ", count: max(0, 3 - name.count))
        return [
            "\(Compass.arrow(best)) \(name)\(pad)",
            "\(ink.bold(Self.degrees(magneticHeading))) \(ink.dim("magnetic"))",
            "\(ink.bold(Self.degrees(trueHeading))) \(ink.dim("true"))",
            headingAccuracy < 0
                ? ink.color(Palette.bad, "±     - ")
                : ink.color(accuracy.color, String(format: "± %5.1f°", headingAccuracy)),
            String(format: "%6.1f µT", strength),
        ]
    }

    /// Six columns. What is rounded to 360 is 0.
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

/// What a user has to do before the heading can be trusted.
struct HeadingAdvice: Reading, Equatable {
    /// How the device has been held so far; nil where nobody can tell.
    let survey: MagneticSurvey?

    /// True when more has been seen than then.
    func isNews(after earlier: HeadingAdvice?) -> Bool {
        guard let earlier else { return true }
        guard let survey else { return false }
        guard let former = earlier.survey else { return true }
        return survey.isCalibrated != former.isCalibrated || survey.sectors > former.sectors
            || survey.sidesUp.count > former.sidesUp.count
    }

    var text: String {
        if let survey, survey.isCalibrated {
            return "The magnetic field is not the earth's here: go away from iron and magnets."
        }
        if let survey, survey.isSeenAllRound {
            return "The device's own magnetism is not known yet: go on turning it, away from iron and magnets."
        }
        let demand = "The device's own magnetism is not known yet: turn it once around, and tip it over."
        guard let survey, survey.sectors > 0 else { return demand }
        let directions = "It has pointed to \(survey.sectors) of \(MagneticSurvey.sectorCount) directions"
        let sides = survey.sidesUp.map(\.words).joined(separator: ", ")
        return "\(demand) \(directions)\(sides.isEmpty ? "" : "; up was the \(sides)")."
    }

    func writeMembers(to writer: inout JSONWriter) {
        writer.members(["callback": "headingCalibration", "text": text])
        if let survey { writer.members(["directions": survey.sectors]) }
    }

    func lines(_ ink: Ink) -> [String] { ["\(ink.color(214, "no heading")): \(text)"] }

    var note: String? { "heading: \(text)" }
}

/// Directions in words and arrows.
enum Compass {
    private static let names = [
        "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW",
    ]
    private static let arrows = ["↑", "↗", "→", "↘", "↓", "↙", "←", "↖"]

    /// The nearest of sixteen points of the compass, from degrees clockwise from north.
    static func name(_ degrees: Double) -> String { nearest(degrees, of: names) }

    static func arrow(_ degrees: Double) -> String { nearest(degrees, of: arrows) }

    private static func nearest(_ degrees: Double, of texts: [String]) -> String {
        guard degrees.isFinite else { return "?" }
        let share = 360 / Double(texts.count)
        let turned = degrees.truncatingRemainder(dividingBy: 360)
        let index = Int(((turned < 0 ? turned + 360 : turned) / share).rounded())
        return texts[index % texts.count]
    }
}
