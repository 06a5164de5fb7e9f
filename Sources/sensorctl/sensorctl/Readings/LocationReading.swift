// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import JSONBytes
import SensorTools

/// A location callback, as printed by `watch` and `replay`. Its JSON member names are public API.
struct LocationsReading: Reading {
    let locations: [CLLocation]

    func writeMembers(to writer: inout JSONWriter) {
        writer.member("callback", "didUpdateLocations")
        // Uses the optional altitude properties, which are nil if the receiver reported no altitude. In that case,
        // `altitude` and `ellipsoidalAltitude` would be 0.
        writer.objects("locations", locations) { location in
            [
                "timestamp": CivilDate(location.time).timestamp, "latitude": location.coordinate.latitude,
                "longitude": location.coordinate.longitude, "altitude": location.altitudeAboveSeaLevel,
                "ellipsoidalAltitude": location.altitudeAboveEllipsoid,
                "horizontalAccuracy": location.horizontalAccuracy, "verticalAccuracy": location.verticalAccuracy,
                "speed": location.speed, "speedAccuracy": location.speedAccuracy, "course": location.course,
                "courseAccuracy": location.courseAccuracy,
            ]
        }
    }

    func lines(_ ink: TerminalStyle) -> [String] {
        locations.map { location in
            // Columns 0 and 1 are the coordinates, and column 5 is the accuracy.
            var columns = LocationFormatter.columns(location, ink.units)
            for index in 0..<2 { columns[index] = ink.bold(columns[index]) }
            columns[5] = ink.color(LocationFormatter.color(accuracy: location.horizontalAccuracy), columns[5])
            return ([ink.dim(CivilDate(location.time).timeOfDayWithTenths)] + columns).joined(separator: "  ")
        }
    }

    func titles(_ ink: TerminalStyle) -> [String] {
        locations.map { location in
            let date = CivilDate(location.time).date
            return ink.dim("\(date)      latitude     longitude    altitude       speed  course      accuracy  sats")
        }
    }
}

struct LocationFailure: Reading {
    let error: any Error
    let time: WallTime

    func writeMembers(to writer: inout JSONWriter) {
        writer.member("callback", "didFailWithError")
        error.write(to: &writer)
    }

    func lines(_ ink: TerminalStyle) -> [String] {
        let isDenied = (error as? CLError)?.code == .denied
        let what = ink.color(isDenied ? 203 : 214, isDenied ? "not allowed" : "no position")
        return ["\(ink.dim(CivilDate(time).timeOfDayWithTenths))  \(what): \(error.reason)"]
    }
}

struct AuthorizationReading: Reading {
    let status: CLAuthorizationStatus
    let accuracy: CLAccuracyAuthorization
    let time: WallTime

    func writeMembers(to writer: inout JSONWriter) {
        writer.members(["callback": "didChangeAuthorization", "status": "\(status)", "accuracy": "\(accuracy)"])
    }

    func lines(_ ink: TerminalStyle) -> [String] {
        // Full authorization is not printed, because it is the normal case.
        let isUsual = status == .authorizedWhenInUse || status == .authorizedAlways
        guard !isUsual || accuracy != .fullAccuracy else { return [] }
        return ["\(ink.dim(CivilDate(time).timeOfDayWithTenths))  authorization: \(status), \(accuracy)"]
    }
}

/// Formats a location's values for display, each with a fixed number of characters.
enum LocationFormatter {
    static func latitude(_ degrees: Double) -> String {
        String(format: "%9.6f°%@", abs(degrees), degrees < 0 ? "S" : "N")
    }

    static func longitude(_ degrees: Double) -> String {
        String(format: "%10.6f°%@", abs(degrees), degrees < 0 ? "W" : "E")
    }

    /// Formats the altitude. A tilde marks an altitude of unknown accuracy.
    static func altitude(_ location: CLLocation, _ units: UnitSystem) -> String {
        let unit = units.length
        guard let altitude = location.altitudeAboveSeaLevel else { return "       - \(unit.name)" }
        let mark = location.verticalAccuracy < 0 ? "~" : " "
        return String(format: "%@%7.1f %@", mark, altitude * unit.perSI, unit.name)
    }

    /// Formats a speed in m/s, or a missing speed if it is negative.
    static func speed(_ speed: Double, _ units: UnitSystem) -> String {
        let unit = units.speed
        return speed < 0 ? "    - \(unit.name)" : String(format: "%5.1f %@", speed * unit.perSI, unit.name)
    }

    static func course(_ location: CLLocation) -> String {
        guard location.course >= 0 else { return "  -       " }
        let name = Compass.name(location.course)
        let degrees = String(format: "%3.0f°", location.course)
        return "\(degrees) \(Compass.arrow(location.course)) \(name)" + String(repeating: " ", count: 3 - name.count)
    }

    static func accuracy(_ location: CLLocation, _ units: UnitSystem) -> String {
        let accuracy = location.horizontalAccuracy * units.length.perSI
        return String(format: "± %5.*f %@", accuracy < 100 ? 1 : 0, accuracy, units.length.name)
    }

    static func satellites(_ location: CLLocation) -> String {
        guard let sky = location.sky else { return "   -" }
        let listed = sky.satellites
        let used = sky.usedCount >= 0 ? Int(sky.usedCount) : listed?.count { $0.isUsed }
        let seen = sky.visibleCount >= 0 ? Int(sky.visibleCount) : listed?.count
        let usedText = used.map { String(format: "%2d", $0) } ?? " -"
        // Some recordings, such as GPX files, state only the number of satellites used.
        return seen.map { "\(usedText)/\($0)" } ?? used.map { _ in usedText } ?? "   -"
    }

    static func color(accuracy: Double) -> Int {
        switch accuracy {
        case ..<5: 78
        case ..<15: 149
        case ..<50: 214
        default: 203
        }
    }

    static func columns(_ location: CLLocation, _ units: UnitSystem) -> [String] {
        [
            latitude(location.coordinate.latitude), longitude(location.coordinate.longitude), altitude(location, units),
            speed(location.speed, units), course(location), accuracy(location, units), satellites(location),
        ]
    }
}

extension CLLocation {
    /// The report's time with nanosecond resolution, or the location's timestamp if there is no report.
    var time: WallTime { report?.time ?? WallTime(timestamp) }
}
