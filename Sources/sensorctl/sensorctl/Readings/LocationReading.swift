// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import JSONBytes
import SensorTools

struct LocationsReading: Reading {
    let locations: [CLLocation]

    func writeMembers(to writer: inout JSONWriter) {
        writer.member("callback", "didUpdateLocations")
        // Does not use `altitude` and `ellipsoidalAltitude`, which are 0 if the receiver did not report an altitude.
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
            var columns = LocationFormatter.columns(location)
            for index in 0..<2 { columns[index] = ink.bold(columns[index]) }
            columns[5] = ink.color(LocationFormatter.color(accuracy: location.horizontalAccuracy), columns[5])
            return ([ink.dim(CivilDate(location.time).timeOfDayWithTenths)] + columns).joined(separator: "  ")
        }
    }

    /// Returns the column titles, with the date.
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
        let wrapped = error as NSError
        writer.member("callback", "didFailWithError")
        writer.object("error") { writer in
            writer.members([
                "domain": wrapped.domain, "code": wrapped.code, "name": (error as? CLError).map { "\($0.code)" },
                "reason": error.reason,
            ])
        }
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
        // Full authorization is the normal case and is not printed.
        let isUsual = status == .authorizedWhenInUse || status == .authorizedAlways
        guard !isUsual || accuracy != .fullAccuracy else { return [] }
        return ["\(ink.dim(CivilDate(time).timeOfDayWithTenths))  authorization: \(status), \(accuracy)"]
    }
}
