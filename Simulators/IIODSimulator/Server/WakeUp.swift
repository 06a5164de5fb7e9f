// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Lets other threads end a wait of the server's thread.
final class WakeUp: Sendable {
    let readEnd: Int32
    private let writeEnd: Int32

    init() throws(DeviceError) {
        var ends: (Int32, Int32) = (-1, -1)
        let result = withUnsafeMutablePointer(to: &ends) { pointer in
            pointer.withMemoryRebound(to: Int32.self, capacity: 2) { pair in
                socketpair(
                    AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0, pair)
            }
        }
        guard result == 0 else {
            throw DeviceError(
                .busy, "No file descriptor is left for the simulated iiod. Raise the limit of open files (ulimit -n).",
                cause: .system(call: "socketpair", errno: errno))
        }
        (readEnd, writeEnd) = ends
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Ends the wait that is running, or the next one.
    func signal() {
        var byte: UInt8 = 1
        // It can only fail when wake-ups are pending already.
        _ = send(writeEnd, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    /// Forgets the wake-ups so far.
    func drain() {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            while read(readEnd, buffer.baseAddress, buffer.count) == buffer.count {}
        }
    }
}
