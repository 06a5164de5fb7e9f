// SPDX-License-Identifier: Apache-2.0

/// The address of an MQTT broker: `mqtt://host:port`, or `mqtts://host:port` with TLS.
///
/// The port defaults to 1883, or to 8883 with TLS. An address contains no credentials, because other users could see
/// them in the process list. See ``BrokerCredentialFiles``.
public struct BrokerAddress: Sendable, Hashable, CustomStringConvertible {
    /// A host name or a numeric address.
    public var host: String
    /// The TCP port.
    public var port: UInt16
    /// True to use TLS. The broker's certificate is accepted only if it is valid for the host.
    public var usesTLS: Bool

    /// Creates an address. The port defaults to the protocol's standard port.
    public init(host: String, port: UInt16? = nil, usesTLS: Bool = false) {
        self.host = host
        self.port = port ?? (usesTLS ? 8883 : 1883)
        self.usesTLS = usesTLS
    }

    /// Parses an address. The error explains why the text is invalid.
    public init(_ text: String) throws(DeviceError) {
        func failure(_ reason: String) -> DeviceError {
            DeviceError(
                .invalidConfiguration,
                "\"\(ServiceAddress.redacted(text))\" is not the address of a broker: \(reason). Write mqtt://host:port or mqtts://host:port."
            )
        }
        let parts = try ServiceAddress(text, failure: failure)
        guard let scheme = parts.scheme, scheme == "mqtt" || scheme == "mqtts" else {
            throw failure("it does not begin with mqtt:// or mqtts://")
        }
        guard (parts.path ?? "").isEmpty else { throw failure("it must not contain a topic") }
        self.init(parts)
    }

    init(_ parts: ServiceAddress) {
        self.init(host: parts.host, port: parts.port, usesTLS: parts.scheme == "mqtts")
    }

    /// The address in configuration notation.
    public var description: String {
        "\(usesTLS ? "mqtts" : "mqtt")://\(ServiceAddress.text(host: host, port: port))"
    }
}

/// The paths of a broker's credential files. Any path may be nil.
///
/// | Setting | Environment variable | Key in the file |
/// | --- | --- | --- |
/// | `password` | `DEVICE_SERVICES_MQTT_PASSWORD_FILE` | `mqtt.passwordFile` |
/// | `authorities` | `DEVICE_SERVICES_MQTT_CA_FILE` | `mqtt.caFile` |
/// | `certificate` | `DEVICE_SERVICES_MQTT_CERTIFICATE_FILE` | `mqtt.certificateFile` |
/// | `key` | `DEVICE_SERVICES_MQTT_KEY_FILE` | `mqtt.keyFile` |
public struct BrokerCredentialFiles: Sendable, Hashable {
    /// A file that contains the single line `name:password`. The file is rejected if users outside its group can access
    /// it, or if its group can change it.
    public var password: String?
    /// A file with the certificates of trusted authorities, in PEM format, or nil to use the system's certificates.
    public var authorities: String?
    /// The client's certificate, in PEM format.
    public var certificate: String?
    /// The client's private key, in PEM format without a passphrase. The file is rejected as described for
    /// ``password``.
    public var key: String?

    /// Creates a set of file paths.
    public init(password: String? = nil, authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
        (self.password, self.authorities, self.certificate, self.key) = (password, authorities, certificate, key)
    }

    static let names:
        [(key: String, variable: String, path: any WritableKeyPath<BrokerCredentialFiles, String?> & Sendable)] = [
            ("passwordFile", "DEVICE_SERVICES_MQTT_PASSWORD_FILE", \.password),
            ("caFile", "DEVICE_SERVICES_MQTT_CA_FILE", \.authorities),
            ("certificateFile", "DEVICE_SERVICES_MQTT_CERTIFICATE_FILE", \.certificate),
            ("keyFile", "DEVICE_SERVICES_MQTT_KEY_FILE", \.key),
        ]

