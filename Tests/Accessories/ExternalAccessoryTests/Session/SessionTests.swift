// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import ExternalAccessory
import Testing

@Suite("Sessions")
struct SessionTests {
    private let name = "com.example.scale"

    @Test("A session provides its accessory, its protocol and both streams")
    func parts() throws {
        let bench = Bench()
        let (session, _) = try bench.session()
        #expect(session.accessory === bench.manager.connectedAccessories.first)
        #expect(session.protocolString == name)
        #expect(session.inputStream != nil)
        #expect(session.outputStream != nil)
    }

    @Test("Opening fails for a protocol that the accessory does not offer")
    func notOffered() throws {
        let bench = Bench()
        bench.accessories.attach()
        let accessory = try #require(bench.manager.connectedAccessories.first)
        #expect(EASession(accessory: accessory, forProtocol: "com.example.other") == nil)
        let error = #expect(throws: DeviceError.self) {
            try EASession(opening: accessory, protocol: "com.example.other")
        }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains(name) == true, "it names what is offered")
    }

    @Test("Opening fails for a protocol that the app does not declare")
    func notDeclared() throws {
        let bench = Bench(appProtocols: ["com.example.other"])
        bench.accessories.attach(protocols: [name, "com.example.other"])
        let accessory = try #require(bench.manager.connectedAccessories.first)
        #expect(accessory.protocolStrings == [name, "com.example.other"], "the list shows all")
        #expect(EASession(accessory: accessory, forProtocol: name) == nil)
        #expect(EASession(accessory: accessory, forProtocol: "com.example.other") != nil)
        let error = #expect(throws: DeviceError.self) { try EASession(opening: accessory, protocol: name) }
        #expect(error?.code == .permissionDenied)
        #expect(error?.message.contains("DEVICE_SERVICES_PROTOCOLS") == true)
    }

    @Test("Opening fails for a detached accessory")
    func gone() throws {
        let bench = Bench()
        let id = bench.accessories.attach()
        let accessory = try #require(bench.manager.connectedAccessories.first)
        bench.accessories.detach(id)
        #expect(EASession(accessory: accessory, forProtocol: name) == nil)
        bench.accessories.attach()
        #expect(EASession(accessory: accessory, forProtocol: name) == nil, "its successor is another object")
    }

    @Test("Opening fails if the port cannot be opened, and the throwing initializer reports the reason")
    func notOpened() throws {
        let bench = Bench()
        bench.accessories.attach()
        bench.accessories.fail(DeviceError(.busy, "/dev/ttyACM0 is held by minicom, 4711."))
        let accessory = try #require(bench.manager.connectedAccessories.first)
        #expect(EASession(accessory: accessory, forProtocol: name) == nil)
        let error = #expect(throws: DeviceError.self) { try EASession(opening: accessory, protocol: name) }
        #expect(error?.message == "/dev/ttyACM0 is held by minicom, 4711.")
        bench.accessories.fail(nil)
        #expect(EASession(accessory: accessory, forProtocol: name) != nil)
    }

    @Test("A second session for the same protocol closes the first")
    func second() throws {
        let bench = Bench()
        let (first, peer) = try bench.session()
        let log = StreamLog()
        first.outputStream?.delegate = log
        first.outputStream?.schedule(in: .main, forMode: .default)
        first.outputStream?.open()
        first.inputStream?.open()
        bench.run()
        log.forget()
        let accessory = try #require(first.accessory)
        let second = try #require(EASession(accessory: accessory, forProtocol: name))
        #expect(first.inputStream?.streamStatus == .closed)
        #expect(first.outputStream?.streamStatus == .closed)
        #expect(peer.end?.reason == .hungUp)
        bench.run()
        #expect(log.events.isEmpty, "a closed stream delivers no events")
        let output = try #require(second.outputStream)
        output.open()
        #expect(output.send("mine") == 4)
        #expect(bench.accessories.peer(accessory.connectionID)?.receiveText() == "mine")
        #expect(bench.accessories.openCount == 1)
    }

    @Test("Two protocols of an accessory can be open at the same time")
    func twoProtocols() throws {
        let bench = Bench()
        let id = bench.accessories.attach(protocols: [name, "com.example.log"])
        let accessory = try #require(bench.manager.connectedAccessories.first)
        let one = try #require(EASession(accessory: accessory, forProtocol: name))
        let other = try #require(EASession(accessory: accessory, forProtocol: "com.example.log"))
        one.outputStream?.open()
        other.outputStream?.open()
        one.outputStream?.send("one")
        other.outputStream?.send("other")
        #expect(bench.accessories.peer(id, name)?.receiveText() == "one")
        #expect(bench.accessories.peer(id, "com.example.log")?.receiveText() == "other")
    }

    @Test("Releasing the session closes its streams and frees the port")
    func released() throws {
        let bench = Bench()
        var (session, peer): (EASession?, MemoryChannel) = try bench.session()
        let input = try #require(session?.inputStream)
        let output = try #require(session?.outputStream)
        input.schedule(in: .main, forMode: .default)
        output.schedule(in: .main, forMode: .default)
        input.open()
        output.open()
        output.send("last")
        weak let former = session
        session = nil
        #expect(former == nil)
        #expect(input.streamStatus == .closed)
        #expect(output.streamStatus == .closed)
        #expect(peer.receiveText() == "last", "what was written is still sent")
        #expect(peer.end?.reason == .hungUp)
        #expect(bench.accessories.openCount == 0)
        bench.run()
    }

    @Test("Closing both streams frees the port, but closing one does not")
    func bothClosed() throws {
        let bench = Bench()
        let (session, peer) = try bench.session()
        session.inputStream?.close()
        #expect(peer.end == nil)
        session.outputStream?.open()
        #expect(session.outputStream?.send("on") == 2)
        session.outputStream?.close()
        #expect(peer.end?.reason == .hungUp)
        #expect(bench.accessories.openCount == 0)
    }

    @Test("The session of an unplugged accessory does not resume when the accessory is plugged in again")
    func staysClosed() throws {
        let bench = Bench()
        let (session, _) = try bench.session()
        session.inputStream?.open()
        bench.accessories.detach(1)
        let id = bench.accessories.attach()
        let accessory = try #require(bench.manager.connectedAccessories.first)
        let next = try #require(EASession(accessory: accessory, forProtocol: name))
        next.inputStream?.open()
        bench.accessories.peer(id)?.send("new")
        bench.run()
        #expect(next.inputStream?.hasBytesAvailable == true)
        #expect(session.inputStream?.hasBytesAvailable == false)
        #expect(session.inputStream?.streamStatus == .atEnd)
        #expect(session.accessory?.isConnected == false)
    }

    @Test("A session without an accessory has no protocol and no streams")
    func withoutAccessory() {
        let session = EASession()
        #expect(session.accessory == nil)
        #expect(session.protocolString == nil)
        #expect(session.inputStream == nil)
        #expect(session.outputStream == nil)
    }

    @Test("A failed connection is an error of both streams, also after they are closed")
    func failed() throws {
        let bench = Bench()
        let id = bench.accessories.attach()
        let accessory = try #require(bench.manager.connectedAccessories.first)
        let session = try #require(EASession(accessory: accessory, forProtocol: name))
        let input = try #require(session.inputStream)
        let output = try #require(session.outputStream)
        let log = StreamLog()
        for stream in [input, output] as [Stream] {
            stream.delegate = log
            stream.schedule(in: .main, forMode: .default)
            stream.open()
        }
        bench.run()
        log.forget()
        let peer = try #require(bench.accessories.peer(id))
        let cause = DeviceError(
            .inputOutput, "Reading /dev/ttyACM0 failed.", cause: .system(call: "read", errno: 71))
        peer.end(ByteChannelEnd(.failed, error: cause))
        bench.run()
        #expect(log.events == [.errorOccurred, .errorOccurred])
        for stream in [input, output] as [Stream] {
            #expect(stream.streamStatus == .error)
            stream.close()
            let error = try #require(stream.streamError as NSError?)
            #expect(error.domain == NSPOSIXErrorDomain)
            #expect(error.code == 71)
            #expect(error.localizedDescription.hasPrefix("Reading /dev/ttyACM0 failed. (read:"))
        }
    }
}
