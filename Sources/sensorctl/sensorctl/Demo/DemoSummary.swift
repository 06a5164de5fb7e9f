// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation

/// What the demo says in words.
enum DemoSummary {
    /// One moment of a trace.
    static func line(_ state: DemoState, elapsed: Double) -> String {
        let time = DemoPanel.minutes(elapsed)
        if let failure = state.failure { return "  \(time)  no position: \(failure)" }
        guard let location = state.location else { return "  \(time)  no position yet" }
        let columns = [
            Reading.latitude(location.coordinate.latitude), Reading.longitude(location.coordinate.longitude),
            Reading.altitude(location), Reading.speed(location), Reading.course(location), Reading.accuracy(location),
            Reading.satellites(location),
        ]
        return "  \(time)  " + columns.joined(separator: "  ")
    }

    /// What was to be seen.
    static func end(_ trace: DemoTrace, _ state: DemoState) -> String {
        let length = String(
            format: state.distance >= 1000 ? "%.2f km" : "%.0f m",
            state.distance >= 1000 ? state.distance / 1000 : state.distance)
        let losses = state.losses == 0 ? "" : ", position lost and found \(state.losses) ×"
        return
            "\(trace.title): \(state.locations) locations in \(DemoPanel.minutes(trace.duration)), \(length)\(losses)"
    }
}
