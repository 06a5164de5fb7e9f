// SPDX-License-Identifier: Apache-2.0

/// Where an MQTT broker listens: `mqtt://host:port`, or `mqtts://host:port` with TLS.
///
/// The port defaults to 1883, and to 8883 with TLS. A name and a password never stand in an address, where everybody reads
/// them who may list processes: see ``BrokerFiles``.
public struct BrokerAddress: Sendable, Hashable, CustomStringConvertible {
    /// A name or a numeric address.
    public var host: String
    /// The TCP port.
    public var port: UInt16
    /// True to encrypt the connection, and to believe the broker's certificate only when it was signed for its host.
    public var usesTLS: Bool

    /// An address of those parts; the port that is usual unless one is given.
    public init(host: String, port: UInt16? = nil, usesTLS: Bool = false) {
        self.host = host
        self.port = port ?? (usesTLS ? 8883 : 1883)
        self.usesTLS = usesTLS
    }

    /// Reads an address; the error names what is wrong with it.
    public init(_ text: String) throws(DeviceError) {
        func failure(_ reason: String) -> DeviceError {
            DeviceError(
                .invalidConfiguration,
                "\"\(ServiceAddress.shown(text))\" is not the address of a broker: \(reason). Write mqtt://host:port or mqtts://host:port."
            )
        }
        let parts = try ServiceAddress(text, failure: failure)
        guard let scheme = parts.scheme, scheme == "mqtt" || scheme == "mqtts" else {
            throw failure("it begins neither with mqtt:// nor with mqtts://")
        }
        guard (parts.path ?? "").isEmpty else { throw failure("a topic does not belong into it") }
        self.init(parts)
    }

    init(_ parts: ServiceAddress) {
        self.init(
            host: parts.host.isEmpty ? "localhost" : parts.host, port: parts.port, usesTLS: parts.scheme == "mqtts")
    }

    /// The address as it is written in a configuration.
    public var description: String {
        "\(usesTLS ? "mqtts" : "mqtt")://\(ServiceAddress.text(host: host, port: port))"
    }
}

/// The files that let a client of a broker in. Each may be nil.
///
/// | Setting | Environment | Key in the file |
/// | --- | --- | --- |
/// | `password` | `DEVICE_SERVICES_MQTT_PASSWORD_FILE` | `mqtt.passwordFile` |
/// | `authorities` | `DEVICE_SERVICES_MQTT_CA_FILE` | `mqtt.caFile` |
/// | `certificate` | `DEVICE_SERVICES_MQTT_CERTIFICATE_FILE` | `mqtt.certificateFile` |
/// | `key` | `DEVICE_SERVICES_MQTT_KEY_FILE` | `mqtt.keyFile` |
public struct BrokerFiles: Sendable, Hashable {
    /// One line, `name:password`. Refused when everybody may read it.
    public var password: String?
    /// Certificates of who may sign the broker's, in PEM; those of the system when nil.
    public var authorities: String?
    /// This client's certificate, in PEM.
    public var certificate: String?
    /// The private key of that certificate, in PEM and without a passphrase. Refused when everybody may read it.
    public var key: String?

    /// The files of those paths.
    public init(
        password: String? = nil, authorities: String? = nil, certificate: String? = nil, key: String? = nil
    ) {
        self.password = password
        self.authorities = authorities
        self.certificate = certificate
        self.key = key
    }

    /// The settings by the names of the file and of the environment.
    static let names: [(key: String, variable: String, path: any WritableKeyPath<BrokerFiles, String?> & Sendable)] = [
        ("passwordFile", "DEVICE_SERVICES_MQTT_PASSWORD_FILE", \.password),
        ("caFile", "DEVICE_SERVICES_MQTT_CA_FILE", \.authorities),
        ("certificateFile", "DEVICE_SERVICES_MQTT_CERTIFICATE_FILE", \.certificate),
        ("keyFile", "DEVICE_SERVICES_MQTT_KEY_FILE", \.key),
    ]

    /// These, and of the others those of which nothing is said here.
    package func over(_ others: BrokerFiles) -> BrokerFiles {
        var files = others
        for name in Self.names { files[keyPath: name.path] = self[keyPath: name.path] ?? others[keyPath: name.path] }
        return files
    }
}

/// The names of topics at a broker.
package enum TopicName {
    /// The most bytes of one. MQTT allows 65535.
    package static let limit = 512

    /// What is wrong with the name of a single topic, in words that follow "the topic"; nil when nothing is.
    package static func problem(_ topic: String) -> String? {
        if topic.isEmpty { return "is empty" }
        if topic.utf8.count > limit { return "is longer than \(limit) bytes" }
        if topic.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") }) {
            return "has a wildcard, and one topic is needed"
        }
        if topic.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.properties.generalCategory == .control }) {
            return "has a blank or a control character"
        }
        if topic.hasPrefix("$") { return "begins with $, which belongs to the broker" }
        if topic.split(separator: "/", omittingEmptySubsequences: false).contains("") { return "has an empty level" }
        return nil
    }
}
