// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import ExternalAccessory
import SimulatedDevice
import Testing
import Trace

/// The class in README.md. It stores the text that the original prints.
private final class Scale: NSObject, StreamDelegate {
    private var session: EASession?
    private var waiting = Data("SI\r\n".utf8)
    private(set) var received = ""
    private(set) var hasEnded = false

    func open(_ accessory: EAAccessory) {
        session = EASession(accessory: accessory, forProtocol: "com.example.scale")
        for stream in [session?.inputStream, session?.outputStream] as [Stream?] {
            stream?.delegate = self
            stream?.schedule(in: .current, forMode: .default)
            stream?.open()
        }
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        switch event {
        case .hasBytesAvailable:
            var buffer = [UInt8](repeating: 0, count: 1024)
            let count = session?.inputStream?.read(&buffer, maxLength: buffer.count) ?? 0
            if count > 0 { received += String(decoding: buffer[..<count], as: UTF8.self) }
        case .hasSpaceAvailable where !waiting.isEmpty:
            let count = session?.outputStream?.write([UInt8](waiting), maxLength: waiting.count) ?? 0
            if count > 0 { waiting.removeFirst(count) }
        case .endEncountered, .errorOccurred:
            session = nil
            hasEnded = true
        default: break
        }
    }
}

@Suite("Accessory examples in README.md")
struct ReadmeAccessoryTests {
    @Test("The example scale answers the example program and is then unplugged")
    func example() {
        let device = SimulatedDevice()
        let id = device.attach(
            SimulatedAccessory(
                name: "Weigh Scale", protocol: "com.example.scale",
                peer: LinePeer { line in line == "SI" ? [.send(Array("S S 12.5 g\r\n".utf8))] : [] }))
        let scale = Scale()
        device.use {
            if let accessory = EAAccessoryManager.shared().connectedAccessories.first { scale.open(accessory) }
            device.advance(by: 1)
        }
        #expect(scale.received == "S S 12.5 g\r\n")
        #expect(!scale.hasEnded)
        device.detach(id)
        device.use { device.advance(by: 1) }
        #expect(scale.hasEnded)
    }
}
