// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import BlackBox
import DeviceCore
import JSONBytes
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
                let line = Self.line("missed", at: time.wallTime) { writer in
                    writer.key("events")
                    writer.int(count)
                }
                return Self.write(line, until: stop)
            }
            Notes.warn("\(count) lines about the recording were left out, because nobody read them.")
            return true
        }
    }

    /// Waits until all was said, as long as somebody reads it.
    func finish() { printer.finish() }

    func note(_ text: String) {
        printer.print(text.utf8.count) {
            Notes.say(text)
            return true
        }
    }

    func warn(_ text: String) {
        printer.print(text.utf8.count) {
            Notes.warn(text)
            return true
        }
    }

    func started() {
        if asJSON {
            say("started") { writer in
                writer.key("file")
                writer.string(file)
                writer.key("source")
                if parts.contains(.position) { writer.string(source) } else { writer.null() }
                writer.key("motion")
                if parts.contains(.motion) { writer.string(motion) } else { writer.null() }
            }
        } else {
            var what: [String] = []
            if parts.contains(.position) { what.append("positions of \(source)") }
            if parts.contains(.motion) { what.append("motion of \(motion)") }
            if parts.contains(.battery) { what.append("the battery") }
            if parts.contains(.accessories) { what.append("accessories") }
            note("recording \(what.joined(separator: ", ")) into \(file); Ctrl-C ends it")
        }
    }

    func take(_ event: PositionEvent) {
        switch event {
        case .lost(let error):
            if asJSON {
                say("lost") { writer in
                    writer.key("reason")
                    writer.string(error.description)
                }
            } else {
                warn(error.description)
            }
        case .regained:
            if asJSON { say("regained") { _ in } } else { note("gpsd is back") }
        case .report, .sky, .attitude, .receivers, .line: break
        }
    }

    func take(_ event: MotionEvent, sensor: SensorDescription.ID) {
        switch event {
        case .lost(let error):
            if asJSON {
                say("lost") { writer in
                    writer.key("sensor")
                    writer.string(sensor)
                    writer.key("reason")
                    writer.string(error.description)
                }
            } else {
                warn(error.description)
            }
        case .regained:
            if asJSON {
                say("regained") { writer in
                    writer.key("sensor")
                    writer.string(sensor)
                }
            } else {
                note("\(sensor) is back")
            }
        case .samples: break
        }
    }

    func take(_ event: AccessoryEvent) {
        switch event {
        case .attached(let accessory): say(accessory, attached: true)
        case .detached(let accessory): say(accessory, attached: false)
        case .snapshot, .changed: break
        }
    }

    private func say(_ accessory: AccessoryDescription, attached isAttached: Bool) {
        guard asJSON else { return note("\(accessory.label) was \(isAttached ? "attached" : "detached")") }
        say(isAttached ? "attached" : "detached") { writer in
            writer.key("accessory")
            writer.string(accessory.identity)
            writer.key("name")
            writer.string(accessory.name)
        }
    }

    func triggered(_ trigger: RingTrigger, seconds: Double) {
        guard asJSON else {
            let rest = seconds > 0 ? "; saving in \(Int(seconds.rounded())) s" : ""
            return note("\(Printable.text(trigger.event))\(rest)")
        }
        say("triggered") { writer in
            writer.key("trigger")
            writer.string(trigger.event)
            writer.key("seconds")
            writer.double(seconds)
        }
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
        guard asJSON else {
            let what = isLeftover ? " what a former recording left behind" : ""
            return note(
                "saved\(what) as \(Printable.text(save.path)): \(save.count) events in \(Int64(save.seconds.rounded())) s"
            )
        }
        say("saved") { writer in
            writer.key("file")
            writer.string(save.path)
            writer.key("leftover")
            writer.bool(isLeftover)
            writer.key("triggers")
            writer.beginArray()
            for trigger in triggers { writer.string(trigger.event) }
            writer.endArray()
            writer.key("events")
            writer.int(save.count)
            writer.key("seconds")
            writer.double((save.seconds * 1000).rounded() / 1000)
        }
    }

    func ended(lines: Int, samples: Int, accessories: Int) {
        let seconds = clock.now.seconds(since: start)
        if asJSON {
            say("ended") { writer in
                writer.key("file")
                writer.string(file)
                writer.key("lines")
                writer.int(lines)
                writer.key("samples")
                writer.int(samples)
                writer.key("accessoryEvents")
                writer.int(accessories)
                writer.key("seconds")
                writer.double((seconds * 1000).rounded() / 1000)
            }
        } else {
            let changes = accessories > 0 ? " and \(accessories) events of accessories" : ""
            note(
                "recorded \(lines) lines of gpsd and \(samples) readings of sensors\(changes) in \(Int(seconds.rounded())) s"
            )
        }
    }

    private func say(_ event: String, _ more: (inout JSONWriter) -> Void) {
        let line = Self.line(event, at: clock.wallTime, more)
        printer.print(line.count) { [stop] in Self.write(line, until: stop) }
    }

    private static func line(_ event: String, at time: WallTime, _ more: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("event")
        writer.string(event)
        writer.key("time")
        writer.string(CivilDate(time).timestamp)
        more(&writer)
        writer.endObject()
        writer.newline()
        return writer.bytes
    }

    /// False when nobody reads any more.
    private static func write(_ line: [UInt8], until stop: Stop) -> Bool {
        // Who does not read must not keep it from its end; asked ten times a second.
        var waits = 0
        let outcome = Descriptor.standardOutput.write(
            line,
            isPatient: {
                waits += 1
                return stop.reason == nil || waits < 20
            })
        // The recording matters more than what is said about it: it goes on without a reader.
        if case .failed(let number) = outcome {
            let error = DeviceError(
                .inputOutput, "Standard output cannot be written.", cause: .system(call: "write", errno: number))
            stop.request(.failed(error, .inputOutput))
        }
        return outcome == .written
    }
}

extension DeviceError {
    /// The number of the error that a pipe without a reader gives.
    static let brokenPipe = EPIPE
}
