// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// What a socket has to report.
enum SocketError {
    /// Takes the pending error away from the socket; false when it is no socket.
    static func take(_ descriptor: Int32, _ number: inout Int32) -> Bool {
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size) == 0
    }

    /// True when a read would give something or an error.
    static func isReadable(_ descriptor: Int32) -> Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 0) > 0
    }

    /// Makes room for that many bytes, or as many as are allowed.
    static func setReceiveBuffer(_ descriptor: Int32, _ bytes: Int) {
        // The kernel doubles it; a larger number is no valid one.
        var size = Int32(clamping: min(max(bytes, 1), Int(Int32.max) / 2))
        let length = socklen_t(MemoryLayout<Int32>.size)
        // The first is for those who may exceed the limit.
        if setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &size, length) != 0 {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, length)
        }
    }
}
