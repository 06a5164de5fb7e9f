// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import IIOFormat
import SystemCalls
import TestSupport
import Testing

@testable import IIODSimulator

@Suite("The iiod server on a loopback socket", .serialized, .timeLimit(.minutes(30)))
struct IIODServerTests {
    private func server(
        _ faults: String = "", _ configure: (inout IIODServerOptions) -> Void = { _ in }
    ) throws -> IIODServer {
        var options = IIODServerOptions()
        options.pace = .onDemand
        options.end = .loop
        options.faults = try faults.isEmpty ? [] : IIODFault.list(faults)
        configure(&options)
        return IIODServer(
            context: SimulatedIIOContext(Fixtures.accelerometer),
            samples: IIORecordedSource([Fixtures.counting(Fixtures.steps(1000))]), options: options)
    }

    /// Reads an answer to READBUF of `length` bytes.
    private func chunks(_ client: TestClient, _ length: Int) throws -> Chunks {
        try client.send(line: "READBUF iio:device0 \(length)")
        var reply: [UInt8] = []
        var remaining = length
        while remaining > 0 {
            let line = try client.readLine()
            reply += Array((line + "\n").utf8)
            guard let count = Int(line), count > 0 else { break }
            if remaining == length { reply += Array((try client.readLine() + "\n").utf8) }
            reply += try client.read(count)
            remaining -= count
        }
        return try #require(Chunks(reply))
    }

    /// True as soon as the port is closed. A child process of another test holds the socket between fork and exec, so
    /// closing may take a moment.
    private func isFree(_ port: UInt16) -> Bool {
        becomesTrue { (try? TestClient(port)) == nil }
    }

    /// Polls the condition for at most a minute and yields the processor in between.
    private func becomesTrue(_ condition: () -> Bool) -> Bool {
        let end = ContinuousClock.now + .seconds(60)
        repeat {
            if condition() { return true }
            sched_yield()
        } while ContinuousClock.now < end
        return false
    }

    @Test("The server starts, answers, stops and starts again")
    func lifeCycle() throws {
        let server = try server()
        #expect(server.port == nil)
        for _ in 0..<3 {
            let port = try server.start()
            #expect(try server.start() == port)
            let client = try TestClient(port)
            #expect(try client.ask("VERSION") == "0.24.v0.24  ")
            #expect(server.connectionCount == 1)
            server.stop()
            #expect(client.isClosed())
            #expect(server.port == nil)
            #expect(isFree(port))
        }
    }