    /// Returns a copy in which any missing paths are taken from `others`.
    package func merging(defaults others: BrokerCredentialFiles) -> BrokerCredentialFiles {
        var files = others
        for name in Self.names { files[keyPath: name.path] = self[keyPath: name.path] ?? others[keyPath: name.path] }
        return files
    }
}

/// Validates MQTT topic names.
package enum TopicName {
    /// The maximum length of a topic name, in bytes. MQTT allows 65535.
    package static let maximumLength = 512

    /// Returns the reason the topic name is invalid, or nil if it is valid. The reason completes a sentence that begins
    /// with "the topic", for example "the topic is empty".
    package static func problem(_ topic: String) -> String? {
        if topic.isEmpty { return "is empty" }
        if topic.utf8.count > maximumLength { return "is longer than \(maximumLength) bytes" }
        if topic.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") }) {
            return "has a wildcard, but must name a single topic"
        }
        if topic.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.properties.generalCategory == .control }) {
            return "has a space or a control character"
        }
        if topic.hasPrefix("$") { return "begins with $, which is reserved for the broker" }
        if topic.split(separator: "/", omittingEmptySubsequences: false).contains("") { return "has an empty level" }
        return nil
    }
}

/// The parts of an address of the form `scheme://host:port/path`. An IPv6 address must be in brackets.
struct ServiceAddress {
    /// The scheme in lowercase, or nil if there is none.
    private(set) var scheme: String?
    /// The host without brackets. Defaults to localhost.
    private(set) var host = "localhost"
    private(set) var port: UInt16?
    /// The path without its leading slash, or nil if no slash follows the host and the port.
    private(set) var path: String?

    /// Parses an address. If the text is invalid, passes the reason to `failure` and throws the resulting error.
    init(_ text: String, failure: (String) -> DeviceError) throws(DeviceError) {
        var rest = text[...]
        if let colon = text.indices.first(where: { text[$0...].hasPrefix("://") }) {
            scheme = text[..<colon].lowercased()
            rest = text[colon...].dropFirst(3)
        }
        if let slash = rest.firstIndex(of: "/") {
            path = String(rest[rest.index(after: slash)...])
            rest = rest[..<slash]
        }
        guard scheme?.hasPrefix("mqtt") != true || !rest.contains("@") else {
            throw failure("the user name and the password must be in a file (DEVICE_SERVICES_MQTT_PASSWORD_FILE)")
        }
        var host = rest
        var port: Substring?
        if rest.hasPrefix("[") {
            guard let close = rest.firstIndex(of: "]") else { throw failure("the bracket is not closed") }
            host = rest[rest.index(after: rest.startIndex)..<close]
            guard !host.isEmpty else { throw failure("there is no address in the brackets") }
            let tail = rest[rest.index(after: close)...]
            guard tail.isEmpty || tail.hasPrefix(":") else { throw failure("only :port may follow the bracket") }
            port = tail.isEmpty ? nil : tail.dropFirst()
        } else if let colon = rest.lastIndex(of: ":") {
            host = rest[..<colon]
            port = rest[rest.index(after: colon)...]
            guard !host.contains(":") else { throw failure("an IPv6 address must be in brackets") }
        }
        guard host.utf8.count <= 255, !host.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            throw failure("the host is not a name or a numeric address")
        }
        if !host.isEmpty { self.host = String(host) }
        guard let port, !port.isEmpty else { return }
        // `UInt16` accepts a plus sign, which an address must not contain.
        guard port.first != "+", let number = UInt16(port), number > 0 else {
            throw failure("the port is not a number from 1 to 65535")
        }
        self.port = number
    }

    /// Returns an address for display, shortened and without the part before "@", which may contain a password.
    static func redacted(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return String(text.prefix(200)) }
        return "…" + text[at...].prefix(200)
    }

    static func text(host: String, port: UInt16) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
