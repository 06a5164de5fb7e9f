// SPDX-License-Identifier: Apache-2.0

/// The address of a position source.
///
/// - `gpsd://host:port`: a gpsd server.
/// - `libgps://host:port`: a gpsd server whose data is decoded by libgps.
/// - `mqtt://host:port/owntracks/USER/DEVICE`: an MQTT topic to which another board publishes. `mqtts://` uses TLS.
///
/// An IPv6 address must be in brackets. The host defaults to localhost, and the port to the protocol's registered port.
public struct PositionSourceAddress: Sendable, Hashable, CustomStringConvertible {
    /// The clients that can connect to a position source. The raw value is the scheme of an address.
    public enum Client: String, Sendable {
        /// This package's gpsd client and decoder.
        case native = "gpsd"
        /// This package's gpsd client, with libgps as the decoder.
        case libgps
        /// A client for positions that another board publishes to an MQTT broker.
        case mqtt
        /// Like `mqtt`, but with TLS.
        case mqtts
    }

    /// The client.
    public let client: Client
    /// A host name or a numeric address.
    public let host: String
    /// The TCP port.
    public let port: UInt16
    /// The MQTT topic, or an empty string for gpsd.
    public let topic: String

    /// The registered TCP port of gpsd.
    package static let standardPort: UInt16 = 2947

    /// Creates the address of a gpsd server.
    public init(client: Client = .native, host: String = "localhost", port: UInt16 = 2947) {
        (self.client, self.host, self.port) = (client, host, port)
        topic = ""
    }

    package init(broker: BrokerAddress, topic: String) {
        client = broker.usesTLS ? .mqtts : .mqtt
        host = broker.host
        port = broker.port
        self.topic = topic
    }

    /// Parses an address. The error describes why the text is invalid.
    public init(_ text: String) throws(DeviceError) {
        // Not inlined, to avoid duplicating the code that builds the message.
        @inline(never) func failure(_ reason: String) -> DeviceError {
            DeviceError(
                .invalidConfiguration,
                "\"\(ServiceAddress.redacted(text))\" is not the address of a position source: \(reason). Write gpsd://host:port, libgps://host:port or mqtt://host:port/topic."
            )
        }
        let parts = try ServiceAddress(text, failure: failure)
        let scheme = parts.scheme ?? Client.native.rawValue
        guard let client = Client(rawValue: scheme) else {
            throw failure("the scheme is not one of gpsd, libgps, mqtt and mqtts")
        }
        if client == .mqtt || client == .mqtts {
            let broker = BrokerAddress(parts)
            let topic = parts.path ?? ""
            guard !topic.isEmpty else { throw failure("the topic is missing, for example owntracks/USER/DEVICE") }
            if let problem = TopicName.problem(topic) { throw failure("the topic \(problem)") }
            self.init(broker: broker, topic: topic)
            return
        }
        guard (parts.path ?? "").isEmpty else { throw failure("nothing may follow the port of gpsd") }
        self.init(client: client, host: parts.host, port: parts.port ?? PositionSourceAddress.standardPort)
    }

    package var broker: BrokerAddress? {
        client == .mqtt || client == .mqtts ? BrokerAddress(host: host, port: port, usesTLS: client == .mqtts) : nil
    }

    /// The address in the notation used in configurations.
    public var description: String {
        let server = "\(client.rawValue)://\(ServiceAddress.text(host: host, port: port))"
        return topic.isEmpty ? server : "\(server)/\(topic)"
    }
}
