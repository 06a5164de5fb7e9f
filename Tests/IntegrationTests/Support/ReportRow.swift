// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import Testing

/// A position report of gpsd, parsed with Foundation, for comparison with a location.
struct ReportRow: @unchecked Sendable {
    let values: [String: Any]

    /// Returns the position reports among the lines, in order.
    static func rows(_ lines: [String]) throws -> [ReportRow] {
        try lines.filter { $0.hasPrefix(#"{"class":"TPV""#) }.compactMap { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return (object as? [String: Any]).map { ReportRow(values: $0) }
        }
    }

    func number(_ key: String) -> Double? { (values[key] as? NSNumber)?.doubleValue }

    var time: String? { values["time"] as? String }

    /// True if the mode and the coordinates are those of a fix.
    var isFix: Bool { (number("mode") ?? 0) >= 2 && number("lat") != nil && number("lon") != nil }

    var date: Date? {
        time.flatMap { try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse($0) }
    }

    /// An error estimate, -1 if unknown. gpsd writes 0 until it has an estimate, and no measurement is exact.
    private func error(_ name: String) -> Double { number(name).flatMap { $0 > 0 ? $0 : nil } ?? -1 }

    /// Compares every field of the location with this report.
    func check(_ location: CLLocation, during period: ClosedRange<Date>, _ comment: Comment) {
        #expect(location.coordinate.latitude == number("lat"), comment)
        #expect(location.coordinate.longitude == number("lon"), comment)
        #expect(location.altitudeAboveSeaLevel == number("altMSL"), comment)
        #expect(location.altitude == number("altMSL") ?? 0, comment)
        #expect(location.altitudeAboveEllipsoid == number("altHAE"), comment)
        #expect(location.ellipsoidalAltitude == number("altHAE") ?? 0, comment)
        if let eph = number("eph") {
            #expect(location.horizontalAccuracy == eph, comment)
        } else if let epx = number("epx"), let epy = number("epy") {
            #expect(abs(location.horizontalAccuracy - hypot(epx, epy)) < 1e-9, comment)
        } else {
            #expect(location.horizontalAccuracy > 0, comment)
        }
        let hasAltitude = number("mode") == 3 && number("altMSL") != nil
        #expect(location.verticalAccuracy == (hasAltitude ? number("epv") ?? -1 : -1), comment)
        #expect(location.speed == number("speed") ?? -1, comment)
        #expect(location.speedAccuracy == error("eps"), comment)
        #expect(location.course == number("track") ?? -1, comment)
        #expect(location.courseAccuracy == error("epd"), comment)
        if let date {
            // gpsd prints milliseconds.
            #expect(abs(location.timestamp.timeIntervalSince(date)) < 1e-5, comment)
        } else {
            #expect(period.contains(location.timestamp), comment)
            #expect(!location.hasReceiverTime, comment)
        }
    }
}
