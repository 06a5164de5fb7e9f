// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreLocation
import DeviceCore
import LiveDevice
import MQTTPublisher
import SimulatedDevice
import Trace

struct PublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Tells others where this board is, by way of an MQTT broker.",
        discussion: """
            Publishes each position as OwnTracks' JSON on owntracks/USER/DEVICE, of which the broker keeps the last, and with \
            --motion readings as SenML on senml/USER/DEVICE/KIND. Another board follows this one with \
            DEVICE_SERVICES_GPSD=\(example). Goes on until it is ended, also while gpsd or the broker is \
            away; what the broker has not taken waits and is sent in order: in memory, the last 10000 messages, or with \
            --spool on the disk, the last 100000 or 16 MB, where it outlives this program. With --trace it plays a \
            recording, and ends when the broker has all of it.

            A password stands in a file of one line, name:password, that nobody else may read (chmod 600). The files may be \
            named by DEVICE_SERVICES_MQTT_PASSWORD_FILE, _CA_FILE, _CERTIFICATE_FILE and _KEY_FILE instead. With --json it \
            prints what happens: an object with "event" started, connected, lost, spoolFailed, positionLost, \
            positionRegained, sensorLost, missed or ended a line.

            It needs the trait LibMosquitto: build with --traits default,LibMosquitto. Exits with 69 when the broker has \
            taken nothing in --duration, or not all and the rest is not in --spool; with 77 when the configuration does not \
            allow the use of the position. See sensorctl --help for the other exit codes.

            Examples:
              sensorctl publish mqtt://broker.local --user fleet --device car7
              sensorctl publish mqtt://broker.local --trace drive.jsonl --speed 20
            """)

    private static let example = "mqtt://broker/owntracks/USER/DEVICE"

    @Argument(help: ArgumentHelp("The broker: mqtt://host[:port], or mqtts:// for TLS.", valueName: "broker"))
    var broker: String

    @OptionGroup(title: "Who publishes") var identity: PublisherIdentity
    @OptionGroup(title: "The broker") var access: BrokerOptions

    @Option(
        help: ArgumentHelp(
            "Publish readings of that sensor too: \(SensorKindName.list); may be repeated.", valueName: "kind"))
    var motion: [SensorKindName] = []

    @Option(help: "Seconds between readings of motion; 0 for as many as there are.")
    var interval = 0.1

    @Flag(help: "Have Home Assistant find this board by itself.")
    var homeAssistant = false

    @Option(help: ArgumentHelp("Keep what waits for the broker in that folder.", valueName: "folder"))
    var spool: String?

    @Option(help: ArgumentHelp("Play a recording in the place of this board's sensors.", valueName: "file"))
    var trace: String?

    @Option(help: "How many times faster than recorded the trace is played; max does not wait.")
    var speed: PlaybackSpeed?

    @Flag(help: "Move the times of the trace so that it starts now.")
    var rebase = false

    @OptionGroup(title: "Recordings of other programs") var imports: ImportOptions

    @Option(help: "End after that many seconds.")
    var duration: Double?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        try Self.validate(duration: duration)
        try Self.validate(interval: interval)
        try Self.refuse(trace == nil && (speed != nil || rebase), "--speed and --rebase are for --trace.")
        try Self.refuse(trace == "-" && speed == nil, "Name --speed too for a trace on standard input.")
        let address = try ExitStatus.validating { () throws(DeviceError) in try BrokerAddress(broker) }
        try Self.refuse(
            !address.usesTLS && access.namesTLS,
            "Certificates are for TLS: write mqtts:// in the place of mqtt://.")
    }

    func run() async throws { try await Termination.during { try await publish($0) } }

    @MainActor private func publish(_ stop: Stop) async throws -> ExitStatus {
        let played = try trace.map { try imports.read($0) }
        let simulated = played.map {
            SimulatedDevice($0, stamps: rebase ? .rebased(to: LiveClock().wallTime) : .kept)
        }
        let device = simulated?.device ?? LiveDevice.shared
        if simulated == nil, let refusal = refusal(device.configuration) {
            Notes.fail(refusal)
            return .noPermission
        }
        let events = PublishingEvents(asJSON: output.json, stop: stop)
        let publisher: MQTTPublisher
        let settings = try ExitStatus.ending({ ExitStatus($0, otherwise: .usage) }) { () throws(DeviceError) in
            try self.settings(LiveDevice.shared.configuration)
        }
        events.started(settings)
        do throws(DeviceError) {
            publisher = try MQTTPublisher(settings, clock: device.clock) { events.take($0) }
        } catch {
            Notes.fail(error.description)
            return Self.status(of: error)
        }
        let subscriptions = subscribe(device, publisher, events)
        Termination.schedule(stop, after: duration)
        if let simulated {
            await play(simulated, publisher, until: stop)
            for remark in played?.remarks(on: simulated.warnings) ?? [] { Notes.warn(remark) }
        }
        let reason = simulated != nil && stop.reason == nil ? Stop.Reason.complete : await stop.wait()
        for subscription in subscriptions { subscription.cancel() }
        // A trace has an end, and all of it is to arrive; else a broker that is away holds nobody up.
        await Task.detached { await Self.end(publisher, patient: simulated != nil && stop.reason == nil, stop) }.value
        let statistics = publisher.statistics
        events.ended(statistics, spool: spool)
        let last = stop.reason ?? reason
        let isSafe = statistics.dropped == 0 && (statistics.waiting == 0 || spool != nil)
        return last.status(
            isComplete: statistics.delivered > 0 && isSafe,
            shortfall: "The broker has taken \(statistics.delivered) messages in \(duration ?? 0) s.")
    }

    /// Waits until the broker has taken all, as long as somebody wants to.
    private static func end(_ publisher: MQTTPublisher, patient: Bool, _ stop: Stop) async {
        publisher.flush()
        while patient, stop.reason == nil, publisher.statistics.waiting > 0 {
            try? await Task.sleep(for: .milliseconds(20))
        }
        publisher.end(within: 3)
    }

    private static func status(of error: DeviceError) -> ExitStatus {
        switch error.code {
        case .invalidConfiguration: .usage
        case .permissionDenied, .inputOutput: .cannotCreate
        default: .unavailable
        }
    }

    /// Why the position may not be published.
    private func refusal(_ configuration: Configuration) -> String? {
        let status = LocationAuthorization.current.status
        if status == .denied || status == .restricted {
            return "The configuration does not allow the use of the position (location.authorization)."
        }
        if configuration.reducesAccuracy.value {
            return
                "The configuration gives programs only a coarse position (location.reducedAccuracy), and exact ones would be published."
        }
        return nil
    }

    private func settings(_ configuration: Configuration) throws(DeviceError) -> MQTTPublisherSettings {
        var settings = MQTTPublisherSettings(
            broker: try BrokerAddress(broker), user: identity.user ?? PublisherIdentity.currentUser,
            device: identity.device ?? PublisherIdentity.hostName)
        settings.files = access.files.over(configuration.brokerFiles.value)
        if let topic = identity.topic { settings.topic = topic }
        if let name = identity.clientID { settings.clientID = name }
        if let seconds = access.keepAlive { settings.keepAlive = seconds }
        settings.tellsHomeAssistant = homeAssistant
        settings.spoolFolder = spool
        return settings
    }

    private func subscribe(_ device: Device, _ publisher: MQTTPublisher, _ events: PublishingEvents) -> [Subscription] {
        let receiver = device.configuration.receiver.value
        var subscriptions = [
            device.positionSource.subscribe(PositionRequest(receiver: receiver)) { event in
                switch event {
                case .report(let report): publisher.publish(report)
                case .lost(let error): events.positionLost(error)
                case .regained: events.positionRegained()
                case .sky, .attitude, .receivers, .line: break
                }
            }
        ]
        for kind in Set(motion.map(\.kind)) {
            subscriptions.append(
                device.motionSource.subscribe(MotionRequest(kind: kind, interval: interval, latency: 1)) { event in
                    switch event {
                    case .samples(let batch): publisher.publish(batch)
                    case .lost(let error): events.sensorLost(kind, error)
                    case .regained: break
                    }
                })
        }
        return subscriptions
    }

    /// Plays the trace to its end. Where that goes faster than the broker takes messages, it waits for it.
    @MainActor private func play(_ simulated: SimulatedDevice, _ publisher: MQTTPublisher, until stop: Stop) async {
        guard speed == .max else { return await simulated.play(speed ?? .times(1), until: stop) }
        while stop.reason == nil, simulated.play(atMost: 64) {
            while stop.reason == nil, publisher.statistics.waiting > 1000 {
                try? await Task.sleep(for: .milliseconds(5))
            }
        }
    }
}
