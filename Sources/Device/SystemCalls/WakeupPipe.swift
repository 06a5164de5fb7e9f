// SPDX-License-Identifier: Apache-2.0

/// Lets other threads interrupt a wait in poll(2).
package final class WakeupPipe: Sendable {
    /// The descriptor for the owner to poll. The descriptor is readable while a wakeup is pending.
    package let readEnd: Int32
    private let writeEnd: Int32

    package init(for owner: String) throws(DeviceError) {
        var ends: [Int32] = [-1, -1]
        // socketpair(2) creates the descriptors with the close-on-exec flag, so a concurrent fork cannot leak them.
        let result = socketpair(AF_UNIX, SocketType.stream.nonBlockingCloseOnExec, 0, &ends)
        guard result == 0 else { throw .noDescriptor(for: owner, call: "socketpair") }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Ends the current wait or, if no thread is waiting, the next wait.
    package func signal() {
        var byte: UInt8 = 1
        // A failure can be ignored, because sending fails only if a wakeup is already pending.
        _ = send(writeEnd, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    package func drain() {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            while read(readEnd, buffer.baseAddress, buffer.count) == buffer.count {}
        }
    }

    /// Waits until a wakeup is signaled, the socket is ready or the timeout has expired. A negative timeout means no
    /// time limit. Returns true if the socket is ready.
    package func wait(for socket: Int32?, events: Int16, milliseconds: Int32) -> Bool {
        var descriptors = (
            pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0), pollfd(fd: socket ?? -1, events: events, revents: 0)
        )
        let ready = withUnsafeMutablePointer(to: &descriptors) { pointer in
            pointer.withMemoryRebound(to: pollfd.self, capacity: 2) { poll($0, 2, milliseconds) }
        }
        guard ready > 0 else { return false }
        if descriptors.0.revents != 0 { drain() }
        return descriptors.1.revents != 0
    }
}
