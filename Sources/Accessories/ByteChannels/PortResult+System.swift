// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

extension PortResult {
    /// Reads once. Nothing to be read is different from the end, which reads as no bytes.
    static func reading(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, path: String) -> PortResult {
        while true {
            let count = systemRead(descriptor, buffer)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended(ByteChannelEnd(.hungUp)) }
            let number = errno
            if number == EAGAIN || number == EWOULDBLOCK { return .wait }
            if number != EINTR { return .ended(ByteChannelEnd(errno: number, call: "read", path: path)) }
        }
    }

    /// What a call that writes has returned. Nothing taken may come with a poll that tells of space: who asks again at once
    /// would do so without an end.
    static func written(_ count: Int, path: String) -> PortResult {
        if count > 0 { return .bytes(count) }
        if count == 0 { return .wait }
        let number = errno
        if number == EAGAIN || number == EWOULDBLOCK || number == EINTR || number == ENOBUFS { return .wait }
        return .ended(ByteChannelEnd(errno: number, call: "write", path: path))
    }
}

extension ByteChannelEnd {
    /// What an error of the kernel's means for the connection.
    init(errno number: Int32, call: String, path: String) {
        switch number {
        case EIO, ENXIO, ENODEV, EPIPE, ECONNRESET, ESHUTDOWN, ENOTCONN:
            self.init(.hungUp)
        default:
            let error = DeviceError(
                .inputOutput, "Talking through \(path) failed. Close the session and open it again.",
                cause: .system(call: call, errno: number))
            self.init(.failed, error: error)
        }
    }
}
