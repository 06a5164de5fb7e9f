// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import MQTTClient

/// A publisher's settings.
public struct MQTTPublisherSettings: Sendable {
    /// The broker's address.
    public var broker: BrokerAddress
    /// The files for authentication. `Configuration.load().brokerFiles.value` returns the files specified in the system
    /// configuration, which `sensorctl publish` uses.
    public var files = BrokerCredentialFiles()
    /// The second level of the topics, usually the name of a user or a fleet.
    public var user: String
    /// The third level of the topics, which is the name of this board.
    public var device: String
    /// The topic for positions.
    public var topic: String
    /// The two characters that represent this board on maps.
    public var tracker: String
    /// The MQTT client ID. The broker closes any existing connection with the same client ID.
    public var clientID: String
    /// The keep-alive interval, from 5 to 65,535 seconds. If no messages are exchanged for this long, the publisher
    /// pings the broker.
    public var keepAlive = 30
    /// True to publish a discovery message for Home Assistant.
    public var publishesHomeAssistantDiscovery = false
    /// The directory for queued messages, which no other publisher may use. If nil, messages are queued in memory.
    public var spoolFolder: String?

    /// Creates a board's default settings. Positions are published on `owntracks/USER/DEVICE`.
    public init(broker: BrokerAddress, user: String, device: String) {
        (self.broker, self.user, self.device) = (broker, user, device)
        topic = "owntracks/\(user)/\(device)"
        tracker = String(device.suffix(2))
        clientID = "\(user)-\(device)"
    }

    func check() throws(DeviceError) {
        for (name, value) in [("user", user), ("device", device)] {
            if let problem = TopicName.problem(value) ?? (value.contains("/") ? "contains a slash" : nil) {
                throw DeviceError(.invalidConfiguration, "The \(name) \"\(value.prefix(100))\" \(problem).")
            }
        }
        if let problem = TopicName.problem(topic) {
            throw DeviceError(.invalidConfiguration, "The topic \"\(topic.prefix(100))\" \(problem).")
        }
        guard (5...65_535).contains(keepAlive) else {
            throw DeviceError(.invalidConfiguration, "The keep-alive interval must be 5 to 65535 seconds.")
        }
        if let path = files.password { _ = try BrokerCredentials(path: path) }
        if broker.usesTLS { try BrokerCredentials.check(files) }
        guard !clientID.isEmpty, clientID.utf8.count <= 256, !clientID.utf8.contains(0) else {
            throw DeviceError(.invalidConfiguration, "The client ID must have 1 to 256 bytes.")
        }
    }

    func presence(at time: WallTime) -> Presence {
        guard publishesHomeAssistantDiscovery else {
            // A retained will would replace the last fix, which the broker keeps for new subscribers, so the will is
            // not retained.
            return Presence(
                birthMessages: [],
                will: BrokerMessage(topic: topic, payload: OwnTracksWill.json(connected: time), isRetained: false))
        }
        let discovery = HomeAssistantDiscovery(topic: topic, identifier: "\(user)_\(device)", name: device)
        func availability(_ payload: [UInt8]) -> BrokerMessage {
            BrokerMessage(topic: discovery.availability, payload: payload, isRetained: true)
        }
        return Presence(
            birthMessages: [
                BrokerMessage(topic: discovery.configurationTopic, payload: discovery.json(), isRetained: true),
                availability(HomeAssistantDiscovery.online),
            ], will: availability(HomeAssistantDiscovery.offline))
    }

    struct Presence {
        /// The messages to publish after connecting.
        var birthMessages: [BrokerMessage]
        /// The final message. The board publishes it before disconnecting. If the connection is lost, the broker
        /// publishes it.
        var will: BrokerMessage
    }
}
