// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls
import TestSupport
import Testing

@testable import GPSDSource

@Suite("Socket errors")
struct SocketErrorTests {
    private func connect(_ address: PositionSourceAddress) throws(DeviceError) -> Bool {
        let wakeUp = try WakeupPipe(for: "a test")
        guard let target = try Socket.resolve(address).first else { return false }
        let socket = try Socket.connect(
            target, name: address, within: 5, wakeUp: wakeUp, clock: LiveClock(), isCancelled: { false })
        return socket != nil
    }

    @Test("A refused connection is reported with a remedy")
    func refused() throws {
        let port = try FreePort.next()
        let address = PositionSourceAddress(host: "127.0.0.1", port: port)
        let error = #expect(throws: DeviceError.self) { try connect(address) }
        #expect(error?.code == .unreachable)
        #expect(error?.cause == .system(call: "connect", errno: ECONNREFUSED))
        #expect(error?.message.contains("\(address)") == true)
        #expect(error?.message.contains("systemctl start gpsd.socket") == true)
    }

    @Test("The error about an unknown host names the host")
    func unknownHost() {
        let error = #expect(throws: DeviceError.self) { try connect(PositionSourceAddress(host: "a..b")) }
        #expect(error?.code == .unreachable)
        #expect(error?.message.contains("a..b") == true)
    }

    @Test("Numeric IPv4 and IPv6 addresses are resolved")
    func families() throws {
        #expect(try Socket.resolve(PositionSourceAddress(host: "127.0.0.1")).map(\.family) == [AF_INET])
        #expect(try Socket.resolve(PositionSourceAddress(host: "::1")).map(\.family) == [AF_INET6])
    }

    @Test("A wake-up before the wait ends it, and many wake-ups count as one")
    func wakeUp() throws {
        let wakeUp = try WakeupPipe(for: "a test")
        for _ in 0..<100_000 { wakeUp.signal() }
        let clock = LiveClock()
        let start = clock.now
        #expect(!wakeUp.wait(for: nil, until: .never, clock: clock))
        // All wake-ups are consumed, so the next wait lasts until its deadline.
        let end = clock.now.advanced(bySeconds: 0.02)
        #expect(!wakeUp.wait(for: nil, until: end, clock: clock))
        #expect(clock.now >= end)
        #expect(clock.now.seconds(since: start) < 60)
    }
}
