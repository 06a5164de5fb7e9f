// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import ByteChannels
import DeviceCore
import Dispatch
import SystemCalls
import Testing

@testable import UdevSource

@Suite("Opening a protocol of an accessory")
struct OpeningTests {
    private let records = Records.plain("com.a")

    private static func code(_ body: () throws -> any ByteChannel) -> DeviceError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? DeviceError)?.code
        }
    }

    @Test("A protocol in use is busy, and can be opened again after it was closed and released")
    func busy() throws {
        let test = TestSource(records)
        let channel = try test.source.open(1, protocol: "com.a")
        let error = #expect(throws: DeviceError.self) { try test.source.open(1, protocol: "com.a") }
        #expect(error?.code == .busy)
        // The error is immediate, because no closed channel is still sending.
        #expect(error?.message.contains("in use by this program for the protocol com.a") == true)
        channel.close()
        test.releaseAll()
        let again = try test.source.open(1, protocol: "com.a")
        #expect(again.end == nil)
    }

    @Test("Opening waits for a closed channel that is still sending")
    func draining() async throws {
        let test = TestSource(records)
        let channel = try test.source.open(1, protocol: "com.a")
        channel.close()
        let opened = Task.detached { try test.source.open(1, protocol: "com.a") }
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { test.releaseAll() }
        #expect(try await opened.value.end == nil)
    }

    @Test("Opening discards bytes that a closed channel on the same node cannot send")
    func abandoned() throws {
        let test = TestSource(records)
        // The first channel is retained, the second one is not.
        let channel = try test.source.open(1, protocol: "com.a")
        channel.close()
        _ = try test.source.open(1, protocol: "com.a")
        #expect(Self.code { try test.source.open(1, protocol: "com.a") } == nil)
        withExtendedLifetime(channel) {}
    }

    @Test(
        "A new session discards the unsent bytes of the previous one, whether it is retained or released",
        arguments: [
            true, false,
        ])
    func takeOver(isRetained: Bool) throws {
        let test = TestSource(records)
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        defer { close(ends[0]) }
        // The virtual clock does not advance, so that the time limit for sending never expires.
        let port = SocketPort(descriptor: ends[1], path: "/dev/ttyACM0")
        test.put(OpenedChannel(try NodeChannel(port, clock: VirtualClock())))
        var channel: (any ByteChannel)? = try test.source.open(1, protocol: "com.a")
        // The peer does not read.
        let bytes = [UInt8](repeating: 7, count: 1_000_000)
        let result = bytes.withUnsafeBytes { channel?.write($0) }
        guard case .accepted(let count)? = result, count < bytes.count else {
            Issue.record("All was taken.")
            return
        }
        channel?.close()
        if !isRetained { channel = nil }
        #expect(Self.code { try test.source.open(1, protocol: "com.a") } == nil)
        withExtendedLifetime(channel) {}
    }

    @Test("A released channel frees its node")
    func dropped() throws {
        let test = TestSource(records)
        _ = try test.source.open(1, protocol: "com.a")
        test.releaseAll()
        #expect(Self.code { try test.source.open(1, protocol: "com.a") } == nil)
    }

    @Test("Unplugging ends the channel as detached, but not the channel of another accessory")
    func detached() throws {
        let other = "/sys/devices/platform/usb1/1-3"
        let interface = Records.interface(0, of: other, string: "com.b")
        let test = TestSource(
            records + [Records.device(other, attributes: ["serial": "S2"]), interface, Records.tty(interface, "t9")])
        let first = try test.source.open(1, protocol: "com.a")
        let second = try test.source.open(2, protocol: "com.b")
        test.remove(records[0])
        #expect(first.end?.reason == .detached)
        #expect(second.end == nil)
        #expect(Self.code { try test.source.open(1, protocol: "com.a") } == .notFound)
    }

    @Test("A removed node ends its channel at once, even if the accessory remains")
    func nodeGone() throws {
        let second = Records.interface(2, string: "com.b")
        let tty = Records.tty(second, "ttyACM1")
        let test = TestSource(records + [second, tty])
        let retained = try test.source.open(1, protocol: "com.a")
        let lost = try test.source.open(1, protocol: "com.b")
        test.remove(tty)
        #expect(lost.end?.reason == .detached)
        #expect(retained.end == nil)
        #expect(test.events == ["snapshot [1]"])
    }

    @Test("Unknown protocols and accessories cannot be opened, and a failed open leaves the node free")
    func refusals() throws {
        let test = TestSource(records)
        #expect(Self.code { try test.source.open(1, protocol: "com.b") } == .notFound)
        #expect(Self.code { try test.source.open(7, protocol: "com.a") } == .notFound)
        test.refuse(DeviceError(.permissionDenied, "No."))
        #expect(Self.code { try test.source.open(1, protocol: "com.a") } == .permissionDenied)
        test.refuse(nil)
        #expect(Self.code { try test.source.open(1, protocol: "com.a") } == nil)
    }
}
