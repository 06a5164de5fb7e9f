// SPDX-License-Identifier: Apache-2.0

/// The parts of an address in the form `scheme://host:port/path`. An IPv6 address must be in brackets.
struct ServiceAddress {
    /// The scheme in lowercase; nil if there is none.
    private(set) var scheme: String?
    /// The host; empty if omitted.
    private(set) var host = ""
    private(set) var port: UInt16?
    /// The part after the slash that follows the port; nil without a slash.
    private(set) var path: String?

    /// Parses an address. If it is invalid, calls `failure` with the reason and throws the resulting error.
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
        self.host = String(host)
        guard let port, !port.isEmpty else { return }
        // `UInt16` accepts a plus sign, which an address must not contain.
        guard port.first != "+", let number = UInt16(port), number > 0 else {
            throw failure("the port is not a number from 1 to 65535")
        }
        self.port = number
    }

    /// Returns the beginning of an address for an error message, without the part before "@" that may contain a
    /// password.
    static func redacted(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return String(text.prefix(200)) }
        return "…" + text[at...].prefix(200)
    }

    /// Returns a host and a port in the notation of an address.
    static func text(host: String, port: UInt16) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
