// SPDX-License-Identifier: Apache-2.0

/// Where gpsd listens, and which client reads it: `gpsd://host:port` or `libgps://host:port`.
///
/// An IPv6 address stands in brackets. The host defaults to localhost and the port to 2947.
public struct PositionSourceAddress: Sendable, Hashable, CustomStringConvertible {
    /// The ways to read gpsd.
    public enum Client: String, Sendable {
        /// The client of this package: its own socket, framing and decoder.
        case native = "gpsd"
        /// The same socket and framing, with reports decoded by libgps.
        case libgps
    }

    /// The client.
    public let client: Client
    /// A name or a numeric address.
    public let host: String
    /// The TCP port.
    public let port: UInt16

    /// gpsd's registered port.
    public static let standardPort: UInt16 = 2947

    /// An address of those parts.
    public init(client: Client = .native, host: String = "localhost", port: UInt16 = standardPort) {
        self.client = client
        self.host = host
        self.port = port
    }

    /// Reads an address; the error names what is wrong with it.
    public init(_ text: String) throws(DeviceError) {
        // One copy for all that can be wrong.
        @inline(never) func failure(_ reason: String) -> DeviceError {
            DeviceError(
                .invalidConfiguration,
                "\"\(text.prefix(200))\" is not the address of a position source: \(reason). Write gpsd://host:port or libgps://host:port."
            )
        }
        var rest = text[...]
        var client = Client.native
        if let colon = text.indices.first(where: { text[$0...].hasPrefix("://") }) {
            guard let named = Client(rawValue: text[..<colon].lowercased()) else {
                throw failure("the scheme is neither gpsd nor libgps")
            }
            client = named
            rest = text[colon...].dropFirst(3)
        }
        if rest.hasSuffix("/") { rest = rest.dropLast() }
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
        guard host.utf8.count <= 255, !host.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == 0x2F }) else {
            throw failure("the host is not a name or a numeric address")
        }
        self.client = client
        self.host = host.isEmpty ? "localhost" : String(host)
        guard let port, !port.isEmpty else {
            self.port = PositionSourceAddress.standardPort
            return
        }
        // A sign is taken by UInt16 and does not belong here.
        guard port.first != "+", let number = UInt16(port), number > 0 else {
            throw failure("the port is not a number from 1 to 65535")
        }
        self.port = number
    }

    /// The address as it is written in a configuration.
    public var description: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return "\(client.rawValue)://\(host):\(port)"
    }
}
