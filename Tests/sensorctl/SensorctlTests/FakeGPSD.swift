// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls

/// A server on a free local port that greets like gpsd and then sends the given lines to each client.
final class FakeGPSD: @unchecked Sendable {
    // Unchecked: both are set once, before the thread starts.
    private let socketNumber: Int32
    let port: UInt16

    struct Failure: Error {}

    init(lines: [String]) throws {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard number >= 0 else { throw Failure() }
        socketNumber = number
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                bind(number, general, size) == 0 && listen(number, 8) == 0 && getsockname(number, general, &size) == 0
            }
        }
        guard isBound else { throw Failure() }
        port = UInt16(bigEndian: address.sin_port)
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
