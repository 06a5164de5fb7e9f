// SPDX-License-Identifier: Apache-2.0

import BlackBox
import DeviceCore
import JSONBytes
import SensorTools
import SystemCalls
import Trace

/// Prints the events of `record`, from any thread. The names of events and their members are public API.
final class RecordingEvents: Sendable {
    private let file: String
    private let source: String
    private let parts: TraceParts
    private let motion: String
    private let events: EventReporter
    private let clock: any DeviceClock
    private let start: BootTime

    init(file: String, device: Device, parts: TraceParts, asJSON: Bool, stop: StopRequest) {
        (self.file, self.parts) = (file, parts)
        source = device.configuration.positionSource.value.description
        motion = device.configuration.motionSources.value.map(\.description).joined(separator: ",")
        clock = device.clock
        start = clock.now
        events = EventReporter("the recording", asJSON: asJSON, clock: clock, stop: stop)
    }

    func finish() { events.finish() }
    func warn(_ text: String) { events.warn(text) }

    func started() {
        let hasPosition = parts.contains(.position)
        let hasMotion = parts.contains(.motion)
        var what: [String] = []
        if hasPosition { what.append("positions from \(source)") }
        if hasMotion { what.append("motion from \(motion)") }
        if parts.contains(.battery) { what.append("the battery") }
        if parts.contains(.accessories) { what.append("accessories") }
        if parts.contains(.beacons) { what.append("beacons") }
        events.report(
            "started", "recording \(what.joined(separator: ", ")) into \(file); Ctrl-C ends it",
            [
                "file": file, "source": (hasPosition ? source : nil) as String?,
                "motion": (hasMotion ? motion : nil) as String?,
            ])
    }

    func process(_ event: PositionEvent) {
        switch event {
        case .lost(let error): lost(nil, error)
        case .regained: events.report("regained", "gpsd is available again")
        case .report, .sky, .attitude, .receivers, .line: break
        }
    }

    func process(_ event: MotionEvent, sensor: SensorDescription.ID) {
        switch event {
        case .lost(let error): lost(sensor, error)
        case .regained: events.report("regained", "\(sensor) is available again", ["sensor": sensor])
        case .samples: break
        }
    }

    private func lost(_ sensor: SensorDescription.ID?, _ error: DeviceError) {
        guard events.asJSON else { return warn(error.description) }
        let reason = error.description
        events.report("lost", "", sensor.map { ["sensor": $0, "reason": reason] } ?? ["reason": reason])
    }

    func process(_ event: BeaconEvent) {
        switch event {
        case .lost(let error): lost("beacons", error)
        case .regained: events.report("regained", "beacons can be received again", ["sensor": "beacons"])
        case .sighting: break
        }
    }

    func process(_ event: AccessoryEvent) {
        switch event {
        case .attached(let accessory): report("attached", accessory)
        case .detached(let accessory): report("detached", accessory)
        case .snapshot, .changed: break
        }
    }

    private func report(_ event: String, _ accessory: AccessoryDescription) {
        events.report(
            event, "\(accessory.label) was \(event)", ["accessory": accessory.identity, "name": accessory.name])
    }

    func triggered(_ trigger: RingTrigger, seconds: Double) {
        let rest = seconds > 0 ? "; saving in \(Int(seconds.rounded())) s" : ""
        events.report(
            "triggered", "\(TerminalText.text(trigger.event))\(rest)", ["trigger": trigger.event, "seconds": seconds])
    }

    func recovered(_ leftover: RingLeftover) {
        guard let save = leftover.trace else {
            for remark in leftover.remarks { warn(TerminalText.text(remark)) }
            return
        }
        saved(save, triggers: [], isLeftover: true)
    }

    func saved(_ save: SavedTrace, triggers: [RingTrigger], isLeftover: Bool) {
        for remark in save.remarks { warn(TerminalText.text(remark)) }
        let what = isLeftover ? " the data of an earlier recording" : ""
        let length = "\(save.count) events in \(Int64(save.seconds.rounded())) s"
        events.report(
            "saved", "saved\(what) as \(TerminalText.text(save.path)): \(length)",
            [
                "file": save.path, "leftover": isLeftover, "triggers": triggers.map(\.event), "events": save.count,
                "seconds": (save.seconds * 1000).rounded() / 1000,
            ])
    }

    func ended(lines: Int, samples: Int, accessories: Int, sightings: Int) {
        let seconds = clock.now.seconds(since: start)
        let changes = accessories > 0 ? ", \(accessories) accessory events" : ""
        let beaconText = sightings > 0 ? ", \(sightings) beacon advertisements" : ""
        let what = "\(lines) gpsd lines, \(samples) sensor readings\(changes)\(beaconText)"
        events.report(
            "ended", "recorded \(what) in \(Int(seconds.rounded())) s",
            [
                "file": file, "lines": lines, "samples": samples, "accessoryEvents": accessories,
                "sightings": sightings, "seconds": (seconds * 1000).rounded() / 1000,
            ])
    }
}

extension DeviceError { static let brokenPipe = EPIPE }
