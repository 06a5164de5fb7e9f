// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls

/// A server on a free local port that accepts a client and sends nothing.
final class SilentServer {
    struct Failure: Error {}

    let port: UInt16
    private var listener: Int32
    private var client: Int32 = -1

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let number = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                bind(number, general, size) == 0 && listen(number, 8) == 0 && getsockname(number, general, &size) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isBound else { throw Failure() }
    }

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
