// SPDX-License-Identifier: Apache-2.0

import BlackBox
import DeviceCore
import JSONBytes
import SensorTools
import SystemCalls
import Trace

/// Prints the events of `record` as JSON lines on standard output or as log messages. Callers never wait for the
/// reader.
final class RecordingEvents: Sendable {
    private let file: String
    private let source: String
    private let parts: TraceParts
    private let motion: String
    private let asJSON: Bool
    private let stop: StopRequest
    private let clock: any DeviceClock
    private let start: BootTime
    private let printer: EventPrinter

    init(file: String, device: Device, parts: TraceParts, asJSON: Bool, stop: StopRequest) {
        self.file = file
        source = device.configuration.positionSource.value.description
        motion = device.configuration.motionSources.value.map(\.description).joined(separator: ",")
        (self.parts, self.asJSON, self.stop) = (parts, asJSON, stop)
        clock = device.clock
        start = clock.now
        let time = clock
        printer = EventPrinter { count in
            if asJSON { return Self.write(Self.line("missed", at: time.wallTime, ["events": count]), until: stop) }
            Log.warning(
                "\(count) messages about the recording were dropped, because standard error was not read in time.")
            return true
        }
    }

    func finish() { printer.finish() }

    func warn(_ text: String) {
        printer.print(text.utf8.count) {
            Log.warning(text)
            return true
        }
    }

    func started() {
        let hasPosition = parts.contains(.position)
        let hasMotion = parts.contains(.motion)
        var what: [String] = []
        if hasPosition { what.append("positions from \(source)") }
        if hasMotion { what.append("motion from \(motion)") }
        if parts.contains(.battery) { what.append("the battery") }
        if parts.contains(.accessories) { what.append("accessories") }
        if parts.contains(.beacons) { what.append("beacons") }
        report(
            "started", "recording \(what.joined(separator: ", ")) into \(file); Ctrl-C ends it",
            [
                "file": file, "source": (hasPosition ? source : nil) as String?,
                "motion": (hasMotion ? motion : nil) as String?,
            ])
    }

    func process(_ event: PositionEvent) {
        switch event {
        case .lost(let error): lost(nil, error)
        case .regained: report("regained", "gpsd is available again")
        case .report, .sky, .attitude, .receivers, .line: break
        }
    }

    func process(_ event: MotionEvent, sensor: SensorDescription.ID) {
        switch event {
        case .lost(let error): lost(sensor, error)
        case .regained: report("regained", "\(sensor) is available again", ["sensor": sensor])
        case .samples: break
        }
    }

    private func lost(_ sensor: SensorDescription.ID?, _ error: DeviceError) {
        guard asJSON else { return warn(error.description) }
        let reason = error.description
        report("lost", "", sensor.map { ["sensor": $0, "reason": reason] } ?? ["reason": reason])
    }

    func process(_ event: BeaconEvent) {
        switch event {
        case .lost(let error): lost("beacons", error)
        case .regained: report("regained", "beacons can be received again", ["sensor": "beacons"])
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
        report(event, "\(accessory.label) was \(event)", ["accessory": accessory.identity, "name": accessory.name])
    }

    func triggered(_ trigger: RingTrigger, seconds: Double) {
        let rest = seconds > 0 ? "; saving in \(Int(seconds.rounded())) s" : ""
        report(
            "triggered", "\(TerminalText.text(trigger.event))\(rest)", ["trigger": trigger.event, "seconds": seconds])
    }

    func recovered(_ leftover: RingLeftover) {
        guard let save = leftover.save else {
            for remark in leftover.remarks { warn(TerminalText.text(remark)) }
            return
        }
        saved(save, triggers: [], isLeftover: true)
    }

    func saved(_ save: SavedTrace, triggers: [RingTrigger], isLeftover: Bool) {
        for remark in save.remarks { warn(TerminalText.text(remark)) }
        let what = isLeftover ? " the data of an earlier recording" : ""
        let length = "\(save.count) events in \(Int64(save.seconds.rounded())) s"
        report(
            "saved", "saved\(what) as \(TerminalText.text(save.path)): \(length)",
            [
                "file": save.path, "leftover": isLeftover, "triggers": triggers.map(\.event), "events": save.count,
                "seconds": (save.seconds * 1000).rounded() / 1000,
            ])
    }

    func ended(lines: Int, samples: Int, accessories: Int, sightings: Int) {
        let seconds = clock.now.seconds(since: start)
        let changes = accessories > 0 ? ", \(accessories) accessory events" : ""
        let heard = sightings > 0 ? ", \(sightings) beacon advertisements" : ""
        let what = "\(lines) gpsd lines, \(samples) sensor readings\(changes)\(heard)"
        report(
            "ended", "recorded \(what) in \(Int(seconds.rounded())) s",
            [
                "file": file, "lines": lines, "samples": samples, "accessoryEvents": accessories,
                "sightings": sightings, "seconds": (seconds * 1000).rounded() / 1000,
            ])
    }

    private func report(_ event: String, _ note: String, _ members: JSONMembers = [:]) {
        guard asJSON else {
            return printer.print(note.utf8.count) {
                Log.notice(note)
                return true
            }
        }
        let line = Self.line(event, at: clock.wallTime, members)
        printer.print(line.count) { [stop] in Self.write(line, until: stop) }
    }

    private static func line(_ event: String, at time: WallTime, _ members: JSONMembers) -> [UInt8] {
        var writer = JSONWriter()
        writer.line { writer in
            writer.members(["event": event, "time": CivilDate(time).timestamp])
            writer.members(members)
        }
        return writer.bytes
    }

    /// Returns false if the reader has closed the pipe.
    private static func write(_ line: [UInt8], until stop: StopRequest) -> Bool {
        let outcome = Descriptor.standardOutput.write(line, until: stop)
        // The recording has priority over its events, so it continues without a reader.
        if case .failed(let number) = outcome { stop.request(.unwritable(errno: number)) }
        return outcome == .written
    }
}

extension DeviceError {
    /// The error number of a write to a pipe without a reader.
    static let brokenPipe = EPIPE
}
