// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A bound socket without a listener at first, like udevd's control socket.
final class ListeningSocket {
    private let descriptor: Int32

    init?(_ path: String) {
        descriptor = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        let bytes = Array(path.utf8)
        guard descriptor >= 0, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard result == 0 else { return nil }
    }

    deinit {
        close(descriptor)
    }

    func listen() -> Bool { Foundation.listen(descriptor, 8) == 0 }
}
