// SPDX-License-Identifier: Apache-2.0

import BlackBox
import DeviceCore
import JSONBytes
import SensorTools
import SystemCalls
import Trace

/// Says what happens while a trace is recorded: as JSON on standard output, or as notes. Nobody waits for who reads it.
final class RecordingEvents: Sendable {
    private let file: String
    private let source: String
    private let parts: TraceParts
    private let motion: String
    private let asJSON: Bool
    private let stop: Stop
    private let clock: any DeviceClock
    private let start: BootTime
    private let printer: EventPrinter

    init(file: String, device: Device, parts: TraceParts, asJSON: Bool, stop: Stop) {
        self.file = file
        source = device.configuration.positionSource.value.description
        motion = device.configuration.motionSources.value.map(\.description).joined(separator: ",")
        self.parts = parts
        self.asJSON = asJSON
        self.stop = stop
        clock = device.clock
        start = clock.now
        let time = clock
        printer = EventPrinter { count in
            if asJSON {
                return Self.write(Self.line("missed", at: time.wallTime, ["events": count]), until: stop)
            }
            Notes.warn("\(count) lines about the recording were left out, because nobody read them.")
            return true
        }
    }

    func finish() { printer.finish() }

    func warn(_ text: String) {
        printer.print(text.utf8.count) {
            Notes.warn(text)
            return true
        }
    }

    func started() {
        let hasPosition = parts.contains(.position)
        let hasMotion = parts.contains(.motion)
        var what: [String] = []
        if hasPosition { what.append("positions of \(source)") }
        if hasMotion { what.append("motion of \(motion)") }
        if parts.contains(.battery) { what.append("the battery") }
        if parts.contains(.accessories) { what.append("accessories") }
        if parts.contains(.beacons) { what.append("beacons") }
        tell(
            "started", "recording \(what.joined(separator: ", ")) into \(file); Ctrl-C ends it",
            [
                "file": file, "source": (hasPosition ? source : nil) as String?,
                "motion": (hasMotion ? motion : nil) as String?,
            ])
    }

    func take(_ event: PositionEvent) {
        switch event {
        case .lost(let error): lost(nil, error)
        case .regained: tell("regained", "gpsd is back")
        case .report, .sky, .attitude, .receivers, .line: break
        }
    }

    func take(_ event: MotionEvent, sensor: SensorDescription.ID) {
        switch event {
        case .lost(let error): lost(sensor, error)
        case .regained: tell("regained", "\(sensor) is back", ["sensor": sensor])
        case .samples: break
        }
    }

    private func lost(_ sensor: SensorDescription.ID?, _ error: DeviceError) {
        guard asJSON else { return warn(error.description) }
        let reason = error.description
        tell("lost", "", sensor.map { ["sensor": $0, "reason": reason] } ?? ["reason": reason])
    }

    func take(_ event: BeaconEvent) {
        switch event {
        case .lost(let error): lost("beacons", error)
        case .regained: tell("regained", "beacons can be heard again", ["sensor": "beacons"])
        case .sighting: break
        }
    }

    func take(_ event: AccessoryEvent) {
        switch event {
        case .attached(let accessory): tell("attached", accessory)
        case .detached(let accessory): tell("detached", accessory)
        case .snapshot, .changed: break
        }
    }

    private func tell(_ event: String, _ accessory: AccessoryDescription) {
        tell(
            event, "\(accessory.label) was \(event)", ["accessory": accessory.identity, "name": accessory.name])
    }

    func triggered(_ trigger: RingTrigger, seconds: Double) {
        let rest = seconds > 0 ? "; saving in \(Int(seconds.rounded())) s" : ""
        tell(
            "triggered", "\(Printable.text(trigger.event))\(rest)", ["trigger": trigger.event, "seconds": seconds])
    }

    func found(_ leftover: RingLeftover) {
        guard let save = leftover.save else {
            for remark in leftover.remarks { warn(Printable.text(remark)) }
            return
        }
        saved(save, triggers: [], isLeftover: true)
    }

    func saved(_ save: RingSave, triggers: [RingTrigger], isLeftover: Bool) {
        for remark in save.remarks { warn(Printable.text(remark)) }
        let what = isLeftover ? " what a former recording left behind" : ""
        let length = "\(save.count) events in \(Int64(save.seconds.rounded())) s"
        tell(
            "saved", "saved\(what) as \(Printable.text(save.path)): \(length)",
            [
                "file": save.path, "leftover": isLeftover, "triggers": triggers.map(\.event), "events": save.count,
                "seconds": (save.seconds * 1000).rounded() / 1000,
            ])
    }

    func ended(lines: Int, samples: Int, accessories: Int, sightings: Int) {
        let seconds = clock.now.seconds(since: start)
        let changes = accessories > 0 ? " and \(accessories) events of accessories" : ""
        let heard = sightings > 0 ? " and \(sightings) advertisements of beacons" : ""
        let what = "\(lines) lines of gpsd and \(samples) readings of sensors\(changes)\(heard)"
        tell(
            "ended", "recorded \(what) in \(Int(seconds.rounded())) s",
            [
                "file": file, "lines": lines, "samples": samples, "accessoryEvents": accessories,
                "sightings": sightings,
                "seconds": (seconds * 1000).rounded() / 1000,
            ])
    }

    private func tell(_ event: String, _ note: String, _ members: JSONMembers = [:]) {
        guard asJSON else {
            return printer.print(note.utf8.count) {
                Notes.say(note)
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

    /// False when nobody reads any more.
    private static func write(_ line: [UInt8], until stop: Stop) -> Bool {
        let outcome = Descriptor.standardOutput.write(line, until: stop)
        // The recording matters more than what is said about it: it goes on without a reader.
        if case .failed(let number) = outcome { stop.request(.unwritable(errno: number)) }
        return outcome == .written
    }
}

extension DeviceError {
    /// The number of the error that a pipe without a reader gives.
    static let brokenPipe = EPIPE
}
