// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls

/// One connection to the fake server, as its script sees it.
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

    /// What gpsd does at first: the greeting, then the client's WATCH and the answer to it.
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
    func send(_ line: String) {
        send([UInt8](line.utf8) + [13, 10])
    }

    /// Sends bytes, in pieces of that size when one is given.
    func send(_ bytes: [UInt8], pieces: Int = .max) {
        if pieces < bytes.count {
            var yes: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        }
        var rest = bytes[...]
        while !rest.isEmpty, !serverStopped() {
            let piece = rest.prefix(pieces)
            let count = piece.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits for a request that holds the text; false when the client goes or the server is stopped.
    func receive(_ text: String) -> Bool {
        var received = ""
        while let bytes = receiveSome() {
            received += String(decoding: bytes, as: UTF8.self)
            if received.contains(text) { return true }
        }
        return false
    }

    /// Waits until the client goes or the server is stopped.
    func stay() {
        while receiveSome() != nil {}
    }

    /// Waits as long as that with the connection open.
    func stay(milliseconds: Int) {
        var waiting = pollfd(fd: -1, events: 0, revents: 0)
        poll(&waiting, 1, Int32(milliseconds))
    }

    /// True when the client has gone or the server is stopped.
    var isGone: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return serverStopped() || count == 0 || (count < 0 && errno != EAGAIN)
    }

    /// Ends the connection in good order.
    func close() {
        if !isClosed.exchange(true, ordering: .acquiringAndReleasing) { Glibc.close(descriptor) }
    }

    /// Breaks the connection off (RST).
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
