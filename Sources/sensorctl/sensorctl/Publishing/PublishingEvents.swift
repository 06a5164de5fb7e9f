// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import MQTTPublisher
import SensorTools

/// Prints the events of `publish`, from any thread. The names of events and their members are public API.
final class PublishingEvents: Sendable {
    private let events: EventReporter

    init(asJSON: Bool, stop: StopRequest) {
        events = EventReporter("publishing", asJSON: asJSON, clock: LiveClock(), stop: stop)
    }

    func started(_ settings: MQTTPublisherSettings) {
        let (broker, topic) = (settings.broker.description, settings.topic)
        events.report(
            "started", "publishing on \(topic) at \(broker); Ctrl-C ends it",
            settings.spoolFolder.map { ["broker": broker, "topic": topic, "spool": $0] }
                ?? ["broker": broker, "topic": topic])
        let isLocal = ["localhost", "127.0.0.1", "::1"].contains(settings.broker.host)
        if settings.files.password != nil, !settings.broker.usesTLS, !isLocal {
            events.warn(
                "The password and the positions are sent to \(broker) unencrypted. Use mqtts:// to encrypt them.")
        }
    }

    func process(_ event: MQTTPublisher.Event) {
        switch event {
        case .connected: events.report("connected", "connected to the broker")
        case .lost(let error): fail("lost", error)
        case .spoolFailed(let error): fail("spoolFailed", error)
        }
    }

    func positionLost(_ error: DeviceError) { fail("positionLost", error) }
    func positionRegained() { events.report("positionRegained", "positions are available again") }

    func sensorLost(_ kind: SensorKind, _ error: DeviceError) {
        fail("sensorLost", error, ["sensor": kind.rawValue, "reason": error.description])
    }

    func ended(_ statistics: MQTTStatistics, spool: String?) {
        let waiting = statistics.queued
        events.report(
            "ended", "the broker accepted \(statistics.delivered) of \(statistics.published) messages",
            [
                "published": statistics.published, "delivered": statistics.delivered, "waiting": waiting,
                "dropped": statistics.dropped, "connections": statistics.connections,
            ])
        if statistics.dropped > 0 {
            let reason = "the queue was full, or the spool could not be read"
            events.warn("\(statistics.dropped) messages were lost: \(reason).")
        }
        if waiting > 0 {
            events.warn(
                spool.map { "\(waiting) messages wait in \($0) for the next run." }
                    ?? "\(waiting) messages were not sent and are lost. Use --spool to keep messages for the next run.")
        }
        events.finish()
    }

    private func fail(_ event: String, _ error: DeviceError, _ members: JSONMembers? = nil) {
        guard events.asJSON else { return events.warn(error.description) }
        events.report(event, "", members ?? ["reason": error.description])
    }
}
