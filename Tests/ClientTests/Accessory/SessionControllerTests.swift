// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import ExternalAccessory
import TestSupport
import Testing

/// Records the events of a program.
private class SessionRecord {
    var connected: [Int] = []
    var disconnected: [Int] = []
    var received = Data()
}

/// Uses the controller as a program does, on a thread with a run loop or during playback.
@Suite("The session controller of iOS programs")
struct SessionControllerTests {
    @Test("1,000 sessions open, exchange data and close on disconnection without losing or leaking data")
    func rounds() throws {
        let bench = ClientBench()
        let manager = bench.manager
        manager.registerForLocalNotifications()
        let controller = SessionController()
        let record = SessionRecord()
        let tokens = [
            NotificationCenter.default.addObserver(forName: .EAAccessoryDidConnect, object: manager, queue: nil) {
                note in
                let accessory = note.userInfo?[EAAccessoryKey] as? EAAccessory
                record.connected.append(accessory?.connectionID ?? 0)
                controller.setUp(for: accessory, protocolString: accessory?.protocolStrings.first)
                _ = controller.openSession()
            },
            NotificationCenter.default.addObserver(forName: .EAAccessoryDidDisconnect, object: manager, queue: nil) {
                note in
                record.disconnected.append((note.userInfo?[EAAccessoryKey] as? EAAccessory)?.connectionID ?? 0)
            },
            NotificationCenter.default.addObserver(
                forName: .sessionControllerReceivedData, object: controller, queue: nil
            ) { _ in
                if let data = controller.readData(controller.readBytesAvailable) { record.received.append(data) }
            },
        ]
        let rounds = Thoroughness.rounds(1000, quick: 100)
        for round in 1...rounds {
            weak var accessory: EAAccessory?
            weak var delegate: AnyObject?
            record.received = Data()
            let id = bench.accessories.attach()
            bench.run()
            accessory = manager.connectedAccessories.first
            #expect(controller.accessory === accessory)
            delegate = accessory?.delegate
            #expect(delegate === controller)
            let peer = try #require(bench.accessories.peer(id))
            // Round trips with more data than the controller's buffer accepts at once.
            let question = String(repeating: "question \(round) ", count: 20)
            controller.writeData(Data(question.utf8))
            bench.run()
            #expect(peer.receiveText() == question)
            peer.send(question)
            bench.run()
            // Bytes that arrive just before the accessory is unplugged.
            peer.send("farewell \(round)")
            bench.accessories.detach(id)
            bench.run()
            #expect(String(decoding: record.received, as: UTF8.self) == question + "farewell \(round)")
            #expect(controller.accessory == nil)
            #expect(accessory == nil, "nothing keeps an accessory that is gone")
            #expect(bench.callbacks.count == 0)
            #expect(bench.accessories.openCount == 0)
        }
        for token in tokens { NotificationCenter.default.removeObserver(token) }
        #expect(record.connected == Array(1...rounds))
        #expect(record.disconnected == record.connected)
        // Each round takes a few callbacks: the notification, the streams' events and the disconnection. Nothing spins.
        #expect(bench.callbacks.total < rounds * 20)
    }

    @Test("Data that does not fit is written when space is available again")
    func slowPeer() throws {
        let bench = ClientBench()
        bench.accessories.setCapacity(64)
        let id = bench.accessories.attach()
        let controller = SessionController()
        controller.setUp(for: bench.manager.connectedAccessories.first, protocolString: "com.example.scale")
        #expect(controller.openSession())
        let text = (0..<500).map { "\($0) " }.joined()
        controller.writeData(Data(text.utf8))
        let peer = try #require(bench.accessories.peer(id))
        var received = ""
        while received.utf8.count < text.utf8.count {
            bench.run()
            let piece = peer.receiveText()
            guard !piece.isEmpty else { break }
            received += piece
        }
        #expect(received == text)
        controller.closeSession()
        bench.run()
        #expect(bench.accessories.openCount == 0)
    }

    @Test("A missing protocol yields no session")
    func noSession() {
        let bench = ClientBench()
        bench.accessories.attach()
        let controller = SessionController()
        controller.setUp(for: bench.manager.connectedAccessories.first, protocolString: "com.example.none")
        #expect(!controller.openSession())
        controller.closeSession()
    }
}
