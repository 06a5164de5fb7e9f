// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls

/// Ports on the loopback interface that can be released and used again.
package enum FreePort {
    package struct Failure: Error {
        let call: String
        let number: Int32
    }

    /// Excludes the ephemeral ports, which Linux assigns from 32768 on. Another process may use an ephemeral port as
    /// soon as it is free, or it may be connected to itself.
    private static let range = 20_000..<30_000
    /// Test runs in parallel start at different ports.
    private static let count = Atomic(Int(getpid()))

    /// Returns an unused port that no other test of this process gets.
    package static func next(datagrams: Bool = false) throws -> UInt16 {
        let kind = Int32(datagrams ? SOCK_DGRAM.rawValue : SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        for _ in range {
            let number = range.lowerBound + count.add(1, ordering: .relaxed).newValue % range.count
            let descriptor = socket(AF_INET, kind, 0)
            guard descriptor >= 0 else { throw Failure(call: "socket", number: errno) }
            defer { close(descriptor) }
            var address = LoopbackAddress.of(port: UInt16(number))
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if result == 0 { return UInt16(number) }
            guard errno == EADDRINUSE || errno == EACCES else { throw Failure(call: "bind", number: errno) }
        }
        throw Failure(call: "bind", number: EADDRINUSE)
    }
}
