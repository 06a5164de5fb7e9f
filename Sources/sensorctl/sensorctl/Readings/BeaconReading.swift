// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import JSONBytes
import SensorTools

/// The beacons that satisfy a constraint, the nearest first.
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
            let distance = beacon.accuracy < 0 ? "       -" : String(format: "%6.1f m", beacon.accuracy)
            let strength = beacon.rssi == 0 ? "       -" : String(format: "%4d dBm", beacon.rssi)
            return "\(time)  \(ink.bold(name))  \(distance)  \(strength)  \(beacon.proximity)"
        }
    }
}

struct BeaconFailure: Reading {
    let error: any Error
    let time: WallTime

    func writeMembers(to writer: inout JSONWriter) {
        let wrapped = error as NSError
        writer.member("callback", "didFailRangingFor")
        writer.object("error") { writer in
            writer.members([
                "domain": wrapped.domain, "code": wrapped.code, "name": (error as? CLError).map { "\($0.code)" },
                "reason": error.reason,
            ])
        }
    }

    func lines(_ ink: TerminalStyle) -> [String] {
        ["\(ink.dim(CivilDate(time).timeOfDayWithTenths))  \(ink.color(214, "no beacons")): \(error.reason)"]
    }
}
