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
        commandName: "publish", abstract: "Publish the position and motion data of this board to an MQTT broker.",
        discussion: """
            Positions are OwnTracks JSON on owntracks/USER/DEVICE, and readings (--motion) are SenML on \
            senml/USER/DEVICE/KIND. Messages are queued while the broker is unavailable. This requires the package \
            trait LibMosquitto.

            Examples:
              sensorctl publish mqtt://broker.local --user fleet --device car7
              sensorctl publish mqtt://broker.local --trace drive.jsonl --speed 20
            """)

    private static let example = "mqtt://broker/owntracks/USER/DEVICE"

    @Argument(
        help: .init(
            "The address of the broker, in the form mqtt://host[:port], or mqtts://host[:port] for TLS.",
            valueName: "broker"))
    var broker: String
    @OptionGroup(title: "Publisher") var identity: PublisherIdentity
    @OptionGroup(title: "Broker") var access: BrokerOptions

    @Option(
        help: .init(
            "Also publish readings from sensors of this kind. This option may be repeated.",
            valueName: "kind")
    )
    var motion: [SensorKindName] = []

    @Option(
        help: "The interval between motion readings, in seconds. Use 0 to publish every reading.",
        transform: Seconds.parse)
    var interval = 0.1
    @Flag(help: "Publish discovery messages for Home Assistant.") var homeAssistant = false
    @Option(
        help: .init("The folder in which to store messages that the broker has not yet accepted.", valueName: "folder"))
    var spool: String?
    @Option(help: .init("Play this recording instead of reading the board's sensors.", valueName: "file"))
    var trace: String?
    @Option(help: "The playback speed relative to the recording. Use max to play without delays.")
    var speed: PlaybackSpeed?
    @Flag(help: "Shift the times in the trace so that the trace starts now.") var rebase = false
    @OptionGroup(title: "Recordings from other programs") var imports: ImportOptions
    @Option(help: "Stop after this time, such as 90s or 2m.", transform: Seconds.parse) var duration: Double?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try Self.validate(duration: duration)
        try Self.validate(interval: interval)
        try Self.rejectIf(trace == nil && (speed != nil || rebase), "--speed and --rebase require --trace.")
        try Self.rejectIf(trace == "-" && speed == nil, "A trace on standard input requires --speed.")
        let address = try ExitStatus.validating { try BrokerAddress(broker) }
        try Self.rejectIf(
            !address.usesTLS && access.requiresTLS, "Certificates require TLS: use mqtts:// instead of mqtt://.")
    }

    func run() async throws { try await Termination.run { try await publish($0) } }

    @MainActor private func publish(_ stop: StopRequest) async throws -> ExitStatus {
        if let unavailability = MQTTPublisher.unavailability {
            Log.error(unavailability.description)
            return .unavailable
        }
        let recording = try trace.map { try imports.read($0) }
        let simulated = recording.map {
            SimulatedDevice($0, stamps: rebase ? .rebased(to: LiveClock().wallTime) : .recorded)
        }
        let device = simulated?.device ?? LiveDevice.shared
        if simulated == nil, let refusal = authorizationFailure(device.configuration) {
            Log.error(refusal)
            return .noPermission
        }
        let events = PublishingEvents(asJSON: output.json, stop: stop)
        // A recording contains no configuration, so the default paths of the broker's credential files always come from
        // this machine's configuration.
        let settings = try ExitStatus.exitOnError({ ExitStatus($0, otherwise: .usage) }) {
            try self.settings(LiveDevice.shared.configuration)
        }
        events.started(settings)
        let publisher = try ExitStatus.exitOnError(Self.status) {
            try MQTTPublisher(settings, clock: device.clock) { events.process($0) }
        }
        let subscriptions = subscribe(device, publisher, events)
        Termination.schedule(stop, after: duration)
        if let simulated {
            await play(simulated, publisher, until: stop)
            for remark in recording?.remarks(on: simulated.warnings) ?? [] { Log.warning(remark) }
        }
        let reason = simulated != nil && stop.reason == nil ? StopRequest.Reason.complete : await stop.wait()
        for subscription in subscriptions { subscription.cancel() }
        // For a trace, waits until all messages have been delivered or a stop is requested. For live data, waits at
        // most a few seconds, because the broker may be unreachable.
        await Task.detached { await Self.end(publisher, waitsForQueue: simulated != nil && stop.reason == nil, stop) }
            .value
        let statistics = publisher.statistics
        events.ended(statistics, spool: spool)
        let last = stop.reason ?? reason
        let isSafe = statistics.dropped == 0 && (statistics.queued == 0 || spool != nil)
        return last.status(
            isComplete: statistics.delivered > 0 && isSafe,
            shortfall: "The broker accepted \(statistics.delivered) messages in \(duration ?? 0) s.")
    }

    /// Ends the publisher. If `waitsForQueue` is true, first waits until the broker has accepted all messages or a stop
    /// is requested. Blocks the thread for at most a few seconds, so it must not be called on the main thread.
    private static func end(_ publisher: MQTTPublisher, waitsForQueue: Bool, _ stop: StopRequest) async {
        publisher.flush()
        while waitsForQueue, stop.reason == nil, publisher.statistics.queued > 0 {
            try? await Task.sleep(for: .milliseconds(20))
        }
        publisher.end(within: .seconds(3))
    }

    private static func status(of error: DeviceError) -> ExitStatus {
        switch error.code {
        case .invalidConfiguration: .usage
        case .permissionDenied, .inputOutput: .cannotCreate
        default: .unavailable
        }
    }

    private func authorizationFailure(_ configuration: Configuration) -> String? {
        let status = LocationAuthorization.current.status
        if status == .denied || status == .restricted {
            return "The configuration does not allow the use of the position (location.authorization)."
        }
        if configuration.reducesAccuracy.value {
            return
                "The configuration allows only coarse positions (location.reducedAccuracy), but publish would send exact ones."
        }
        return nil
    }

    private func settings(_ configuration: Configuration) throws(DeviceError) -> MQTTPublisherSettings {
        var settings = MQTTPublisherSettings(
            broker: try BrokerAddress(broker), user: identity.user ?? PublisherIdentity.currentUser,
            device: identity.device ?? PublisherIdentity.hostName)
        settings.files = access.files.merging(defaults: configuration.brokerFiles.value)
        if let topic = identity.topic { settings.topic = topic }
        if let name = identity.clientID { settings.clientID = name }
        if let seconds = access.keepAlive { settings.keepAlive = seconds }
        settings.publishesHomeAssistantDiscovery = homeAssistant
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

    /// Plays the trace. At maximum speed, playback pauses while more than 1000 messages are queued for the broker.
    @MainActor private func play(_ simulated: SimulatedDevice, _ publisher: MQTTPublisher, until stop: StopRequest)
        async
    {
        guard speed == .max else { return await simulated.play(speed ?? .times(1), until: stop) }
        while stop.reason == nil, simulated.play(atMost: 64) {
            while stop.reason == nil, publisher.statistics.queued > 1000 {
                try? await Task.sleep(for: .milliseconds(5))
            }
        }
    }
}
