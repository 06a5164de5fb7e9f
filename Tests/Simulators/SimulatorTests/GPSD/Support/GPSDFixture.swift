// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SystemCalls
import Testing
import Trace

@testable import GPSDSimulator

/// A simulated gpsd with clients on socket pairs and a clock that the test advances.
final class GPSDFixture {
    let engine: GPSDEngine
    private(set) var now = BootTime(nanoseconds: 1_000_000_000_000)
    static let start = WallTime(nanoseconds: 1_767_225_600_000_000_000)

    init(_ lines: [String], _ configure: (inout GPSDServerOptions) throws -> Void = { _ in }) throws {
        var options = GPSDServerOptions()
        try configure(&options)
        let file = try TraceFile(bytes: Array((lines.joined(separator: "\n") + "\n").utf8), name: "test")
        engine = GPSDEngine(file, options: options) { GPSDFixture.start }
        engine.advance(now: now)
    }

    /// Advances the clock by `seconds` in steps of `step` seconds.
    func pass(_ seconds: Double, step: Double = 0.05) {
        var rest = seconds
        repeat {
            now = now.advanced(bySeconds: min(step, max(rest, 0)))
            rest -= step
            engine.advance(now: now)
        } while rest > 0.000_001
    }

    func connect(sendBufferSize: Int32? = nil) throws -> FixtureClient {
        let (client, copy) = try connectWithCopy(sendBufferSize: sendBufferSize)
        close(copy)
        return client
    }

    /// Connects, and duplicates the server's descriptor as a fork for a child process does.
    func connectWithCopy(sendBufferSize: Int32? = nil) throws -> (FixtureClient, Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(
            socketpair(
                AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        if var sendBufferSize {
            setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &sendBufferSize, socklen_t(MemoryLayout<Int32>.size))
        }
        let copy = fcntl(ends[0], F_DUPFD_CLOEXEC, 0)
        engine.addClient(ends[0], now: now)
        return (FixtureClient(ends[1], self), copy)
    }

    /// Serves all clients once.
    func serve() {
        for client in engine.clients { engine.serve(client, now: now) }
        engine.advance(now: now)
    }

    /// A trace with one position per second from time 0.
    static func drive(_ count: Int, device: String? = "/dev/ttyS1") -> [String] {
        [#"{"format":"device-services-trace","version":1,"start":{"utc":"2024-03-23T12:00:00Z","boot":0}}"#]
            + (0..<count).map { #"{"t":\#($0),"gpsd":\#(fix($0, device: device))}"# }
    }

    static func fix(_ number: Int, device: String? = "/dev/ttyS1") -> String {
        let name = device.map { #""device":"\#($0)","# } ?? ""
        let time = String(format: "2024-03-23T12:%02d:%02d.000Z", number / 60 % 60, number % 60)
        return #"{"class":"TPV",\#(name)"mode":3,"time":"\#(time)","lat":\#(48 + number).000000000,"lon":11.500000000}"#
    }
}

/// The client's end of a socket pair.
final class FixtureClient {
    private let descriptor: Int32
    private unowned let fixture: GPSDFixture

    init(_ descriptor: Int32, _ fixture: GPSDFixture) {
        self.descriptor = descriptor
        self.fixture = fixture
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        sendWithoutServing(text)
        fixture.serve()
    }

    /// Sends without serving, so that the requests of several clients are served together.
    func sendWithoutServing(_ text: String) { _ = Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }

    /// Returns the bytes received so far, nil at end of file.
    func read() -> [UInt8]? {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                all += buffer[..<count]
            } else {
                let isEnd = count == 0 || errno == ECONNRESET
                return isEnd && all.isEmpty ? nil : all
            }
        }
    }

    var isClosed: Bool {
        while let bytes = read() { if bytes.isEmpty { return false } }
        return true
    }

    /// Returns the lines received so far.
    func lines() -> [String] {
        String(decoding: read() ?? [], as: UTF8.self).components(separatedBy: "\r\n").filter { !$0.isEmpty }
    }

    /// Returns the classes of the received reports, and the names of the received sentences.
    func kinds() -> [String] {
        lines().map { line in
            line.hasPrefix("$")
                ? String(line.prefix { $0 != "," }) : String(line.split(separator: "\"").dropFirst(3).first ?? "")
        }
    }
}
