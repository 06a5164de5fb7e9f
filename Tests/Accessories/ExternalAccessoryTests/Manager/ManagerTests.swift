// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import ExternalAccessory
import Testing

@Suite("Accessories and notifications")
struct ManagerTests {
    private let bench = Bench()

    @Test("Each device has exactly one manager")
    func shared() {
        #expect(bench.manager === bench.manager)
        #expect(Bench().manager !== bench.manager)
    }

    @Test("Accessories are listed with all their properties, without any registration")
    func listed() throws {
        bench.accessories.attach(serial: "WS-7731", protocols: ["com.example.scale", "com.example.log"])
        let accessory = try #require(bench.manager.connectedAccessories.first)
        #expect(accessory.isConnected)
        #expect(accessory.connectionID == 1)
        #expect(accessory.name == "Scale")
        #expect(accessory.manufacturer == "Example Corp")
        #expect(accessory.modelNumber == "WS-7")
        #expect(accessory.serialNumber == "WS-7731")
        #expect(accessory.firmwareRevision == "2.10")
        #expect(accessory.hardwareRevision == "1")
        #expect(accessory.protocolStrings == ["com.example.scale", "com.example.log"])
        #expect(accessory.identity == "1209:0001:WS-7731")
        #expect(accessory.portPath == "1-2")
        #expect(accessory.vendorID == 0x1209)
        #expect(accessory.productID == 1)
        #expect(accessory.protocols.map(\.origin) == [.configuration, .configuration])
        #expect(accessory.description.contains("com.example.log"))
    }

    @Test("An accessory is the same object while it is connected, and a new object when it reconnects")
    func identity() throws {
        let id = bench.accessories.attach()
        let manager = bench.manager
        let first = try #require(manager.connectedAccessories.first)
        #expect(manager.connectedAccessories.first === first)
        bench.accessories.detach(id)
        #expect(!first.isConnected)
        #expect(manager.connectedAccessories.isEmpty)
        bench.accessories.attach()
        let second = try #require(manager.connectedAccessories.first)
        #expect(second !== first)
        #expect(second.connectionID != first.connectionID)
        #expect(second.identity == first.identity)
        #expect(first.serialNumber == "S1", "what was known stays")
    }

    @Test("A protocol added later appears in the same object, and no notification is posted")
    func changed() throws {
        let id = bench.accessories.attach()
        let manager = bench.manager
        manager.registerForLocalNotifications()
        let log = NotificationLog(manager)
        let accessory = try #require(manager.connectedAccessories.first)
        bench.accessories.change(id, protocols: ["com.example.scale", "com.example.more"])
        bench.run()
        #expect(manager.connectedAccessories.first === accessory)
        #expect(accessory.protocolStrings == ["com.example.scale", "com.example.more"])
        #expect(log.lines.isEmpty)
    }

    @Test("Only events after the registration are posted")
    func registration() {
        let manager = bench.manager
        let log = NotificationLog(manager)
        let first = bench.accessories.attach()
        bench.run()
        #expect(log.lines.isEmpty)
        manager.registerForLocalNotifications()
        bench.run()
        #expect(log.lines.isEmpty, "what is there already is not announced")
        bench.accessories.attach(serial: "S2")
        #expect(log.lines.isEmpty, "never on the source's thread")
        bench.run()
        bench.accessories.detach(first)
        bench.run()
        #expect(log.lines == ["came 2", "went 1"])
    }

    @Test("Registrations are counted")
    func counted() {
        let manager = bench.manager
        let log = NotificationLog(manager)
        manager.unregisterForLocalNotifications()
        manager.registerForLocalNotifications()
        manager.registerForLocalNotifications()
        manager.unregisterForLocalNotifications()
        bench.accessories.attach()
        bench.run()
        #expect(log.lines == ["came 1"])
        bench.accessories.attach(serial: "S2")
        manager.unregisterForLocalNotifications()
        bench.run()
        #expect(log.lines == ["came 1"], "what waited is not posted any more")
        manager.registerForLocalNotifications()
        bench.run()
        #expect(log.lines == ["came 1"])
    }

    @Test("While the main thread is busy, an attach and a detach cancel out, but a detach and an attach do not")
    func coalesced() {
        let manager = bench.manager
        let log = NotificationLog(manager)
        let first = bench.accessories.attach()
        manager.registerForLocalNotifications()
        let second = bench.accessories.attach(serial: "S2")
        bench.accessories.detach(second)
        bench.run()
        #expect(log.lines.isEmpty)
        bench.accessories.detach(first)
        bench.accessories.attach()
        bench.run()
        #expect(log.lines == ["went 1", "came 3"])
    }

    @Test("A flood of events while the main thread is busy is reduced to the net changes")
    func storm() {
        let manager = bench.manager
        let log = NotificationLog(manager)
        let first = bench.accessories.attach()
        manager.registerForLocalNotifications()
        bench.accessories.detach(first)
        for _ in 0..<10_000 {
            bench.accessories.detach(bench.accessories.attach(serial: "S2"))
        }
        let last = bench.accessories.attach()
        #expect(bench.callbacks.count == 1)
        bench.run()
        #expect(log.lines == ["went 1", "came \(last)"])
    }

    @Test("The delegate is called without any registration, and before the notification")
    func delegate() throws {
        let id = bench.accessories.attach()
        let manager = bench.manager
        let log = NotificationLog(manager)
        let accessory = try #require(manager.connectedAccessories.first)
        accessory.delegate = log
        bench.accessories.detach(id)
        bench.run()
        #expect(log.lines == ["delegate 1 false"])
        manager.registerForLocalNotifications()
        let second = bench.accessories.attach()
        bench.run()
        manager.connectedAccessories.first?.delegate = log
        bench.accessories.detach(second)
        bench.run()
        #expect(log.lines == ["delegate 1 false", "came 2", "delegate 2 false", "went 2"])
    }

