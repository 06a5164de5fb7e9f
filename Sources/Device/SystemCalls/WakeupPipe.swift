// SPDX-License-Identifier: Apache-2.0

/// Lets other threads interrupt a wait in poll(2).
package final class WakeupPipe: Sendable {
    /// The descriptor that is readable while a wakeup is pending, to be polled by the owner.
    package let readEnd: Int32
    private let writeEnd: Int32

    /// Creates a wakeup descriptor.
    ///
    /// - Parameter owner: The purpose of the descriptor, for the error message if no file descriptor is left.
    package init(for owner: String) throws(DeviceError) {
        var ends: (Int32, Int32) = (-1, -1)
        let result = withUnsafeMutablePointer(to: &ends) { pointer in
            pointer.withMemoryRebound(to: Int32.self, capacity: 2) { pair in
                // A socket pair sets both flags atomically, so a concurrent fork does not leak a descriptor.
                socketpair(AF_UNIX, SocketType.stream.nonBlockingCloseOnExec, 0, pair)
            }
        }
        guard result == 0 else {
            throw DeviceError(
                .busy, "No file descriptor is left for \(owner). Raise the limit of open files (ulimit -n).",
                cause: .system(call: "socketpair", errno: errno))
        }
        (readEnd, writeEnd) = ends
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Ends the current wait, or the next one if no thread waits.
    package func signal() {
        var byte: UInt8 = 1
        // Sending fails only if wakeups are already pending.
        _ = send(writeEnd, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    /// Discards all pending wakeups.
    package func drain() {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            while read(readEnd, buffer.baseAddress, buffer.count) == buffer.count {}
        }
    }

    /// Waits for a wakeup or for the socket. Returns true if the socket is ready.
    ///
    /// - Parameter milliseconds: The timeout in milliseconds. A negative value waits without a timeout.
    package func wait(for socket: Int32?, events: Int16, milliseconds: Int32) -> Bool {
        var descriptors = (
            pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket ?? -1, events: events, revents: 0)
        )
        let ready = withUnsafeMutablePointer(to: &descriptors) { pointer in
            pointer.withMemoryRebound(to: pollfd.self, capacity: 2) { poll($0, 2, milliseconds) }
        }
        guard ready > 0 else { return false }
        if descriptors.0.revents != 0 { drain() }
        return descriptors.1.revents != 0
    }
}
