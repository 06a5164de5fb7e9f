// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The socket on the loopback interface that clients connect to.
final class Listener {
    let descriptor: Int32
    /// The port, which the system may have chosen.
    let port: UInt16

    /// Listens on 127.0.0.1; port 0 lets the system choose.
    init(port: UInt16) throws(DeviceError) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw Listener.failure("socket", port) }
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let call: String? = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                if bind(descriptor, generic, length) != 0 { return "bind" }
                if listen(descriptor, 128) != 0 { return "listen" }
                return getsockname(descriptor, generic, &length) == 0 ? nil : "getsockname"
            }
        }
        if let call {
            let error = Listener.failure(call, port)
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.port = UInt16(bigEndian: address.sin_port)
    }

    deinit {
        close(descriptor)
    }

    /// The next connection; nil when none waits, and the error number when there is no descriptor for it.
    func accept() -> Result<Int32, IIODStatus>? {
        while true {
            let connection = system_accept(descriptor)
            guard connection < 0 else {
                // Without accept4() the flags are set afterwards.
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                _ = fcntl(connection, F_SETFL, fcntl(connection, F_GETFL) | O_NONBLOCK)
                var one: Int32 = 1
                setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
                // Room for a usual chunk, so that it goes in one call.
                var room: Int32 = 262_144
                setsockopt(connection, SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
                return .success(connection)
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EAGAIN, EWOULDBLOCK: return nil
            default: return .failure(IIODStatus(errno))
            }
        }
    }

    private static func failure(_ call: String, _ port: UInt16) -> DeviceError {
        let number = errno
        let remedy =
            number == EADDRINUSE
            ? "Somebody listens there already: stop it, or choose another port (0 for any)." : "Choose another port."
        return DeviceError(
            number == EADDRINUSE ? .busy : .unreachable, "The simulated iiod cannot listen on port \(port). \(remedy)",
            cause: .system(call: call, errno: number))
    }
}

/// The C function, whose name the method hides.
private func system_accept(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }
