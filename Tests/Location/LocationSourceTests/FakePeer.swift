// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls

/// A connection to the fake server, as seen by the server's script.
final class FakePeer: Sendable {
    /// 1 for the first connection to the server.
    let number: Int
    private let descriptor: Int32
    private let isClosed = Atomic<Bool>(false)
    private let serverStopped: @Sendable () -> Bool

    init(descriptor: Int32, number: Int, serverStopped: @escaping @Sendable () -> Bool) {
        self.descriptor = descriptor
        self.number = number
        self.serverStopped = serverStopped
    }

    static let greeting = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#

    /// Performs gpsd's handshake: sends the greeting, waits for the client's WATCH and answers it.
    @discardableResult
    func begin(devices: [String] = ["/dev/ttyACM0"]) -> Bool {
        send(Self.greeting)
        guard receive("?WATCH") else { return false }
        let list = devices.map { #"{"class":"DEVICE","path":"\#($0)","activated":"2021-06-16T23:46:05.800Z"}"# }
        send(#"{"class":"DEVICES","devices":[\#(list.joined(separator: ","))]}"#)
        send(#"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0,"scaled":false}"#)
        return true
    }

    /// Sends a line as gpsd does, with CR LF.
    func send(_ line: String) { send([UInt8](line.utf8) + [13, 10]) }

    /// Sends bytes in pieces of at most the given size.
    func send(_ bytes: [UInt8], chunks: Int = .max) {
        if chunks < bytes.count {
            var yes: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        }
        var rest = bytes[...]
        while !rest.isEmpty, !serverStopped() {
            let chunk = rest.prefix(chunks)
            let count = chunk.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits for a request that contains the text. Returns false if the client disconnects or the server stops.
    func receive(_ text: String) -> Bool {
        var received = ""
        while let bytes = receiveSome() {
            received += String(decoding: bytes, as: UTF8.self)
            if received.contains(text) { return true }
        }
        return false
    }

    /// Waits until the client disconnects or the server stops.
    func waitUntilClosed() { while receiveSome() != nil {} }

    /// Keeps the connection open for that many milliseconds.
    func wait(milliseconds: Int) {
        var waiting = pollfd(fd: -1, events: 0, revents: 0)
        poll(&waiting, 1, Int32(milliseconds))
    }

    /// True if the client has disconnected or the server has stopped.
    var isDisconnected: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return serverStopped() || count == 0 || (count < 0 && errno != EAGAIN)
    }

    /// Closes the connection normally.
    func close() { if !isClosed.exchange(true, ordering: .acquiringAndReleasing) { Glibc.close(descriptor) } }

    /// Aborts the connection (RST).
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    private func receiveSome() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while !serverStopped() {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 10) > 0 else { continue }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            return count > 0 ? Array(buffer.prefix(count)) : nil
        }
        return nil
    }
}
