// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import JSONBytes
import SensorTools

/// A region callback, as printed by `watch` and `replay`. Its JSON member names are public API.
struct RegionReading: Reading {
    enum Callback: String { case didDetermineState, didEnterRegion, didExitRegion }

    let callback: Callback
    let region: String
    let state: CLRegionState
    /// The time at which the state changed, or nil if unknown.
    let date: Date?

    func writeMembers(to writer: inout JSONWriter) {
        writer.members([
            "callback": callback.rawValue, "region": region, "state": "\(state)",
            "timestamp": date.map { CivilDate(WallTime($0)).timestamp },
        ])
    }

    func lines(_ ink: TerminalStyle) -> [String] {
        let time = date.map { CivilDate(WallTime($0)).timeOfDayWithTenths } ?? "--:--:--.-"
        let what =
            switch callback {
            case .didDetermineState: "\(state)"
            case .didEnterRegion: ink.bold("entered")
            case .didExitRegion: ink.bold("left")
            }
        return ["\(ink.dim(time))  \(region)  \(what)"]
    }
}

struct RegionFailure: Reading {
    let region: String
    let reason: String

    func writeMembers(to writer: inout JSONWriter) {
        writer.members(["callback": "monitoringDidFailFor", "region": region])
        writer.object("error") { $0.members(["reason": reason]) }
    }

    func lines(_ ink: TerminalStyle) -> [String] { ["\(ink.color(203, "not monitored"))  \(region): \(reason)"] }
}

struct VisitReading: Reading {
    let visit: CLVisit

    // Core Location reports unknown times as the distant past or future.
    private var arrival: WallTime? { visit.arrivalDate == .distantPast ? nil : WallTime(visit.arrivalDate) }
    private var departure: WallTime? { visit.departureDate == .distantFuture ? nil : WallTime(visit.departureDate) }

    func writeMembers(to writer: inout JSONWriter) {
        writer.members([
            "callback": "didVisit", "arrivalDate": arrival.map { CivilDate($0).timestamp },
            "departureDate": departure.map { CivilDate($0).timestamp }, "latitude": visit.coordinate.latitude,
            "longitude": visit.coordinate.longitude, "horizontalAccuracy": visit.horizontalAccuracy,
        ])
    }

    func lines(_ ink: TerminalStyle) -> [String] {
        let (latitude, longitude) = (visit.coordinate.latitude, visit.coordinate.longitude)
        let unit = ink.units.length
        let accuracy = visit.horizontalAccuracy * unit.perSI
        let place = String(format: "%.6f %.6f ± %.0f %@", latitude, longitude, accuracy, unit.name)
        let times = [arrival, departure].map { $0.map { CivilDate($0).timeOfDayWithTenths } ?? "…" }
        return ["\(ink.dim(times.joined(separator: " to ")))  \(departure == nil ? "arrived" : "left")  \(place)"]
    }
}

extension WallTime {
    /// Creates a time from a date, rounded to microseconds. Smaller fractions in a `Date` are rounding errors. `Date`
    /// counts from 2001-01-01, which is 978,307,200 s after the epoch.
    init(_ date: Date) {
        let microseconds = ((date.timeIntervalSinceReferenceDate + 978_307_200) * 1e6).rounded()
        self = WallTime(seconds: microseconds / 1e6) ?? .epoch
    }
}

/// The beacons that satisfy a constraint, nearest first.
struct BeaconsReading: Reading {
    let beacons: [CLBeacon]
    let time: WallTime

    func writeMembers(to writer: inout JSONWriter) {
        writer.member("callback", "didRangeBeacons")
        writer.objects("beacons", beacons) { beacon in
            [
                "uuid": beacon.uuid.uuidString, "major": beacon.major.intValue, "minor": beacon.minor.intValue,
                "proximity": "\(beacon.proximity)", "accuracy": beacon.accuracy, "rssi": beacon.rssi,
            ]
        }
        writer.member("timestamp", CivilDate(time).timestamp)
    }

    func lines(_ ink: TerminalStyle) -> [String] {
        let time = ink.dim(CivilDate(time).timeOfDayWithTenths)
        guard !beacons.isEmpty else { return ["\(time)  \(ink.dim("no beacon"))"] }
        return beacons.map { beacon in
            let name = "\(beacon.uuid.uuidString) \(beacon.major) \(beacon.minor)"
            let unit = ink.units.length
            let distance =
                beacon.accuracy < 0 ? "       -" : String(format: "%6.1f %@", beacon.accuracy * unit.perSI, unit.name)
            let strength = beacon.rssi == 0 ? "       -" : String(format: "%4d dBm", beacon.rssi)
            return "\(time)  \(ink.bold(name))  \(distance)  \(strength)  \(beacon.proximity)"
        }
    }
}

struct BeaconFailure: Reading {
    let error: any Error
    let time: WallTime

    func writeMembers(to writer: inout JSONWriter) {
        writer.member("callback", "didFailRangingFor")
        error.write(to: &writer)
    }

    func lines(_ ink: TerminalStyle) -> [String] {
        ["\(ink.dim(CivilDate(time).timeOfDayWithTenths))  \(ink.color(214, "no beacons")): \(error.reason)"]
    }
}
