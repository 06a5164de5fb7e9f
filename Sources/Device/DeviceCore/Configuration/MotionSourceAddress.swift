// SPDX-License-Identifier: Apache-2.0

/// Where motion sensors are found: an address of libiio, such as `local:`, `ip:192.168.2.1`, `ip:board:30431` or `usb:`.
public struct MotionSourceAddress: Sendable, Hashable, CustomStringConvertible {
    /// The ways to reach sensors.
    public enum Backend: String, Sendable, CaseIterable {
        /// The kernel of this machine.
        case local
        /// A server on the network (iiod).
        case network = "ip"
        /// A device on USB.
        case usb
        /// A device on a serial line.
        case serial
        /// A file that describes a context and gives no readings.
        case xml
    }

    /// The way.
    public let backend: Backend
    /// What follows the colon: a host with or without a port, a USB path; empty for `local:`.
    public let place: String

    /// The kernel of this machine.
    public static let local = MotionSourceAddress(backend: .local, place: "")

    /// The TCP port of iiod.
    public static let standardPort: UInt16 = 30431

    init(backend: Backend, place: String) {
        self.backend = backend
        self.place = place
    }

    /// Reads an address; the error names what is wrong with it.
    public init(_ text: String) throws(DeviceError) {
        // One copy for all that can be wrong.
        @inline(never) func failure(_ reason: String) -> DeviceError {
            DeviceError(
                .invalidConfiguration,
                "\"\(text.prefix(200))\" is not the address of motion sensors: \(reason). Write local:, ip:host, ip:host:port or usb:."
            )
        }
        guard let colon = text.firstIndex(of: ":") else { throw failure("it has no colon") }
        guard let backend = Backend(rawValue: text[..<colon].lowercased()) else {
            throw failure("what stands before the colon is none of local, ip, usb, serial and xml")
        }
        let place = text[text.index(after: colon)...]
        guard place.utf8.count <= 255, !place.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw failure("what stands behind the colon is too long or has control characters in it")
        }
        if backend == .local, !place.isEmpty { throw failure("nothing follows local:") }
        if backend == .network {
            guard !place.isEmpty else { throw failure("the host is missing") }
            try Self.check(host: place, failure: failure)
        }
        self.backend = backend
        self.place = String(place)
    }

    /// Checks what stands behind `ip:`; an IPv6 address with a port stands in brackets.
    private static func check(host place: Substring, failure: (String) -> DeviceError) throws(DeviceError) {
        guard !place.utf8.contains(where: { $0 == 0x20 || $0 == 0x2F }) else {
            throw failure("the host is not a name or a numeric address")
        }
        var port: Substring?
        if place.hasPrefix("[") {
            guard let close = place.firstIndex(of: "]") else { throw failure("the bracket is not closed") }
            let tail = place[place.index(after: close)...]
            guard tail.isEmpty || tail.hasPrefix(":") else { throw failure("only :port may follow the bracket") }
            if !tail.isEmpty { port = tail.dropFirst() }
        } else if let colon = place.firstIndex(of: ":"), colon == place.lastIndex(of: ":") {
            port = place[place.index(after: colon)...]
            guard colon != place.startIndex else { throw failure("the host is missing") }
        }
        guard let port else { return }
        guard port.first != "+", let number = UInt16(port), number > 0 else {
            throw failure("the port is not a number from 1 to 65535")
        }
    }

    /// Reads a list of addresses, with commas or blanks between them.
    public static func list(_ text: String) throws(DeviceError) -> [MotionSourceAddress] {
        var addresses: [MotionSourceAddress] = []
        for part in text.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) {
            let address = try MotionSourceAddress(String(part))
            if !addresses.contains(address) { addresses.append(address) }
        }
        return addresses
    }

    /// The address as libiio and a configuration have it.
    public var description: String { "\(backend.rawValue):\(place)" }
}
