// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import BoardMessages
import BrokerLink

/// Who publishes what, and where.
public struct MQTTPublisherSettings: Sendable {
    /// The broker.
    public var broker: BrokerAddress
    /// What lets this board in. `Configuration.load().brokerFiles.value` are the files that the machine's configuration
    /// names, as `sensorctl publish` takes them.
    public var files = BrokerFiles()
    /// The second level of OwnTracks' topics: mostly a person or a fleet.
    public var user: String
    /// The third level: this board.
    public var device: String
    /// Where positions are published.
    public var topic: String
    /// Two characters that maps show.
    public var tracker: String
    /// What the broker knows this client by; it ends the connection of an older client of that name.
    public var clientID: String
    /// Seconds after which an idle connection is tried, 5 to 65535.
    public var keepAlive = 30
    /// True to have Home Assistant find the board by itself.
    public var tellsHomeAssistant = false
    /// The folder in which messages wait, of this publisher alone; nil to have them wait in memory.
    public var spoolFolder: String?

    /// The usual settings for a board: positions on `owntracks/USER/DEVICE`.
    public init(broker: BrokerAddress, user: String, device: String) {
        self.broker = broker
        self.user = user
        self.device = device
        topic = "owntracks/\(user)/\(device)"
        tracker = String(device.suffix(2))
        clientID = "\(user)-\(device)"
    }

    /// The error says what cannot be.
    func check() throws(DeviceError) {
        for (name, value) in [("user", user), ("device", device)] {
            if let problem = TopicName.problem(value) ?? (value.contains("/") ? "has a slash" : nil) {
                throw DeviceError(.invalidConfiguration, "The \(name) \"\(value.prefix(100))\" \(problem).")
            }
        }
        if let problem = TopicName.problem(topic) {
            throw DeviceError(.invalidConfiguration, "The topic \"\(topic.prefix(100))\" \(problem).")
        }
        guard (5...65_535).contains(keepAlive) else {
            throw DeviceError(.invalidConfiguration, "The keep-alive time has to be 5 to 65535 seconds.")
        }
        if let path = files.password { _ = try BrokerAccess(path: path) }
        if broker.usesTLS { try BrokerAccess.check(files) }
        guard !clientID.isEmpty, clientID.utf8.count <= 256, !clientID.utf8.contains(0) else {
            throw DeviceError(.invalidConfiguration, "The client's name has to have 1 to 256 bytes.")
        }
    }

    /// What a map shows for the board, when the broker is told that it is there and when it is gone.
    func presence(at time: WallTime) -> Presence {
        guard tellsHomeAssistant else {
            // Not retained: the last fix stays what newcomers get.
            return Presence(
                hello: [],
                will: BrokerMessage(topic: topic, payload: OwnTracksWill.json(connected: time), isRetained: false))
        }
        let discovery = HomeAssistantDiscovery(topic: topic, identifier: "\(user)_\(device)", name: device)
        func availability(_ payload: [UInt8]) -> BrokerMessage {
            BrokerMessage(topic: discovery.availability, payload: payload, isRetained: true)
        }
        return Presence(
            hello: [
                BrokerMessage(topic: discovery.configurationTopic, payload: discovery.json(), isRetained: true),
                availability(HomeAssistantDiscovery.online),
            ], will: availability(HomeAssistantDiscovery.offline))
    }

    struct Presence {
        /// What is published first.
        var hello: [BrokerMessage]
        /// What is published last, by the board or by its broker.
        var will: BrokerMessage
    }
}
