// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import SimulatedDevice
import Trace

/// A trace of the demo, and its properties found by playing it once without output.
struct DemoTrace {
    let file: TraceFile
    /// The regions to draw and monitor.
    let regions: [NamedRegion]
    /// The filename of the trace.
    let name: String
    /// True if the trace is in a folder named "synthetic".
    let isSynthetic: Bool
    let start: WallTime
    /// The duration of the trace, in seconds.
    let duration: Double
    /// The highest speed, in metres per second.
    let fastest: Double
    /// The first receiver that gpsd has reported.
    let receiver: ReceiverDescription?

    @MainActor init(_ file: TraceFile, regions: [NamedRegion]) {
        self.file = file
        self.regions = regions
        let parts = file.name.split(separator: "/")
        name = parts.last.map(String.init) ?? file.name
        isSynthetic = parts.dropLast().last == "synthetic"
        let device = SimulatedDevice(file)
        let tracker = device.use { DemoTracker(regions: []) }
        start = device.wallTime
        // Nothing else plays this device.
        try? device.play()
        duration = device.wallTime.seconds(since: start)
        fastest = tracker.state.fastest
        receiver = device.device.positionSource.receivers.first
        tracker.end()
    }

    /// The title, such as "synthetic: mountain-road.json".
    var title: String {
        var title = (isSynthetic ? "synthetic: " : "recorded: ") + name
        if let receiver, !receiver.driver.isEmpty, !isSynthetic { title += " (\(receiver.driver))" }
        return title
    }
}

/// Text output of the demo.
enum DemoSummary {
    static func line(_ state: DemoState, elapsed: Double) -> String {
        let time = DemoPanel.minutes(elapsed)
        if let failure = state.failure { return "  \(time)  no position: \(failure)" }
        guard let location = state.location else { return "  \(time)  no position yet" }
        return "  \(time)  " + LocationFormatter.columns(location).joined(separator: "  ")
    }

    static func end(_ trace: DemoTrace, _ state: DemoState) -> String {
        let losses = state.losses == 0 ? "" : ", position lost \(state.losses) ×"
        let entries = state.regions.filter { $0.entries > 0 }.map { ", \($0.region.name) entered \($0.entries) ×" }
        let time = DemoPanel.minutes(trace.duration)
        return "\(trace.title): \(state.locations) locations in \(time), \(state.length)\(losses)\(entries.joined())"
    }
}
