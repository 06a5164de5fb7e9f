// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import JSONBytes

/// A heading, ready to be printed.
struct HeadingReading: FusedReading {
    static let stream = StreamName.heading

    var timestamp: Double
    /// Degrees clockwise from magnetic north.
    var magneticHeading: Double
    /// Degrees clockwise from true north; negative when the place is not known.
    var trueHeading: Double
    /// Degrees; negative when the heading is not to be trusted.
    var headingAccuracy: Double
    /// Microtesla, in the device's axes.
    var field: SIMD3<Double>

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("callback")
        writer.string("heading")
        writer.key("timestamp")
        writer.double(timestamp)
        writer.key("magneticHeading")
        writer.double(magneticHeading)
        writer.key("trueHeading")
        writer.double(trueHeading)
        writer.key("headingAccuracy")
        writer.double(headingAccuracy)
        writer.key("x")
        writer.double(field.x)
        writer.key("y")
        writer.double(field.y)
        writer.key("z")
        writer.double(field.z)
        writer.endObject()
    }

    /// Microtesla.
    var strength: Double { (field * field).sum().squareRoot() }

    /// The true heading where it is known, else the magnetic one.
    var best: Double { trueHeading < 0 ? magneticHeading : trueHeading }

    /// In words; the colour of its kind.
    var accuracy: (text: String, color: Int) {
        guard headingAccuracy >= 0 else { return ("unreliable", Palette.bad) }
        let color = headingAccuracy <= 10 ? Palette.good : headingAccuracy <= 25 ? Palette.fair : Palette.bad
        return (String(format: "± %.1f°", headingAccuracy), color)
    }

    func line(_ ink: Ink) -> String {
        let name = Compass.name(best)
        let pad = String(repeating: " ", count: max(0, 3 - name.count))
        return [
            ink.dim(String(format: "%12.3f s", timestamp)),
            "\(Compass.arrow(best)) \(name)\(pad)",
            "\(ink.bold(Self.degrees(magneticHeading))) \(ink.dim("magnetic"))",
            "\(ink.bold(Self.degrees(trueHeading))) \(ink.dim("true"))",
            headingAccuracy < 0
                ? ink.color(Palette.bad, "±     - ")
                : ink.color(accuracy.color, String(format: "± %5.1f°", headingAccuracy)),
            String(format: "%6.1f µT", strength),
        ].joined(separator: "  ")
    }

    func picture(width: Int, height: Int, rate: Double?) -> Canvas {
        HeadingPanel(reading: self, rate: rate).draw(width: width, height: height)
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
