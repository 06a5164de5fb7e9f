// SPDX-License-Identifier: Apache-2.0

/// The address of a libiio context with motion sensors, such as `local:`, `ip:192.168.2.1` or `ip:board:30431`.
public struct MotionSourceAddress: Sendable, Hashable, CustomStringConvertible {
    /// The libiio backends. The raw value is the part of an address before the colon.
    public enum Backend: String, Sendable, CaseIterable {
        /// The kernel of this machine.
        case local
        /// A server on the network (iiod).
        case network = "ip"
        /// A USB device.
        case usb
        /// A device on a serial port.
        case serial
        /// A file that describes a context but provides no readings.
        case xml
    }

    /// The backend.
    public let backend: Backend
    /// The part after the colon, for example a host with an optional port, or a USB path. Empty for `local:`.
    public let target: String

    /// The address of this machine's kernel.
    public static let local = MotionSourceAddress(backend: .local, target: "")

    /// The default TCP port of iiod.
    package static let standardPort: UInt16 = 30431

    init(backend: Backend, target: String) {
        self.backend = backend
        self.target = target
    }

    /// Parses an address. The error describes why the text is invalid.
    public init(_ text: String) throws(DeviceError) {
        // Not inlined, to avoid duplicating the code that builds the message.
        @inline(never) func failure(_ reason: String) -> DeviceError {
            DeviceError(
                .invalidConfiguration,
                "\"\(text.prefix(200))\" is not the address of motion sensors: \(reason). Write local:, ip:host, ip:host:port or usb:."
            )
        }
        guard let colon = text.firstIndex(of: ":") else { throw failure("it has no colon") }
        guard let backend = Backend(rawValue: text[..<colon].lowercased()) else {
            throw failure("the part before the colon is not one of local, ip, usb, serial and xml")
        }
        let target = text[text.index(after: colon)...]
        guard target.utf8.count <= 255, !target.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw failure("the part after the colon is too long or contains control characters")
        }
        if backend == .local, !target.isEmpty { throw failure("nothing may follow local:") }
        if backend == .network {
            guard !target.isEmpty else { throw failure("the host is missing") }
            try Self.check(host: target, failure: failure)
        }
        self.backend = backend
        self.target = String(target)
    }

    /// Validates the part after `ip:`. An IPv6 address with a port must be in brackets.
    private static func check(host: Substring, failure: (String) -> DeviceError) throws(DeviceError) {
        guard !host.utf8.contains(where: { $0 == 0x20 || $0 == 0x2F }) else {
            throw failure("the host is not a name or a numeric address")
        }
        var port: Substring?
        if host.hasPrefix("[") {
            guard let close = host.firstIndex(of: "]") else { throw failure("the bracket is not closed") }
            let tail = host[host.index(after: close)...]
            guard tail.isEmpty || tail.hasPrefix(":") else { throw failure("only :port may follow the bracket") }
            if !tail.isEmpty { port = tail.dropFirst() }
        } else if let colon = host.firstIndex(of: ":"), colon == host.lastIndex(of: ":") {
            port = host[host.index(after: colon)...]
            guard colon != host.startIndex else { throw failure("the host is missing") }
        }
        guard let port else { return }
        guard port.first != "+", let number = UInt16(port), number > 0 else {
            throw failure("the port is not a number from 1 to 65535")
        }
    }

    /// Parses a list of addresses, separated by commas, spaces or tabs.
    package static func list(_ text: String) throws(DeviceError) -> [MotionSourceAddress] {
        var addresses: [MotionSourceAddress] = []
        for part in text.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) {
            let address = try MotionSourceAddress(String(part))
            if !addresses.contains(address) { addresses.append(address) }
        }
        return addresses
    }

    /// The address in the notation used by libiio and in configurations.
    public var description: String { "\(backend.rawValue):\(target)" }
}