    @Test("A delegate set before the connection was posted is notified of the disconnection, and nothing is posted")
    func delegateOfUnreported() throws {
        let manager = bench.manager
        let log = NotificationLog(manager)
        manager.registerForLocalNotifications()
        let id = bench.accessories.attach()
        manager.connectedAccessories.first?.delegate = log
        bench.accessories.detach(id)
        bench.run()
        #expect(log.lines == ["delegate 1 false"])
    }

    @Test("A delegate is not retained")
    func weakDelegate() throws {
        bench.accessories.attach()
        let accessory = try #require(bench.manager.connectedAccessories.first)
        var log: NotificationLog? = NotificationLog(bench.manager)
        accessory.delegate = log
        #expect(accessory.delegate === log)
        log = nil
        #expect(accessory.delegate == nil)
    }

    @Test(
        "On an unplug the streams are notified first, then the delegate, and then the notification is posted",
        arguments: [false, true])
    func order(hangsUp: Bool) throws {
        let manager = bench.manager
        let log = NotificationLog(manager)
        manager.registerForLocalNotifications()
        let (session, _) = try bench.session()
        let accessory = try #require(session.accessory)
        accessory.delegate = log
        let streamLog = StreamLog()
        streamLog.action = { stream, event in
            guard event == .endEncountered else { return }
            log.add("\(stream is InputStream ? "input" : "output") \(accessory.isConnected)")
        }
        for stream in [session.inputStream, session.outputStream] as [Stream?] {
            stream?.delegate = streamLog
            stream?.schedule(in: .main, forMode: .default)
            stream?.open()
        }
        bench.run()
        if hangsUp {
            bench.accessories.hangUp(accessory.connectionID)
            bench.run()
            #expect(log.lines == ["came 1", "input true", "output true"])
            #expect(manager.connectedAccessories == [accessory])
        }
        bench.accessories.detach(accessory.connectionID)
        bench.run()
        #expect(log.lines == ["came 1", "input \(hangsUp)", "output \(hangsUp)", "delegate 1 false", "went 1"])
        #expect(manager.connectedAccessories.isEmpty)
    }

    @Test(
        "The streams of a session opened before the connection was posted end before the disconnection is posted")
    func sessionOfUnreported() throws {
        let manager = bench.manager
        let log = NotificationLog(manager)
        manager.registerForLocalNotifications()
        let (session, _) = try bench.session()
        let streamLog = StreamLog()
        streamLog.action = { _, event in if event == .endEncountered { log.add("end") } }
        session.inputStream?.delegate = streamLog
        session.inputStream?.schedule(in: .main, forMode: .default)
        session.inputStream?.open()
        // The main thread is busy until `run()`.
        bench.accessories.detach(1)
        bench.run()
        #expect(log.lines.filter { $0 != "came 1" } == ["end", "went 1"])
        #expect(log.lines.count == 3)
        withExtendedLifetime(session) {}
    }

    @Test("On an unplug, an app has read all received bytes before its delegate is called")
    func muchUnread() throws {
        let manager = bench.manager
        let log = NotificationLog(manager)
        let (session, peer) = try bench.session()
        let accessory = try #require(session.accessory)
        accessory.delegate = log
        let streamLog = StreamLog()
        streamLog.action = { stream, event in
            if event == .hasBytesAvailable { streamLog.read(stream, atMost: 1024) }
            if event == .endEncountered { log.add("end after \(streamLog.bytes.count)") }
        }
        session.inputStream?.delegate = streamLog
        session.inputStream?.schedule(in: .main, forMode: .default)
        session.inputStream?.open()
        peer.send(String(repeating: "x", count: 40_000))
        bench.accessories.detach(accessory.connectionID)
        bench.run()
        #expect(log.lines == ["end after 40000", "delegate 1 false"])
        withExtendedLifetime(session) {}
    }

    @Test("A callback can unregister from notifications and query the connected accessories")
    func insideCallback() {
        let manager = bench.manager
        manager.registerForLocalNotifications()
        bench.accessories.attach()
        bench.accessories.attach(serial: "S2")
        let log = NotificationLog(manager)
        let token = NotificationCenter.default.addObserver(
            forName: .EAAccessoryDidConnect, object: manager, queue: nil
        ) { _ in
            #expect(EAAccessoryManager.shared().connectedAccessories.count == 2, "the same device")
            EAAccessoryManager.shared().unregisterForLocalNotifications()
        }
        bench.run()
        NotificationCenter.default.removeObserver(token)
        #expect(log.lines == ["came 1"])
    }

    @Test("Releasing a device releases its manager and accessories")
    func released() {
        weak var manager: EAAccessoryManager?
        weak var accessory: EAAccessory?
        do {
            let bench = Bench()
            bench.accessories.attach()
            manager = bench.manager
            accessory = bench.manager.connectedAccessories.first
            #expect(accessory != nil)
        }
        #expect(manager == nil)
        #expect(accessory == nil)
    }

    @Test("An accessory created by the app is not connected")
    func initialized() {
        let accessory = EAAccessory()
        #expect(!accessory.isConnected)
        #expect(accessory.connectionID == EAConnectionIDNone)
        #expect(accessory.protocolStrings.isEmpty)
        #expect(EASession(accessory: accessory, forProtocol: "com.example.scale") == nil)
    }
}
