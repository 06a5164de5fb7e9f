// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls

/// Numbers on the loopback interface that can be given up and used again.
package enum FreePort {
    package struct Failure: Error {
        let call: String
        let number: Int32
    }

    /// The system chooses from 32768 on for who asks for any port, and for whoever connects: a number from there may belong
    /// to somebody else as soon as it is free, or be connected to itself.
    private static let range = 20_000..<30_000
    /// Runs of tests beside each other begin at different places.
    private static let count = Atomic(Int(getpid()))

    /// A port that nobody uses, and that no other test of this process gets.
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
