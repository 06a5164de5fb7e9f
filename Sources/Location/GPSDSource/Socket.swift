// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// A nonblocking TCP connection.
struct Socket: ~Copyable {
    let descriptor: Int32

    deinit { close(descriptor) }

    enum ReadResult {
        case bytes(Int)
        case nothing
        case ended
        case failed(errno: Int32)
    }

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

    /// Returns nil on success, or the error number on failure. A full send buffer counts as an error, because it means
    /// that gpsd has stopped reading.
    func send(_ bytes: [UInt8]) -> Int32? {
        bytes.withUnsafeBytes { buffer in
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            while true {
                let count = systemSend(descriptor, buffer.baseAddress, buffer.count, flags)
                if count == buffer.count { return nil }
                if count < 0, errno == EINTR { continue }
                return count < 0 ? errno : EAGAIN
            }
        }
    }
}

/// The C function `send`, which the method `send(_:)` shadows.
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(descriptor, bytes, count, flags)
}

extension Socket {
    struct Address: Sendable {
        var storage: sockaddr_storage
        var length: socklen_t
        var family: Int32
    }

    /// Returns at most eight addresses of a host. Blocks while the resolver runs.
    static func resolve(_ address: PositionSourceAddress) throws(DeviceError) -> [Address] {
        var addresses: [Address] = []
        let result = Sockets.resolve(address.host, port: address.port) { entry in
            if let source = entry.ai_addr, Int(entry.ai_addrlen) <= MemoryLayout<sockaddr_storage>.size {
                var storage = sockaddr_storage()
                withUnsafeMutableBytes(of: &storage) { target in
                    target.copyMemory(from: UnsafeRawBufferPointer(start: source, count: Int(entry.ai_addrlen)))
                }
                addresses.append(Address(storage: storage, length: entry.ai_addrlen, family: entry.ai_family))
            }
            return addresses.count == 8
        }
        guard result == 0 else {
            let cause: DeviceError.Cause =
                result == EAI_SYSTEM
                ? .system(call: "getaddrinfo", errno: errno) : .library(name: "getaddrinfo", code: result)
            throw DeviceError(
                .unreachable,
                "The host name of \(address) cannot be resolved: \(String(cString: gai_strerror(result))). Check the name, or use the numeric address.",
                cause: cause)
        }
        return addresses
    }

    /// Connects within `seconds`. Returns nil if `isCancelled` returns true after a wakeup.
    static func connect(
        _ target: Address, name: PositionSourceAddress, within seconds: Double, wakeUp: WakeupPipe,
        clock: any DeviceClock,
        isCancelled: () -> Bool
    ) throws(DeviceError) -> Socket? {
        let descriptor = Sockets.open(target.family, .stream)
        guard descriptor >= 0 else { throw failure(name, call: "socket", errno: errno) }
        let connection = Socket(descriptor: descriptor)
        enableKeepAlive(descriptor)
        var storage = target.storage
        let started = withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Sockets.connect(descriptor, $0, target.length) }
        }
        if started == 0 { return connection }
        guard errno == EINPROGRESS || errno == EINTR else { throw failure(name, call: "connect", errno: errno) }
        let deadline = clock.now.advanced(bySeconds: seconds)
        while !wakeUp.wait(for: descriptor, events: Int16(POLLOUT), until: deadline, clock: clock) {
            if isCancelled() { return nil }
            guard clock.now < deadline else { throw failure(name, call: "connect", errno: ETIMEDOUT) }
        }
        let status = Sockets.clearPendingError(descriptor) ?? 0
        guard status == 0 else { throw failure(name, call: "connect", errno: status) }
        return connection
    }

    /// Enables TCP keep-alive, which detects a lost peer without waking this process. The kernel sends the first probe
    /// after a minute of silence, and closes the connection after four unanswered probes, 15 s apart.
    private static func enableKeepAlive(_ descriptor: Int32) {
        func set(_ level: Int32, _ option: Int32, _ value: Int32) {
            var value = value
            setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
        }
        set(SOL_SOCKET, SO_KEEPALIVE, 1)
        set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 60)
        set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 15)
        set(Int32(IPPROTO_TCP), TCP_KEEPCNT, 4)
    }

    private static func failure(_ name: PositionSourceAddress, call: String, errno number: Int32) -> DeviceError {
        let remedy =
            number == ECONNREFUSED
            ? "No server listens there: start gpsd (systemctl start gpsd.socket), or set DEVICE_SERVICES_GPSD to its address."
            : "Check that gpsd runs there and that no firewall blocks the connection."
        return DeviceError(
            .unreachable, "\(name) cannot be reached. \(remedy)", cause: .system(call: call, errno: number))
    }
}
