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

    /// Returns nil on success, or the error number on failure. A full send buffer counts as a failure, because it means
    /// that gpsd has stopped reading.
    func send(_ bytes: [UInt8]) -> Int32? {
        bytes.withUnsafeBytes { buffer in
            while true {
                let count = systemSend(descriptor, buffer)
                if count == buffer.count { return nil }
                if count < 0, errno == EINTR { continue }
                return count < 0 ? errno : EAGAIN
            }
        }
    }
}

extension Socket {
    /// Returns up to eight addresses of a host. Blocks while the resolver runs.
    static func resolve(_ address: PositionSourceAddress) throws(DeviceError) -> [ServerAddress] {
        var addresses: [ServerAddress] = []
        let result = Sockets.resolve(address.host, port: address.port) { entry in
            if let target = ServerAddress(entry) { addresses.append(target) }
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

    /// Connects to a server. Throws an error if the connection fails or takes longer than `seconds`. Returns nil if
    /// `isCancelled` returns true after a wakeup.
    static func connect(
        _ target: ServerAddress, name: PositionSourceAddress, within seconds: Double, wakeUp: WakeupPipe,
        clock: any DeviceClock,
        isCancelled: () -> Bool
    ) throws(DeviceError) -> Socket? {
        let descriptor = Sockets.open(target.family, .stream)
        guard descriptor >= 0 else { throw failure(name, call: "socket", errno: errno) }
        let connection = Socket(descriptor: descriptor)
        enableKeepAlive(descriptor)
        if target.connect(descriptor) == 0 { return connection }
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
        Sockets.setOption(descriptor, level: SOL_SOCKET, name: SO_KEEPALIVE, value: 1)
        Sockets.setOption(descriptor, level: Int32(IPPROTO_TCP), name: TCP_KEEPIDLE, value: 60)
        Sockets.setOption(descriptor, level: Int32(IPPROTO_TCP), name: TCP_KEEPINTVL, value: 15)
        Sockets.setOption(descriptor, level: Int32(IPPROTO_TCP), name: TCP_KEEPCNT, value: 4)
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
