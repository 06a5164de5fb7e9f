// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing
import Trace

@testable import GPSDSimulator

@Suite("Faults of the simulated gpsd")
struct GPSDFaultTests {
    private static let watch = #"?WATCH={"enable":true,"json":true};"#

    private func fixture(_ faults: String, count: Int = 10) throws -> GPSDFixture {
        let list = try faults.isEmpty ? [] : GPSDFault.list(faults)
        return try GPSDFixture(GPSDFixture.drive(count)) { $0.faults = list }
    }

    @Test("The receiver disappears and returns")
    func unplug() throws {
        let fixture = try fixture("unplug@1.5s,return(/dev/ttyS1)@4.5s")
        let client = try fixture.connect()
        client.send(Self.watch)
        fixture.pass(3)
        #expect(client.lines().last == #"{"class":"DEVICE","path":"/dev/ttyS1","activated":0}"#)
        client.send("?POLL;")
        #expect(client.lines().first?.contains("\"active\":0") == true)
        fixture.pass(2.1)
        #expect(client.kinds() == ["DEVICE", "TPV"])
    }

    @Test("The server is killed and restarts")
    func kill() throws {
        #expect(try self.fixture("kill,restart@4s").engine.isListening == false)
        let fixture = try fixture("kill@2.5s,restart@4s")
        let client = try fixture.connect()
        client.send(Self.watch)
        fixture.pass(3)
        #expect(client.kinds().filter { $0 == "TPV" }.count == 3)
        #expect(client.isClosed)
        #expect(!fixture.engine.isListening)
        #expect(try fixture.connect().isClosed)
        fixture.pass(1.1)
        let next = try fixture.connect()
        next.send(Self.watch)
        fixture.pass(1)
        #expect(next.lines().last == GPSDFixture.fix(5))
    }

    @Test("Connections are closed while the server keeps listening")
    func drop() throws {
        let fixture = try fixture("drop@#2")
        let client = try fixture.connect()
        client.send(Self.watch)
        fixture.pass(3)
        #expect(client.kinds().filter { $0 == "TPV" }.count == 2)
        #expect(client.isClosed)
        #expect(fixture.engine.isListening)
    }

    @Test("A dropped connection closes for the client even if a child process holds a duplicate")
    func cutBesideCopy() throws {
        let fixture = try fixture("drop@#2")
        let (client, copy) = try fixture.connectWithCopy()
        defer { close(copy) }
        client.send(Self.watch)
        fixture.pass(3)
        #expect(client.kinds().filter { $0 == "TPV" }.count == 2)
        #expect(client.isClosed)
    }

    @Test("The server stalls and resumes")
    func stall() throws {
        let fixture = try fixture("stall@#1,resume@#3")
        let client = try fixture.connect()
        client.send(Self.watch)
        fixture.pass(4)
        #expect(client.lines().filter { $0.contains("TPV") } == [0, 3, 4].map { GPSDFixture.fix($0) })
        client.send("?VERSION;")
        #expect(client.kinds() == ["VERSION"])
    }

    @Test("Half a report is sent before the connection closes")
    func half() throws {
        let fixture = try fixture("half@#1")
        let client = try fixture.connect()
        client.send(Self.watch)
        _ = client.read()
        fixture.pass(1)
        let line = Array((GPSDFixture.fix(1) + "\r\n").utf8)
        #expect(client.read() == Array(line[..<(line.count / 2)]))
        #expect(client.isClosed)
    }

    @Test("The second half of a report is delayed, and the reports in between follow it")
    func laterHalf() throws {
        let fixture = try fixture("half=1500ms@#1")
        let client = try fixture.connect()
        client.send(Self.watch)
        _ = client.read()
        fixture.pass(1)
        #expect(client.read()?.count == (GPSDFixture.fix(1).utf8.count + 2) / 2)
        fixture.pass(1.4)
        #expect(client.read()?.isEmpty == true)
        fixture.pass(0.2)
        let rest = String(decoding: client.read() ?? [], as: UTF8.self)
        #expect(GPSDFixture.fix(1).hasSuffix(rest.components(separatedBy: "\r\n")[0]))
        #expect(rest.components(separatedBy: "\r\n")[1] == GPSDFixture.fix(2))
        fixture.pass(1)
        #expect(client.lines() == [GPSDFixture.fix(3)])
    }

    @Test("Garbage appears between complete reports and is identical in every run")
    func garbage() throws {
        func run() throws -> [UInt8] {
            let fixture = try fixture("garbage=200@#1")
            let client = try fixture.connect()
            client.send(Self.watch)
            _ = client.read()
            fixture.pass(1)
            return try #require(client.read())
        }
        let bytes = try run()
        #expect(bytes.count == 202 + GPSDFixture.fix(1).utf8.count + 2)
        #expect(Array(bytes.suffix(GPSDFixture.fix(1).utf8.count + 2)) == Array((GPSDFixture.fix(1) + "\r\n").utf8))
        #expect(try run() == bytes)
    }