    @Test("A stop closes its connections, even if another thread starts the server again at the same time")
    func startDuringStop() throws {
        let server = try server()
        for _ in 0..<50 {
            let client = try TestClient(try server.start())
            #expect(try client.ask("TIMEOUT 1") == "0")
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                if index == 0 { return server.stop() }
                _ = try? server.start()
            }
            #expect(client.isClosed())
        }
    }

    @Test("A port in use is reported as busy")
    func usedPort() throws {
        let first = try server()
        let port = try first.start()
        let second = try server { $0.port = port }
        #expect {
            try second.start()
        } throws: { ($0 as? DeviceError)?.code == .busy }
    }

    @Test("Several clients capture different channels of one device, and each receives all samples")
    func severalClients() throws {
        let server = try server()
        let port = try server.start()
        let all = try TestClient(port)
        let one = try TestClient(port)
        #expect(try all.ask("OPEN iio:device0 64 0000000f") == "0")
        #expect(try one.ask("OPEN iio:device0 16 00000001") == "0")
        for round in 0..<10 {
            let wide = try chunks(all, 64 * 16)
            #expect(wide.mask == "0000000f")
            #expect(wide.first == Array(round * 64..<(round + 1) * 64))
            let narrow = try chunks(one, 16 * 2)
            #expect(narrow.mask == "00000001")
            let numbers = Array(round * 16..<(round + 1) * 16)
            let expected = numbers.flatMap { number in [UInt8(number >> 8), UInt8(number & 255)] }
            #expect(narrow.scans == expected)
        }
        #expect(server.samplesSent == 10 * 80)
    }

    @Test("In real time, samples arrive on time with timestamps of the selected clock")
    func realTime() throws {
        let server = try server { $0.pace = .realTime(speed: 1) }
        let client = try TestClient(try server.start())
        #expect(try client.ask("WRITE iio:device0 current_timestamp_clock 9\r\nboottime\0") == "9")
        #expect(try client.ask("OPEN iio:device0 5 0000000f") == "0")
        let chunks = try chunks(client, 5 * 16)
        let now = LiveClock().now.nanoseconds
        #expect(chunks.first == [0, 1, 2, 3, 4])
        let stamps = chunks.stamps
        let intervals = zip(stamps, stamps.dropFirst()).map { $1 - $0 }
        #expect(intervals == [10_000_000, 10_000_000, 10_000_000, 10_000_000])
        let last = try #require(stamps.last)
        // The last sample was due before it arrived, and not long before.
        #expect(last <= now && last > now - 60_000_000_000)
    }

    @Test("Attribute values can be read and set from outside the session")
    func values() throws {
        let server = try server()
        let client = try TestClient(try server.start())
        #expect(server.setValue("42", for: "iio:device0/input/accel_x/calibbias"))
        #expect(try client.ask("READ iio:device0 INPUT accel_x calibbias") == "3")
        #expect(try client.read(4) == Array("42\0\n".utf8))
        #expect(try client.ask("WRITE iio:device0 sampling_frequency 3\r\n50\0") == "3")
        #expect(server.value(for: "iio:device0/sampling_frequency") == "50")
    }

    @Test("A fault for an unknown device is rejected before the server starts")
    func unknownDevice() throws {
        let server = try server("unplug(mpu6050)@1s,stall(nowhere)@1s")
        #expect {
            try server.start()
        } throws: { error in
            let error = error as? DeviceError
            return error?.code == .invalidConfiguration && error?.message.contains("\"nowhere\"") == true
                && error?.message.contains("mpu6050") == true
        }
    }

    @Test("Faults can be injected at run time, including a restart on the same port")
    func faults() throws {
        let server = try server()
        let port = try server.start()
        let client = try TestClient(port)
        #expect(try client.ask("OPEN iio:device0 4 0000000f") == "0")
        server.inject(IIODFault(.streamError(ENODEV)))
        #expect(try client.ask("READBUF iio:device0 64") == "-19")
        #expect(try client.ask("OPEN iio:device0 4 0000000f") == "0")
        server.inject(IIODFault(.stall))
        try client.send(line: "READBUF iio:device0 64")
        server.inject(IIODFault(.resume))
        #expect(try client.readLine() == "64")
        server.inject(IIODFault(.drop))
        #expect(client.isClosed())
        let next = try TestClient(port)
        #expect(try next.ask("TIMEOUT 1") == "0")
        server.inject(IIODFault(.kill))
        #expect(next.isClosed())
        #expect(isFree(port))
        server.inject(IIODFault(.restart))
        #expect(becomesTrue { (try? TestClient(port).ask("TIMEOUT 1")) == "0" })
    }

    @Test("A kill before a sample ends the stream at that sample")
    func killedAtSample() throws {
        let server = try server("kill@#8")
        let client = try TestClient(try server.start())
        #expect(try client.ask("OPEN iio:device0 4 0000000f") == "0")
        #expect(try chunks(client, 128).first == Array(0..<8))
        try client.send(line: "READBUF iio:device0 64")
        #expect(client.isClosed())
    }

    @Test("A client that never reads does not block the others")
    func slowClient() throws {
        let server = try server()
        let port = try server.start()
        let slow = try TestClient(port)
        try slow.send(line: "OPEN iio:device0 65536 0000000f")
        for _ in 0..<100 { try slow.send(line: "READBUF iio:device0 1048576000") }
        let client = try TestClient(port)
        #expect(try client.ask("OPEN iio:device0 64 0000000f") == "0")
        for _ in 0..<100 { #expect(try chunks(client, 1024).scans.count == 1024) }
    }

    @Test("Garbage requests leave the server working")
    func garbage() throws {
        let server = try server()
        let port = try server.start()
        var state: UInt64 = 1
        func random() -> UInt64 {
            // xorshift64.
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
        let words = [
            "READ", "WRITE", "OPEN", "READBUF", "WRITEBUF", "CLOSE", "SET", "GETTRIG", "iio:device0", "INPUT",
            "accel_x",
            "0000000f", "-1", "99999999999999999999", "4", "64", "\r\n", "\n", "BUFFERS_COUNT", "raw", " ", "\0",
            "\u{FF}",
        ]
        for _ in 0..<Thoroughness.rounds(200, quick: 20) {
            let client = try TestClient(port)
            var bytes: [UInt8] = []
            for _ in 0..<40 {
                if random() % 8 == 0 {
                    bytes += (0..<16).map { _ in UInt8(truncatingIfNeeded: random() >> 11) }
                } else {
                    bytes += Array((words[Int(random() >> 8) % words.count] + " ").utf8)
                }
            }
            // The server may already have closed the connection.
            try? client.send(bytes)
        }
        let client = try TestClient(port)
        #expect(try client.ask("VERSION") == "0.24.v0.24  ")
    }

    @Test("The number of connections is limited, and closed connections free their slots")
    func flood() throws {
        let server = try server { $0.maximumConnections = 16 }
        let port = try server.start()
        for round in 0..<4 {
            var clients: [TestClient] = []
            for _ in 0..<100 { clients.append(try TestClient(port)) }
            // The most recent connections stay open. In later rounds slots become free while new clients connect.
            if round == 0 {
                for client in clients.prefix(84) { #expect(client.isClosed()) }
                for client in clients.suffix(16) { #expect(try client.ask("TIMEOUT 1") == "0") }
                // These clients have sent a request and are not evicted.
                #expect(try TestClient(port).isClosed())
                for client in clients.suffix(16) { #expect(try client.ask("TIMEOUT 1") == "0") }
            }
            #expect(server.connectionCount <= 16)
            clients = []
            #expect(becomesTrue { (try? TestClient(port).ask("TIMEOUT 1")) == "0" })
        }
    }

    @Test("A half-closed connection receives its answers before it closes")
    func halfClosed() throws {
        let server = try server()
        let client = try TestClient(try server.start())
        try client.send(line: "VERSION\r\nTIMEOUT 1")
        client.finishSending()
        #expect(try client.readLine() == "0.24.v0.24  ")
        #expect(try client.readLine() == "0")
        #expect(client.isClosed())
    }
}
