// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import ExternalAccessory
import Foundation
import SimulatedDevice
import Testing
import Trace

/// A program that uses a manager, a session and streams with delegates.
private final class StreamProgram: NSObject, StreamDelegate, @unchecked Sendable {
    let device: Device
    private(set) var log: [String] = []
    private var session: EASession?
    private let answers: [String: String]

    init(_ device: Device, answers: [String: String]) {
        self.device = device
        self.answers = answers
    }

    func record(_ text: String) { log.append("\(device.clock.now.seconds) \(text)") }

    func open(_ accessory: EAAccessory, _ name: String) {
        session = EASession(accessory: accessory, forProtocol: name)
        record(session == nil ? "no session" : "session with \(accessory.name)")
        for stream in [session?.inputStream, session?.outputStream] as [Stream?] {
            stream?.delegate = self
            stream?.schedule(in: .current, forMode: .default)
            stream?.open()
        }
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        switch event {
        case .hasBytesAvailable:
            guard let input = stream as? InputStream else { return }
            var buffer = [UInt8](repeating: 0, count: 100)
            let count = input.read(&buffer, maxLength: buffer.count)
            let text = String(decoding: buffer[..<max(count, 0)], as: UTF8.self)
            record("< \(text)")
            if let answer = answers[text] {
                let bytes = [UInt8](answer.utf8)
                _ = session?.outputStream?.write(bytes, maxLength: bytes.count)
            }
        case .endEncountered where stream is InputStream: record("end")
        default: break
        }
    }
}

@Suite("Playback of accessories to streams", .timeLimit(.minutes(5)))
struct AccessoryStreamPlaybackTests {
    @Test("A program with streams receives recorded input on time, and its output is compared")
    func streams() throws {
        let trace = try accessoryTrace([
            opened(1), entry(2, "in", "READY"), entry(2, "out", "READ"), entry(3, "in", "12 kg"),
            entry(3.5, "out", "OFF"),
            #"{"t":4,"detach":"1"}"#,
        ])
        func play() throws -> ([String], [AccessoryDifference]) {
            let simulated = SimulatedDevice(trace)
            return try simulated.use {
                let manager = EAAccessoryManager.shared()
                let program = StreamProgram(simulated.device, answers: ["READY": "READ", "12 kg": "OFF!"])
                simulated.advance(by: 1.5)
                guard let accessory = manager.connectedAccessories.first else { return ([], []) }
                program.open(accessory, "com.a")
                try simulated.play()
                program.record("connected: \(accessory.isConnected)")
                return (program.log, simulated.accessoryDifferences)
            }
        }
        let first = try play()
        #expect(
            first.0 == [
                "1.5 session with Scale", "2.0 < READY", "3.0 < 12 kg", "4.0 end", "4.0 connected: false",
            ])
        #expect(first.1.map(\.kind) == [.bytes])
        #expect(first.1.first?.offset == 7)
        #expect(first.1.first?.found == [UInt8(ascii: "!")])
        let second = try play()
        #expect(first.0 == second.0)
        #expect(first.1 == second.1)
    }

    @Test("A task without a run loop exchanges bytes with a coded peer, and advance(by:) waits for it")
    func tasks() async throws {
        let simulated = SimulatedDevice()
        let peer = LinePeer(greeting: [.text("HELLO")]) { line in [.wait(.seconds(1)), .text("got \(line)")] }
        simulated.attach(SimulatedAccessory(name: "Scale", protocol: "com.a", peer: peer))
        let session = try simulated.use {
            let accessory = try #require(EAAccessoryManager.shared().connectedAccessories.first)
            return try EASession(opening: accessory, protocol: "com.a")
        }
        let task = Task {
            var received: [String] = []
            for try await chunk in session.bytes {
                received.append(String(decoding: chunk, as: UTF8.self))
                if received.count == 1 { try await session.write(Data("one\n".utf8)) }
            }
            return received
        }
        await simulated.waitForConsumers(1)
        await simulated.advance(by: 2)
        simulated.detach(1)
        await simulated.advance(by: 0)
        #expect(try await task.value == ["HELLO", "got one"])
    }
}
