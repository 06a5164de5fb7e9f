// SPDX-License-Identifier: Apache-2.0

/// Lets other threads interrupt a wait in poll(2).
package final class WakeUp: Sendable {
    /// Readable while a wake-up is pending, for a poll of the owner's own.
    package let readEnd: Int32
    private let writeEnd: Int32

    /// - Parameter owner: What it is for, in the words of the error that no descriptor is left.
    package init(for owner: String) throws(DeviceError) {
        var ends: (Int32, Int32) = (-1, -1)
        let result = withUnsafeMutablePointer(to: &ends) { pointer in
            pointer.withMemoryRebound(to: Int32.self, capacity: 2) { pair in
                // A pair of sockets, because both flags can be set at once: a fork in between leaks nothing.
                socketpair(AF_UNIX, SocketKind.stream.quiet, 0, pair)
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

    /// Ends the wait that is running, or the next one.
    package func signal() {
        var byte: UInt8 = 1
        // It can only fail when wake-ups are pending already.
        _ = send(writeEnd, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    /// Forgets the wake-ups so far.
    package func drain() {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            while read(readEnd, buffer.baseAddress, buffer.count) == buffer.count {}
        }
    }

    /// Waits for the wake-up or for the socket, that long at most; true when the descriptor is ready.
    ///
    /// - Parameter milliseconds: Below zero for a wait without an end.
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
