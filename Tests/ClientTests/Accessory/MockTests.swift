// SPDX-License-Identifier: Apache-2.0

import ExternalAccessory
import Testing

/// A mock accessory, as in the tests of apps.
private class MockAccessory: EAAccessory, @unchecked Sendable {
    override var name: String { "Mock" }
    override var isConnected: Bool { true }
    override var connectionID: Int { 7 }
    override var protocolStrings: [String] { ["com.example.mock"] }
    override var serialNumber: String { "M-1" }
}

/// A mock manager, as in the tests of apps.
private class MockManager: EAAccessoryManager, @unchecked Sendable {
    var registrations = 0
    override var connectedAccessories: [EAAccessory] { [MockAccessory()] }
    override func registerForLocalNotifications() { registrations += 1 }
    override func unregisterForLocalNotifications() { registrations -= 1 }
    override class func shared() -> EAAccessoryManager { MockManager() }
}

/// A session with the test's own streams.
private class MockSession: EASession {
    let input = InputStream(data: Data("hello".utf8))
    let output = OutputStream(toMemory: ())
    override var accessory: EAAccessory? { MockAccessory() }
    override var protocolString: String? { "com.example.mock" }
    override var inputStream: InputStream? { input }
    override var outputStream: OutputStream? { output }
}

/// A delegate without any of the methods.
private class SilentDelegate: NSObject, EAAccessoryDelegate {}

private class Delegate: NSObject, EAAccessoryDelegate {
    var gone: [EAAccessory] = []
    func accessoryDidDisconnect(_ accessory: EAAccessory) { gone.append(accessory) }
}

@Suite("Mocks in iOS programs")
struct MockTests {
    @Test("Managers, accessories and sessions can be mocked")
    func mocks() throws {
        let bench = ClientBench()
        try bench.use {
            let manager: EAAccessoryManager = MockManager()
            manager.registerForLocalNotifications()
            #expect((manager as? MockManager)?.registrations == 1)
            #expect(MockManager.shared().connectedAccessories.first?.name == "Mock")
            let accessory = try #require(
                manager.connectedAccessories.first { $0.protocolStrings.contains("com.example.mock") })
            #expect(accessory.isConnected)
            #expect(EASession(accessory: accessory, forProtocol: "com.example.mock") == nil, "it is not there")
            let session: EASession = MockSession()
            let input = try #require(session.inputStream)
            input.open()
            var buffer = [UInt8](repeating: 0, count: 8)
            #expect(input.read(&buffer, maxLength: 8) == 5)
        }
    }

    @Test("A call with optional chaining reaches implemented delegate methods only")
    func optionalCall() {
        let accessory = MockAccessory()
        let delegate = Delegate()
        accessory.delegate = delegate
        accessory.delegate?.accessoryDidDisconnect?(accessory)
        #expect(delegate.gone.count == 1)
        let silent = SilentDelegate()
        accessory.delegate = silent
        accessory.delegate?.accessoryDidDisconnect?(accessory)
        accessory.delegate = nil
        accessory.delegate?.accessoryDidDisconnect?(accessory)
        #expect(delegate.gone.count == 1)
    }
}
