// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SystemCalls
import TestSupport
import Testing
import Trace

@testable import GPSDSimulator

@Suite("The server on a loopback socket", .serialized, .timeLimit(.minutes(30)))
struct GPSDServerTests {
    private func server(_ count: Int, _ configure: (inout GPSDServerOptions) -> Void = { _ in }) throws -> GPSDServer {
        var options = GPSDServerOptions()
        options.pace = .asFastAsRead
        configure(&options)
        let text = Stage.drive(count).joined(separator: "\n") + "\n"
        return GPSDServer(try TraceFile(bytes: Array(text.utf8), name: "drive"), options: options)
    }

    @Test("It starts, plays, stops, and starts again")
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
            #expect(Array(lines[min(2, lines.count)...]) == (0..<100).map { Stage.fix($0) })
            #expect(server.waitUntilPlayed(seconds: 60))
            #expect(server.reportCount == 100)
            #expect(server.lostCount == 0)
            server.stop()
            #expect(server.port == nil)
        }
    }

    @Test("A port that is taken is told")
    func takenPort() throws {
        let first = try server(1)
        let port = try first.start()
        let second = try server(1) { $0.port = port }
        #expect {
            try second.start()
        } throws: { error in
            (error as? DeviceError)?.code == .busy && "\(error)".contains("simulated gpsd")
        }
    }

    @Test("A fault of a receiver that is not in the trace is refused before anything starts")
    func unknownReceiver() throws {
        let known = try server(1) { $0.faults = [GPSDFault(.unplug, device: "/dev/ttyS1", at: .seconds(1))] }
        _ = try known.start()
        let unknown = try server(1) { $0.faults = [GPSDFault(.unplug, device: "/dev/ttyUSB7", at: .seconds(1))] }
        #expect {
            try unknown.start()
        } throws: { error in
            let error = error as? DeviceError
            return error?.code == .invalidConfiguration && error?.message.contains("it has /dev/ttyS1") == true
        }
    }

    @Test("A fault that is injected kills the server, and another brings it back on its port")
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

    @Test("Sixty-four clients are served at once, and one more is sent away")
    func manyClients() throws {
        let server = try server(20) { $0.end = .close }
        let port = try server.start()
        let clients = try (0..<64).map { _ in try TestClient(port) }
        for client in clients { _ = try client.readLine() }
        // Who has asked for something keeps his place.
        for client in clients { try client.send("?VERSION;") }
        for client in clients { _ = try client.readLine() }
        let last = try TestClient(port)
        #expect(throws: TestClient.Failure.self) { try last.readLine() }
        // One that watches after playback has begun would miss its beginning.
        for client in clients.dropLast() { try client.send("?WATCH={\"enable\":true};") }
        for client in clients.dropLast() { _ = try (client.readLine(), client.readLine()) }
        try clients.last?.send("?WATCH={\"json\":true};")
        let lines = try clients.last?.readToEnd() ?? []
        #expect(lines.count == 22)
        for client in clients.dropLast() { #expect(try client.readToEnd().isEmpty) }
    }
}
