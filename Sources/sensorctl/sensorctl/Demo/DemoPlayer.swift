// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import SensorTools
import SimulatedDevice
import Trace

/// Plays a demo trace, either as an animation or as a few lines of text.
@MainActor struct DemoPlayer {
    private static let interval = Duration.milliseconds(50)

    let trace: DemoTrace
    let stop: StopRequest

    /// Plays the trace in a terminal. The speed is chosen so that playback takes about `seconds` seconds.
    func show(on terminal: TerminalScreen, within seconds: Double) async -> DemoState {
        let device = SimulatedDevice(trace.file)
        let tracker = device.use { DemoTracker(regions: trace.regions) }
        defer { tracker.end() }
        let factor = max(trace.duration / max(seconds, 0.1), 0.1)
        var panel = DemoPanel(trace: trace, factor: factor)
        let end = StopRequest()
        var picturesLeft = 30
        let playing = Task {
            await device.play(.times(factor), until: stop)
            end.request(.complete)
        }
        while stop.reason == nil {
            let size = terminal.measure()
            let elapsed = device.wallTime.seconds(since: trace.start)
            let canvas = panel.draw(tracker.state, elapsed: elapsed, width: size.width, height: size.height)
            guard terminal.show(canvas) else {
                stop.request(.outputClosed)
                break
            }
            // Keeps the last picture visible for about 1.5 s.
            if end.reason != nil {
                picturesLeft -= 1
                if picturesLeft == 0 { break }
            }
            try? await Task.sleep(for: Self.interval)
        }
        await playing.value
        return tracker.state
    }

    func summarize(on output: StandardOutput) async -> DemoState {
        let device = SimulatedDevice(trace.file)
        let tracker = device.use { DemoTracker(regions: trace.regions) }
        defer { tracker.end() }
        let interval = max(5, trace.duration / 10)
        let start = trace.start
        var due = 0.0
        var wasLost = false
        tracker.onChange = { [weak tracker] in
            guard let state = tracker?.state else { return }
            let elapsed = device.wallTime.seconds(since: start)
            let isLost = state.failure != nil
            guard elapsed >= due || isLost != wasLost else { return }
            wasLost = isLost
            if elapsed >= due { due = elapsed + interval }
            output.write(line: DemoSummary.line(state, elapsed: elapsed, trace.units))
        }
        await device.play(.max, until: stop)
        return tracker.state
    }
}

/// The demo's location manager delegate. It uses the same API as any app. Must be used on the main thread.
final class DemoTracker: NSObject, CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private(set) var state: DemoState
    var onChange: () -> Void = {}

    init(regions: [NamedRegion]) {
        state = DemoState(regions: regions)
        super.init()
        manager.delegate = self
        manager.requestWhenInUseAuthorization()
        manager.startUpdatingLocation()
        for region in regions { manager.startMonitoring(for: region.circle) }
    }

    func end() {
        manager.stopUpdatingLocation()
        for region in manager.monitoredRegions { manager.stopMonitoring(for: region) }
        manager.delegate = nil
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations { state.add(location) }
        onChange()
    }

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        state.recordEntry(region.identifier)
        onChange()
    }

    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        state.setInside(region.identifier, false)
        onChange()
    }

    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {
        self.state.setInside(region.identifier, state == .inside)
        onChange()
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        state.recordFailure(error.reason)
        onChange()
    }
}

/// A trace for the demo. The initializer plays it once, without output, to determine its properties.
struct DemoTrace {
    let file: TraceFile
    let regions: [NamedRegion]
    let units: UnitSystem
    let name: String
    /// True if the trace is in a folder named `synthetic`, as in Simulators/Traces.
    let isSynthetic: Bool
    let start: WallTime
    /// The duration of the trace, in seconds.
    let duration: Double
    /// The highest speed, in metres per second.
    let fastest: Double
    let receiver: ReceiverDescription?
    let hasPositions: Bool

    @MainActor init(_ file: TraceFile, regions: [NamedRegion], units: UnitSystem) {
        (self.file, self.regions, self.units) = (file, regions, units)
        let parts = file.name.split(separator: "/")
        name = parts.last.map(String.init) ?? file.name
        isSynthetic = parts.dropLast().last == "synthetic"
        let device = SimulatedDevice(file)
        let tracker = device.use { DemoTracker(regions: []) }
        start = device.wallTime
        // `play()` throws an error only if another playback is already running, which is impossible here.
        try? device.play()
        duration = device.wallTime.seconds(since: start)
        fastest = tracker.state.fastest
        hasPositions = tracker.state.locations > 0
        receiver = device.device.positionSource.receivers.first
        tracker.end()
    }

    var title: String {
        var title = (isSynthetic ? "synthetic: " : "recorded: ") + name
        if let receiver, !receiver.driver.isEmpty, !isSynthetic { title += " (\(receiver.driver))" }
        return title
    }
}

enum DemoSummary {
    static func line(_ state: DemoState, elapsed: Double, _ units: UnitSystem) -> String {
        let time = DemoPanel.minutes(elapsed)
        if let failure = state.failure { return "  \(time)  no position: \(failure)" }
        guard let location = state.location else { return "  \(time)  no position yet" }
        return "  \(time)  " + LocationFormatter.columns(location, units).joined(separator: "  ")
    }

    static func end(_ trace: DemoTrace, _ state: DemoState) -> String {
        let losses = state.losses == 0 ? "" : ", position lost \(state.losses) ×"
        let entries = state.regions.filter { $0.entries > 0 }.map { ", \($0.region.name) entered \($0.entries) ×" }
        let time = DemoPanel.minutes(trace.duration)
        let length = state.length(trace.units)
        return "\(trace.title): \(state.locations) locations in \(time), \(length)\(losses)\(entries.joined())"
    }
}
