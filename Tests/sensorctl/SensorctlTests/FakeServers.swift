// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import TestSupport
import Testing

/// Listens on a free port of 127.0.0.1.
func listenOnFreePort() throws -> (descriptor: Int32, port: UInt16) {
    let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    try #require(number >= 0)
    var address = LoopbackAddress.of(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
            bind(number, general, size) == 0 && listen(number, 8) == 0 && getsockname(number, general, &size) == 0
        }
    }
    if !isBound { close(number) }
    try #require(isBound)
    return (number, UInt16(bigEndian: address.sin_port))
}

/// A server on a free local port that greets like gpsd and then sends the given lines to each client.
final class FakeGPSD: @unchecked Sendable {
    // Unchecked: both are set once, before the thread starts.
    private let socketNumber: Int32
    let port: UInt16

    init(lines: [String]) throws {
        let (number, port) = try listenOnFreePort()
        (socketNumber, self.port) = (number, port)
        let greeting = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
        let devices = #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyTest","driver":"Test"}]}"#
        let text = ([greeting, devices] + lines).map { $0 + "\r\n" }.joined()
        Thread.detachNewThread {
            while true {
                let client = accept(number, nil, nil)
                guard client >= 0 else { return }
                let bytes = Array(text.utf8)
                // The connection stays open, because closing it would be a loss of the position.
                _ = bytes.withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            }
        }
    }

    deinit {
        shutdown(socketNumber, Int32(SHUT_RDWR))
        close(socketNumber)
    }

    var environment: [String: String] { ["DEVICE_SERVICES_GPSD": "gpsd://127.0.0.1:\(port)"] }
}

/// A server on a free local port that accepts a client and sends nothing.
final class SilentServer {
    struct Failure: Error {}

    let port: UInt16
    private var listener: Int32
    private var client: Int32 = -1

    init() throws { (listener, port) = try listenOnFreePort() }

    deinit { end() }

    /// Waits for a client, for at most 60 s.
    func waitForClient() throws {
        var wait = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard poll(&wait, 1, 60_000) == 1 else { throw Failure() }
        client = accept(listener, nil, nil)
    }

    /// Closes the connection and the listener.
    func end() {
        for number in [client, listener] where number >= 0 {
            shutdown(number, Int32(SHUT_RDWR))
            close(number)
        }
        (client, listener) = (-1, -1)
    }
}
