// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import ExternalAccessory
import Synchronization
import Testing

@Suite("Sessions that follow an accessory")
struct FollowingTests {
    private let bench = Bench()
    private let name = "com.example.scale"

    private final class ConnectionLog: Sendable {
        let lines = Mutex<[String]>([])

        func add(_ connection: EASession.Connection) {
            let line =
                switch connection {
                case .paused(let unsent): "paused \(unsent)"
                case .resumed(let accessory): "resumed \(accessory.connectionID)"
                case .failed(let error): "failed \(error.code)"
                }
            lines.withLock { $0.append(line) }
        }
    }

    private func follow(_ connectionLog: ConnectionLog) throws -> EASession {
        bench.accessories.attach()
        let accessory = try #require(bench.manager.connectedAccessories.first)
        return try EASession(following: accessory, protocol: name) { connectionLog.add($0) }
    }

    @Test("The session resumes when the accessory is plugged in again, and received bytes are not lost")
    func continues() throws {
        let connectionLog = ConnectionLog()
        let session = try follow(connectionLog)
        let log = StreamLog()
        let input = try #require(session.inputStream)
        let output = try #require(session.outputStream)
        for stream in [input, output] as [Stream] {
            stream.delegate = log
            stream.schedule(in: .main, forMode: .default)
            stream.open()
        }
        bench.accessories.peer(1)?.send("before ")
        bench.run()
        log.forget()
        bench.accessories.detach(1, unsentBytes: 3)
        bench.run()
        #expect(log.events.isEmpty, "the streams do not end")
        #expect(input.streamStatus == .open)
        #expect(!output.hasSpaceAvailable)
        #expect(output.send("lost") == 0)
        bench.accessories.attach("Another", serial: "S9")
        bench.run()
        #expect(!output.hasSpaceAvailable, "another accessory is not it")
        let id = bench.accessories.attach()
        bench.accessories.peer(id)?.send("after")
        bench.run()
        #expect(session.accessory?.connectionID == id)
        #expect(output.hasSpaceAvailable)
        #expect(log.events.contains(.hasSpaceAvailable))
        log.read(input)
        log.read(input)
        #expect(log.text == "before after")
        #expect(output.send("hello") == 5)
        #expect(bench.accessories.peer(id)?.receiveText() == "hello")
        #expect(connectionLog.lines.withLock { $0 } == ["paused 3", "resumed \(id)"])
    }

    @Test("A failure to reopen is reported, and the session tries again at the next connection")
    func failsToReopen() throws {
        let connectionLog = ConnectionLog()
        let session = try follow(connectionLog)
        session.outputStream?.open()
        bench.accessories.detach(1)
        bench.accessories.fail(DeviceError(.permissionDenied, "No."))
        bench.accessories.detach(bench.accessories.attach())
        bench.accessories.fail(nil)
        let id = bench.accessories.attach()
        bench.run()
        #expect(connectionLog.lines.withLock { $0 } == ["paused 0", "failed permissionDenied", "resumed \(id)"])
        #expect(session.outputStream?.hasSpaceAvailable == true)
    }

    @Test("A session opened by the app replaces a session that follows the accessory")
    func takenOver() throws {
        let connectionLog = ConnectionLog()
        let session = try follow(connectionLog)
        session.outputStream?.open()
        let accessory = try #require(bench.manager.connectedAccessories.first)
        let other = try #require(EASession(accessory: accessory, forProtocol: name))
        #expect(session.outputStream?.streamStatus == .closed)
        bench.accessories.detach(1)
        bench.accessories.attach()
        bench.run()
        #expect(connectionLog.lines.withLock { $0 }.isEmpty)
        withExtendedLifetime(other) {}
    }

    @Test("A session released while its accessory is detached no longer follows it")
    func released() throws {
        let connectionLog = ConnectionLog()
        var session: EASession? = try follow(connectionLog)
        session?.outputStream?.open()
        bench.accessories.detach(1)
        session = nil
        bench.accessories.attach()
        bench.run()
        #expect(connectionLog.lines.withLock { $0 } == ["paused 0"])
        #expect(bench.accessories.openCount == 0)
    }
}
