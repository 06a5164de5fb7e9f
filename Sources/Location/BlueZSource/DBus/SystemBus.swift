// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A connection to the system bus: its socket, authentication and pending output.
struct SystemBus: ~Copyable {
    /// The address in `DBUS_SYSTEM_BUS_ADDRESS`, or the standard D-Bus path if the variable is not set.
    static var standardAddress: String {
        getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) } ?? "unix:path=/var/run/dbus/system_bus_socket"
    }

    let descriptor: Int32
    private var pendingOutput: [UInt8]

    deinit { systemClose(descriptor) }

    /// Connects to the bus. Does not block, because the socket is local. The authentication (SASL EXTERNAL with the
    /// user ID) is sent before any other output, and the bus's reply is read later, with the other input.
    init(address: String) throws(DeviceError) {
        var paths: [String] = []
        // An address may contain several entries, as in `unix:path=/run/dbus/bus,guid=…;tcp:…`. The first path that
        // accepts a connection is used.
        for entry in address.split(separator: ";") where entry.hasPrefix("unix:") {
            for part in entry.dropFirst(5).split(separator: ",") where part.hasPrefix("path=") {
                paths.append(Self.unescaped(part.dropFirst(5)))
            }
        }
        guard !paths.isEmpty else {
            throw DeviceError(
                .invalidConfiguration,
                "The system bus address \(TerminalSanitizer.sanitized(address)) is not supported. Set DBUS_SYSTEM_BUS_ADDRESS to unix:path=PATH, or unset it."
            )
        }
        var number: Int32 = 0
        for path in paths {
            let descriptor = Sockets.open(AF_UNIX, .stream)
            guard descriptor >= 0 else { throw Self.unreachable(path, "socket", errno) }
            if Sockets.connect(descriptor, to: path) == 0 {
                self.descriptor = descriptor
                pendingOutput = Array("\0AUTH EXTERNAL \(Self.hexadecimal(String(geteuid())))\r\nBEGIN\r\n".utf8)
                return
            }
            number = errno
            systemClose(descriptor)
        }
        throw Self.unreachable(paths[0], "connect", number)
    }

    var hasPendingOutput: Bool { !pendingOutput.isEmpty }

    /// Sends the bytes. If the socket does not accept all of them, the next call sends the rest first.
    mutating func send(_ bytes: [UInt8]) throws(DeviceError) {
        pendingOutput += bytes
        while !pendingOutput.isEmpty {
            let count = pendingOutput.withUnsafeBytes { systemSend(descriptor, $0) }
            if count > 0 {
                pendingOutput.removeFirst(count)
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                return
            } else if errno != EINTR {
                throw Self.connectionLost(call: "send", errno: errno)
            }
        }
    }

    /// Passes received bytes to the closure. Reads at most 256 KiB, so that a flood of input does not block the thread.
    func read(_ body: (UnsafeRawBufferPointer) -> Void) throws(DeviceError) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        for _ in 0..<4 {
            let count = buffer.withUnsafeMutableBytes {
                recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
            }
            if count == 0 { throw Self.connectionLost(call: nil, errno: 0) }
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN || errno == EWOULDBLOCK { return }
                throw Self.connectionLost(call: "recv", errno: errno)
            }
            buffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            if count < buffer.count { return }
        }
    }

    // MARK: Text encoding

    private static func hexadecimal(_ text: String) -> String {
        text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(Substring(rest.prefix(2)), radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Errors

    private static func unreachable(_ path: String, _ call: String, _ number: Int32) -> DeviceError {
        let remedy =
            number == EACCES
            ? "This user may not connect to it."
            : "BlueZ needs the bus to report beacons: install both (apt install dbus bluez) and start them."
        return DeviceError(
            number == EACCES ? .permissionDenied : .unreachable,
            "The system bus at \(TerminalSanitizer.sanitized(path)) cannot be reached. \(remedy)",
            cause: .system(call: call, errno: number))
    }

    private static func connectionLost(call: String?, errno number: Int32) -> DeviceError {
        DeviceError(
            .connectionLost, "The system bus closed the connection. Reconnecting.",
            cause: call.map { .system(call: $0, errno: number) })
    }
}

/// Removes the bus's authentication reply from the input. The connection sends `BEGIN` without waiting for the reply.
/// If the bus rejects the authentication, it closes the connection.
struct SystemBusAuthentication {
    /// The maximum length of the reply, in bytes.
    private static let maximumLength = 4096

    private var line: [UInt8] = []
    private var isFinished = false

    /// Returns the bytes that follow the reply. Throws an error if the bus rejects the authentication.
    mutating func process(_ bytes: UnsafeRawBufferPointer) throws(DeviceError) -> UnsafeRawBufferPointer {
        if isFinished { return bytes }
        for (index, byte) in bytes.enumerated() {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                if line.count > Self.maximumLength { throw rejected }
                continue
            }
            guard line.starts(with: "OK ".utf8) else { throw rejected }
            isFinished = true
            return UnsafeRawBufferPointer(rebasing: bytes[(index + 1)...])
        }
        return UnsafeRawBufferPointer(rebasing: bytes[bytes.count...])
    }

    private var rejected: DeviceError {
        let text = TerminalSanitizer.sanitized(String(decoding: line.prefix(256), as: UTF8.self))
        return DeviceError(
            .permissionDenied,
            "The system bus rejected the authentication of this user: \(text). Check that DBUS_SYSTEM_BUS_ADDRESS names a D-Bus socket."
        )
    }
}
