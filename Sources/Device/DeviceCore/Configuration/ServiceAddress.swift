// SPDX-License-Identifier: Apache-2.0

/// The parts of `scheme://host:port/path`, as the addresses of services are written. An IPv6 address stands in brackets.
struct ServiceAddress {
    /// What stands before the colon, in small letters; nil when there is none.
    private(set) var scheme: String?
    /// Empty when it is left out.
    private(set) var host = ""
    private(set) var port: UInt16?
    /// What follows the slash behind the port; nil without a slash.
    private(set) var path: String?

    /// Reads an address; the error is made of the reason that it is none.
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
            throw failure("a name and a password belong into a file (DEVICE_SERVICES_MQTT_PASSWORD_FILE)")
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
            guard !host.contains(":") else { throw failure("an IPv6 address stands in brackets") }
        }
        guard host.utf8.count <= 255, !host.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            throw failure("the host is not a name or a numeric address")
        }
        self.host = String(host)
        guard let port, !port.isEmpty else { return }
        // A sign is taken by UInt16 and does not belong here.
        guard port.first != "+", let number = UInt16(port), number > 0 else {
            throw failure("the port is not a number from 1 to 65535")
        }
        self.port = number
    }

    /// The beginning of an address as an error may show it: without a password that should not be there.
    static func shown(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return String(text.prefix(200)) }
        return "…" + text[at...].prefix(200)
    }

    /// A host and a port as they stand in an address.
    static func text(host: String, port: UInt16) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
