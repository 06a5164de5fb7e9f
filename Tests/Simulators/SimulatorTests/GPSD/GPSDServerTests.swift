// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SystemCalls
import TestSupport
import Testing
import Trace

@testable import GPSDSimulator

@Suite("The gpsd server on a loopback socket", .serialized, .timeLimit(.minutes(30)))
struct GPSDServerTests {
    private func server(_ count: Int, _ configure: (inout GPSDServerOptions) -> Void = { _ in }) throws -> GPSDServer {
        var options = GPSDServerOptions()
        options.pace = .onDemand
        configure(&options)
        let text = GPSDFixture.drive(count).joined(separator: "\n") + "\n"
        return GPSDServer(try TraceFile(bytes: Array(text.utf8), name: "drive"), options: options)
    }

    @Test("The server starts, plays, stops and starts again")
    func lifeCycle() throws {
        let server = try server(100) { $0.end = .close }
        #expect(server.port == nil)
        for _ in 0..<3 {
            let port = try server.start()
            #expect(try server.start() == port)
            let client = try TestClient(port)
            #expect(try client.readLine().hasPrefix(#"{"class":"VERSION""#))
            #expect(server.wait(forClients: 1, seconds: 60))
            try client.send("?WATCH={\"json\":true}\n")
            let lines = try client.readToEnd()
            #expect(Array(lines[min(2, lines.count)...]) == (0..<100).map { GPSDFixture.fix($0) })
            #expect(server.waitUntilPlayed(seconds: 60))
            #expect(server.reportCount == 100)
            #expect(server.lostCount == 0)
            server.stop()
            #expect(server.port == nil)
        }
    }

    @Test("A port in use is reported as busy")
    func usedPort() throws {
        let first = try server(1)
        let port = try first.start()
        let second = try server(1) { $0.port = port }
        #expect {
            try second.start()
        } throws: { error in
            (error as? DeviceError)?.code == .busy && "\(error)".contains("simulated gpsd")
        }
    }

    @Test("A fault for a receiver missing from the trace is rejected before the server starts")
    func unknownReceiver() throws {
        let known = try server(1) { $0.faults = [GPSDFault(.unplug, device: "/dev/ttyS1", at: .seconds(1))] }
        _ = try known.start()
        let unknown = try server(1) { $0.faults = [GPSDFault(.unplug, device: "/dev/ttyUSB7", at: .seconds(1))] }
        #expect {
            try unknown.start()
        } throws: { error in
            let error = error as? DeviceError
            return error?.code == .invalidConfiguration && error?.message.contains("Its receivers: /dev/ttyS1") == true
        }
    }

    @Test("An injected kill closes the server, and an injected restart reopens its port")
    func injected() throws {
        let server = try server(10) { $0.pace = .realTime(speed: 1) }
        let port = try server.start()
        let client = try TestClient(port)
        _ = try client.readLine()
        server.inject(GPSDFault(.kill))
        #expect(client.isClosed())
        server.inject(GPSDFault(.restart))
        let end = ContinuousClock.now + .seconds(60)
        var isBack = false
        while !isBack, ContinuousClock.now < end {
            isBack = (try? TestClient(port).readLine()) != nil
            sched_yield()
        }
        #expect(isBack)
    }

    @Test("64 clients are served at once, and the next client is disconnected")
    func manyClients() throws {
        let server = try server(20) { $0.end = .close }
        let port = try server.start()
        let clients = try (0..<64).map { _ in try TestClient(port) }
        for client in clients { _ = try client.readLine() }
        // A client that has sent a request is not evicted.
        for client in clients { try client.send("?VERSION;") }
        for client in clients { _ = try client.readLine() }
        let last = try TestClient(port)
        #expect(throws: TestClient.Failure.self) { try last.readLine() }
        // A client that watches after playback has begun would miss the first reports.
        for client in clients.dropLast() { try client.send("?WATCH={\"enable\":true};") }
        for client in clients.dropLast() { _ = try (client.readLine(), client.readLine()) }
        try clients.last?.send("?WATCH={\"json\":true};")
        let lines = try clients.last?.readToEnd() ?? []
        #expect(lines.count == 22)
        for client in clients.dropLast() { #expect(try client.readToEnd().isEmpty) }
    }
}
