// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import MQTTPublisher
import SensorTools

/// Prints the events of `publish` as JSON lines on standard output or as log messages. Callers never wait for the
/// reader.
final class PublishingEvents: Sendable {
    private let asJSON: Bool
    private let stop: StopRequest
    private let clock = LiveClock()
    private let printer: EventPrinter

    init(asJSON: Bool, stop: StopRequest) {
        (self.asJSON, self.stop) = (asJSON, stop)
        let clock = clock
        printer = EventPrinter { count in
            if asJSON {
                return Self.write(Self.line("missed", at: clock.wallTime) { $0.member("events", count) }, stop)
            }
            Log.warning("\(count) messages about publishing were dropped, because standard error was not read in time.")
            return true
        }
    }

    func started(_ settings: MQTTPublisherSettings) {
        let broker = settings.broker.description
        report("started", "publishing on \(settings.topic) at \(broker); Ctrl-C ends it") { writer in
            writer.member("broker", broker)
            writer.member("topic", settings.topic)
            writer.memberIfPresent("spool", settings.spoolFolder)
        }
        let isHere = ["localhost", "127.0.0.1", "::1"].contains(settings.broker.host)
        if settings.files.password != nil, !settings.broker.usesTLS, !isHere {
            warn("The password and the positions are sent to \(broker) unencrypted. Use mqtts:// to encrypt them.")
        }
    }

    func process(_ event: MQTTPublisher.Event) {
        switch event {
        case .connected: report("connected", "connected to the broker")
        case .lost(let error): fail("lost", error)
        case .spoolFailed(let error): fail("spoolFailed", error)
        }
    }

    func positionLost(_ error: DeviceError) { fail("positionLost", error) }

    func positionRegained() { report("positionRegained", "positions are available again") }

    func sensorLost(_ kind: SensorKind, _ error: DeviceError) {
        fail("sensorLost", error) { $0.member("sensor", kind.rawValue) }
    }

    func ended(_ statistics: MQTTStatistics, spool: String?) {
        let waiting = statistics.queued
        report("ended", "the broker accepted \(statistics.delivered) of \(statistics.published) messages") { writer in
            writer.member("published", statistics.published)
            writer.member("delivered", statistics.delivered)
            writer.member("waiting", waiting)
            writer.member("dropped", statistics.dropped)
            writer.member("connections", statistics.connections)
        }
        if statistics.dropped > 0 {
            let reason = "the queue was full, or the spool could not be read"
            warn("\(statistics.dropped) messages were lost: \(reason).")
        }
        if waiting > 0 {
            warn(
                spool.map { "\(waiting) messages wait in \($0) for the next run." }
                    ?? "\(waiting) messages were not sent and are lost. Use --spool to keep messages for the next run.")
        }
        printer.finish()
    }

    private func fail(_ event: StaticString, _ error: DeviceError, _ more: (inout JSONWriter) -> Void = { _ in }) {
        guard asJSON else { return warn(error.description) }
        report(event, "") { writer in
            more(&writer)
            writer.member("reason", error.description)
        }
    }

    private func warn(_ text: String) {
        printer.print(text.utf8.count) {
            Log.warning(text)
            return true
        }
    }

    private func report(_ event: StaticString, _ note: String, _ members: (inout JSONWriter) -> Void = { _ in }) {
        guard asJSON else {
            return printer.print(note.utf8.count) {
                Log.notice(note)
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

    /// Returns false if the reader has closed the pipe. Publishing continues.
    private static func write(_ line: [UInt8], _ stop: StopRequest) -> Bool {
        let outcome = Descriptor.standardOutput.write(line, until: stop)
        if case .failed(let number) = outcome { stop.request(.unwritable(errno: number)) }
        return outcome == .written
    }
}