    @Test("Garbage waits for a report that reaches a client")
    func garbageWaits() throws {
        let fixture = try fixture("garbage=200@#1")
        let client = try fixture.connect()
        client.send(#"?WATCH={"enable":true,"json":true,"device":"/dev/another"};"#)
        _ = client.read()
        fixture.pass(1)
        #expect(client.read()?.isEmpty == true)
        client.send(#"?WATCH={"enable":false};"#)
        client.send(Self.watch)
        _ = client.read()
        fixture.pass(1)
        #expect(client.read()?.count == 202 + GPSDFixture.fix(2).utf8.count + 2)
    }

    @Test("The greeting can contain another protocol version")
    func version() throws {
        let client = try fixture("version=2.9").connect()
        #expect(
            client.lines() == [#"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":2,"proto_minor":9}"#])
    }

    @Test("The greeting can be delayed")
    func greeting() throws {
        let fixture = try fixture("greeting=2s")
        let client = try fixture.connect()
        // Most clients send a request before the greeting arrives.
        client.send("?DEVICES;")
        fixture.pass(1.9)
        #expect(client.lines().isEmpty)
        fixture.pass(0.2)
        fixture.serve()
        #expect(client.kinds() == ["VERSION", "DEVICES"])
    }

    @Test("A restarted server returns after one second, or after the given duration")
    func restart() throws {
        let fixture = try fixture("restart@1.5s,restart@4s+3s")
        try fixture.connect().send(Self.watch)
        func states(_ count: Int) -> [Bool] {
            (0..<count).map { _ in
                fixture.pass(0.5)
                return fixture.engine.isListening
            }
        }
        // The clock starts with the first step.
        fixture.pass(0.25)
        #expect(states(5) == [true, true, false, false, true])
        #expect(states(8) == [true, true, false, false, false, false, false, false])
        #expect(states(2) == [true, true])
    }

    @Test("Restarts at the start, at run time and after a kill bring the server back")
    func otherRestarts() throws {
        let atStart = try fixture("restart")
        #expect(!atStart.engine.isListening)
        atStart.pass(1.1)
        #expect(atStart.engine.isListening)
        atStart.engine.faults.add(GPSDFault(.restart, for: 0.5))
        atStart.pass(0.25)
        #expect(!atStart.engine.isListening)
        atStart.pass(0.5)
        #expect(atStart.engine.isListening)
        atStart.engine.faults.add(GPSDFault(.kill))
        atStart.engine.faults.add(GPSDFault(.restart))
        atStart.pass(0.1)
        #expect(atStart.engine.isListening)
    }

    @Test("Faults with a duration end by themselves, whether they start at a time or at a report")
    func durations() throws {
        let fixture = try fixture("unplug@5.5s+2s,stall@#2+2s")
        let client = try fixture.connect()
        client.send(Self.watch)
        fixture.pass(8.25)
        // Two reports have arrived by 1 s, so the stall lasts until shortly after 3 s.
        #expect(client.lines().filter { $0.contains("TPV") } == [0, 1, 4, 5, 8].map { GPSDFixture.fix($0) })
    }

    @Test("A malformed fault is rejected, and the error quotes it")
    func syntax() throws {
        for text in [
            "explode", "unplug@1d", "unplug@-1s", "garbage=0", "garbage", "version=3", "version=a.b", "half=5d",
            "kill=1",
            "kill(/dev/x)", "stall@#-1", "greeting", "unplug()", "drop@1s+1s", "return@1s+1s", "kill@1s+x",
        ] {
            #expect(throws: DeviceError.self, "\(text)") { try GPSDFault.list(text) }
        }
        let list = try GPSDFault.list(" unplug(/dev/a)@1.5s, half=300ms@#10 ,kill")
        #expect(
            list == [
                GPSDFault(.unplug, device: "/dev/a", at: .seconds(1.5)), GPSDFault(.halfLine(0.3), at: .reading(10)),
                GPSDFault(.kill),
            ])
        #expect(
            try GPSDFault.list("kill@2s+3s,greeting=1s@#4+500ms") == [
                GPSDFault(.kill, at: .seconds(2), for: 3), GPSDFault(.slowGreeting(1), at: .reading(4), for: 0.5),
            ])
        do {
            _ = try GPSDFault("explode@2s")
        } catch {
            #expect(error.description.contains("explode@2s") && error.description.contains("garbage"))
        }
    }
}
