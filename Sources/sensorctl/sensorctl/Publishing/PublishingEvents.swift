// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import MQTTPublisher
import SensorTools

/// What happens while `publish` publishes: lines of JSON on standard output, or notes. Nobody waits for who reads it.
final class PublishingEvents: Sendable {
    private let asJSON: Bool
    private let stop: Stop
    private let clock = LiveClock()
    private let printer: EventPrinter

    init(asJSON: Bool, stop: Stop) {
        (self.asJSON, self.stop) = (asJSON, stop)
        let clock = clock
        printer = EventPrinter { count in
            if asJSON {
                return Self.write(Self.line("missed", at: clock.wallTime) { $0.member("events", count) }, stop)
            }
            Notes.warn("\(count) lines about publishing were left out, because nobody read them.")
            return true
        }
    }

    func started(_ settings: MQTTPublisherSettings) {
        let broker = settings.broker.description
        tell("started", "publishing on \(settings.topic) at \(broker); Ctrl-C ends it") { writer in
            writer.member("broker", broker)
            writer.member("topic", settings.topic)
            writer.memberIfPresent("spool", settings.spoolFolder)
        }
        let isHere = ["localhost", "127.0.0.1", "::1"].contains(settings.broker.host)
        if settings.files.password != nil, !settings.broker.usesTLS, !isHere {
            warn("The password goes to \(broker) unencrypted, and so do the positions; mqtts:// encrypts them.")
        }
    }

    func take(_ event: MQTTPublisher.Event) {
        switch event {
        case .connected: tell("connected", "the broker takes messages")
        case .lost(let error): fail("lost", error)
        case .spoolFailed(let error): fail("spoolFailed", error)
        }
    }

    func positionLost(_ error: DeviceError) { fail("positionLost", error) }

    func positionRegained() { tell("positionRegained", "positions are back") }

    func sensorLost(_ kind: SensorKind, _ error: DeviceError) {
        fail("sensorLost", error) { $0.member("sensor", kind.rawValue) }
    }

    func ended(_ statistics: MQTTStatistics, spool: String?) {
        let waiting = statistics.waiting
        tell("ended", "the broker has taken \(statistics.delivered) of \(statistics.published) messages") { writer in
            writer.member("published", statistics.published)
            writer.member("delivered", statistics.delivered)
            writer.member("waiting", waiting)
            writer.member("dropped", statistics.dropped)
            writer.member("connections", statistics.connections)
        }
        if statistics.dropped > 0 {
            let reason = "there was no room for them, or the disk did not give them back"
            warn("\(statistics.dropped) messages are lost: \(reason).")
        }
        if waiting > 0 {
            warn(
                spool.map { "\(waiting) messages wait in \($0) for the next run." }
                    ?? "\(waiting) messages are lost; --spool keeps them for the next run.")
        }
        printer.finish()
    }

    private func fail(
        _ event: StaticString, _ error: DeviceError, _ more: (inout JSONWriter) -> Void = { _ in }
    ) {
        guard asJSON else { return warn(error.description) }
        tell(event, "") { writer in
            more(&writer)
            writer.member("reason", error.description)
        }
    }

    private func warn(_ text: String) {
        printer.print(text.utf8.count) {
            Notes.warn(text)
            return true
        }
    }

    private func tell(_ event: StaticString, _ note: String, _ members: (inout JSONWriter) -> Void = { _ in }) {
        guard asJSON else {
            return printer.print(note.utf8.count) {
                Notes.say(note)
                return true
            }
        }
        let line = Self.line(event, at: clock.wallTime, members)
        printer.print(line.count) { [stop] in Self.write(line, stop) }
    }

    private static func line(
        _ event: StaticString, at time: WallTime, _ members: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("event", "\(event)")
            writer.member("time", CivilDate(time).timestamp)
            members(&writer)
        }
        writer.newline()
        return writer.bytes
    }

    /// False when nobody reads any more: publishing goes on all the same.
    private static func write(_ line: [UInt8], _ stop: Stop) -> Bool {
        let outcome = Descriptor.standardOutput.write(line, until: stop)
        if case .failed(let number) = outcome { stop.request(.unwritable(errno: number)) }
        return outcome == .written
    }
}
