// SPDX-License-Identifier: Apache-2.0

/// Where positions come from: `gpsd://host:port`, `libgps://host:port`, or the topic of another board at a broker,
/// `mqtt://host:port/owntracks/USER/DEVICE` (`mqtts://` with TLS).
///
/// An IPv6 address stands in brackets. The host defaults to localhost and the port to the registered one.
public struct PositionSourceAddress: Sendable, Hashable, CustomStringConvertible {
    /// The ways to get positions.
    public enum Client: String, Sendable {
        /// The client of this package for gpsd: its own socket, framing and decoder.
        case native = "gpsd"
        /// The same socket and framing, with reports decoded by libgps.
        case libgps
        /// What another board publishes at an MQTT broker.
        case mqtt
        /// The same over TLS.
        case mqtts
    }

    /// The client.
    public let client: Client
    /// A name or a numeric address.
    public let host: String
    /// The TCP port.
    public let port: UInt16
    /// The topic at a broker; empty for gpsd.
    public let topic: String

    /// gpsd's registered port.
    public static let standardPort: UInt16 = 2947

    /// The address of a gpsd.
    public init(client: Client = .native, host: String = "localhost", port: UInt16 = standardPort) {
        self.client = client
        self.host = host
        self.port = port
        topic = ""
    }

    /// The address of a board that publishes at a broker.
    public init(broker: BrokerAddress, topic: String) {
        client = broker.usesTLS ? .mqtts : .mqtt
        host = broker.host
        port = broker.port
        self.topic = topic
    }

    /// Reads an address; the error names what is wrong with it.
    public init(_ text: String) throws(DeviceError) {
        // One copy for all that can be wrong.
        @inline(never) func failure(_ reason: String) -> DeviceError {
            DeviceError(
                .invalidConfiguration,
                "\"\(ServiceAddress.shown(text))\" is not the address of a position source: \(reason). Write gpsd://host:port, libgps://host:port or mqtt://host:port/topic."
            )
        }
        let parts = try ServiceAddress(text, failure: failure)
        let scheme = parts.scheme ?? Client.native.rawValue
        guard let client = Client(rawValue: scheme) else {
            throw failure("the scheme is none of gpsd, libgps, mqtt and mqtts")
        }
        if client == .mqtt || client == .mqtts {
            let broker = BrokerAddress(parts)
            let topic = parts.path ?? ""
            guard !topic.isEmpty else { throw failure("the topic is missing, for example owntracks/USER/DEVICE") }
            if let problem = TopicName.problem(topic) { throw failure("the topic \(problem)") }
            self.init(broker: broker, topic: topic)
            return
        }
        guard (parts.path ?? "").isEmpty else { throw failure("nothing may follow the port of a gpsd") }
        self.init(
            client: client, host: parts.host.isEmpty ? "localhost" : parts.host,
            port: parts.port ?? PositionSourceAddress.standardPort)
    }

    /// The broker at which another board publishes; nil for gpsd.
    package var broker: BrokerAddress? {
        client == .mqtt || client == .mqtts
            ? BrokerAddress(host: host, port: port, usesTLS: client == .mqtts) : nil
    }

    /// The address as it is written in a configuration.
    public var description: String {
        let place = "\(client.rawValue)://\(ServiceAddress.text(host: host, port: port))"
        return topic.isEmpty ? place : "\(place)/\(topic)"
    }
}
