// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The location expected for a gpsd report, computed from gpsd's JSON with Foundation's parser.
struct ExpectedFix {
    var time: String?
    var numbers: [String: Double?]
    /// True if gpsd reported the accuracy. Otherwise it is derived, and only its sign is known here.
    var hasAccuracy: Bool

    /// Returns the fixes of a file in order: the reports of mode 2 or 3 with coordinates.
    static func all(in path: String) throws -> [ExpectedFix] {
        let text = try Data(contentsOf: URL(fileURLWithPath: path))
        return text.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard line.first == UInt8(ascii: "{"),
                let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
            else { return nil }
            return ExpectedFix(object)
        }
    }

    private init?(_ report: [String: Any]) {
        func number(_ name: String) -> Double? { (report[name] as? NSNumber)?.doubleValue }
        // gpsd writes 0 while the error is unknown. No measurement has an error of 0.
        func error(_ name: String) -> Double { number(name).flatMap { $0 > 0 ? $0 : nil } ?? -1 }
        guard report["class"] as? String == "TPV", let mode = number("mode"), mode >= 2,
            let latitude = number("lat"), let longitude = number("lon")
        else { return nil }
        time = report["time"] as? String
        let altitude =
            number("altMSL") ?? number("altHAE").flatMap { height in number("geoidSep").map { height - $0 } }
            ?? (number("altHAE") == nil ? number("alt") : nil)
        let course = number("track").map { $0 == 360 ? 0 : $0 }
        hasAccuracy = number("eph") != nil
        numbers = [
            "latitude": latitude, "longitude": longitude, "altitude": altitude, "ellipsoidalAltitude": number("altHAE"),
            "horizontalAccuracy": number("eph") ?? 0,
            "verticalAccuracy": mode >= 3 && altitude != nil ? number("epv") ?? -1 : -1, "speed": number("speed") ?? -1,
            "speedAccuracy": error("eps"), "course": course ?? -1, "courseAccuracy": error("epd"),
        ]
    }
}
