// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import GeofenceAlarm

// geofence-alarm FENCES    FENCES: [{"name": "yard", "latitude": 48.137, "longitude": 11.575, "radius": 200}, ...]

func printLine(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }
func reportError(_ text: String) { FileHandle.standardError.write(Data("geofence-alarm: \(text)\n".utf8)) }

guard let path = CommandLine.arguments.dropFirst().first else {
    reportError("usage: geofence-alarm FENCES.json")
    exit(64)
}
do {
    let fences = try JSONDecoder().decode([Fence].self, from: try Data(contentsOf: URL(fileURLWithPath: path)))
    try await GeofenceAlarm(fences).run { notice in
        let time = notice.date.formatted(.iso8601)
        switch notice.kind {
        case .entered: printLine("\u{7}\(time) entered \(notice.fence)")
        case .left: printLine("\u{7}\(time) left \(notice.fence)")
        case .isInside: printLine("\(time) inside \(notice.fence)")
        case .isOutside: printLine("\(time) outside \(notice.fence)")
        case .unwatched(let why): reportError("\(notice.fence) is not watched: \(why)")
        }
    }
} catch {
    reportError("\(path) cannot be used: \(error)")
    exit(65)
}
