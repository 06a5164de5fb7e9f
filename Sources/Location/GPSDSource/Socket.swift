// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// A TCP connection that never blocks. The thin edge: one system call a function, errors named.
struct Socket: ~Copyable {
    let descriptor: Int32

    deinit {
        close(descriptor)
    }

    /// The result of a read.
    enum ReadResult {
        case bytes(Int)
        case nothing
        case ended
        case failed(errno: Int32)
    }

    /// Reads what is there.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .nothing
            default: return .failed(errno: errno)
            }
        }
    }

    /// Sends a request, which is far smaller than any socket buffer; returns the error number when it could not.
    func send(_ bytes: [UInt8]) -> Int32? {
        bytes.withUnsafeBytes { buffer in
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            while true {
                let count = system_send(descriptor, buffer.baseAddress, buffer.count, flags)
                if count == buffer.count { return nil }
                if count < 0, errno == EINTR { continue }
                return count < 0 ? errno : EAGAIN
            }
        }
    }
}

/// The C function, whose name the method hides.
private func system_send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(descriptor, bytes, count, flags)
}
