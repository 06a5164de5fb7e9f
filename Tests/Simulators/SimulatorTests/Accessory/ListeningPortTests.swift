// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Foundation
import LoopbackServer
import SystemCalls
import TestSupport
import Testing
import Trace

@testable import AccessorySimulator

/// Ports without a server thread. The test serves them itself.
@Suite("Ports closed by their programs")
struct ListeningPortTests {
    @Test("A port abandoned by its program does not wake poll() repeatedly", arguments: [true, false])
    func clientLeft(isSocket: Bool) throws {
        try withBuffer { buffer in
            let changed = BinarySemaphore()
            let context = Self.context(buffer, changed)
            let endpoint = SimulatedAccessory.Endpoint(name: "com.example.probe", peer: PatternPeer())
            let path = Self.path()
            let port: any SimulatedPort =
                isSocket ? try ListeningPort(endpoint, path: path) : try TerminalPort(endpoint)
            let program = try #require(
                isSocket ? PlainPort(socket: path) : PlainPort(terminal: port.node.path))
            try wait(changed, port, context) { port.programSession != nil }
            port.isInputPaused = true
            // The peer sends more than the buffers hold.
            try wait(changed, port, context) { port.programSession?.hasOutput == true }
            program.close()
            // The port detects the end within a few calls.
            var pollCount = 0
            while port.programSession != nil, pollCount < 10, var entry = port.pollDescriptor {
                #expect(poll(&entry, 1, 60_000) == 1)
                port.serve(revents: entry.revents, context: context)
                pollCount += 1
            }
            #expect(port.programSession == nil)
            port.close()
        }
    }

    @Test("An unopened terminal is not polled, and opening it notifies its server")
    func opening() throws {
        try withBuffer { buffer in
            let openings = OpenWatcher()
            let endpoint = SimulatedAccessory.Endpoint(name: "com.example.probe", peer: EchoPeer())
            let port = try TerminalPort(endpoint, openings: openings)
            let other = try TerminalPort(endpoint, openings: openings)
            let context = Self.context(buffer, BinarySemaphore())
            for _ in 0..<2 {
                openings.drain()
                port.serve(revents: 0, context: context)
                #expect(port.deadline == .never)
                #expect(port.pollDescriptor == nil)
                var received = pollfd(fd: openings.descriptor, events: Int16(POLLIN), revents: 0)
                #expect(poll(&received, 1, 0) == 0)
                let program = try #require(PlainPort(terminal: port.node.path))
                #expect(poll(&received, 1, 0) == 1)
                openings.drain()
                try wait(BinarySemaphore(), port, context) { port.programSession != nil }
                other.serve(revents: 0, context: context)
                #expect(other.deadline == .never && other.programSession == nil)
                program.close()
                while port.programSession != nil, var entry = port.pollDescriptor {
                    #expect(poll(&entry, 1, 60_000) == 1)
                    port.serve(revents: entry.revents, context: context)
                }
            }
            port.close()
            other.close()
        }
    }

    @Test("Without descriptors or memory a port retries accept() after a pause", arguments: [EMFILE, ENOMEM])
    func noDescriptor(number: Int32) throws {
        try withBuffer { buffer in
            final class Count { var value = 0 }
            let calls = Count()
            let context = Self.context(buffer, BinarySemaphore())
            let path = Self.path()
            let endpoint = SimulatedAccessory.Endpoint(name: "com.example.probe", peer: EchoPeer())
            let port = try ListeningPort(endpoint, path: path) { listener in
                calls.value += 1
                guard calls.value > 1 else {
                    errno = number
                    return -1
                }
                return accept(listener, nil, nil)
            }
            let program = try #require(PlainPort(socket: path))
            port.serve(revents: Int16(POLLIN), context: context)
            #expect(port.pollDescriptor == nil)
            let later = Self.context(buffer, BinarySemaphore(), now: port.deadline)
            #expect(later.now > context.now && later.now < .never)
            port.serve(revents: 0, context: later)
            #expect(port.pollDescriptor?.events == Int16(POLLIN))
            port.serve(revents: Int16(POLLIN), context: later)
            #expect(port.programSession != nil)
            program.close()
            port.close()
        }
    }

    // MARK: -

    private static func path() -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent("port-\(UUID().uuidString.prefix(8))").path
    }

    private static func context(
        _ buffer: UnsafeMutableRawBufferPointer, _ changed: BinarySemaphore, now: BootTime? = nil
    ) -> PortContext {
        let clock = LiveClock()
        return PortContext(
            buffer: buffer, clock: clock, now: now ?? clock.now, setNeedsService: { changed.signal() }, unplug: {},
            retain: { _ in }
        )
    }

    private func withBuffer(_ body: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        try body(buffer)
    }

    /// Serves the port as its server does until the condition is true.
    private func wait(
        _ changed: BinarySemaphore, _ port: any SimulatedPort, _ context: PortContext, until condition: () -> Bool
    ) throws {
        while !condition() {
            if port.programSession != nil {
                try #require(changed.wait(seconds: 60))
                port.serve(revents: 0, context: context)
            } else if var entry = port.pollDescriptor {
                try #require(poll(&entry, 1, 60_000) == 1)
                port.serve(revents: entry.revents, context: context)
            } else {
                port.serve(revents: 0, context: context)
            }
        }
    }
}
