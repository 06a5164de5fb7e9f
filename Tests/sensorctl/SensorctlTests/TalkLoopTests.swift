// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization
import SystemCalls
import Testing

@testable import sensorctl

/// Stores the events of a conversation.
private final class Transcript: Sendable {
    struct Content {
        var received: [UInt8] = []
        var sent: [UInt8] = []
        var events: [String] = []
    }

    private let content = Mutex(Content())
    var now: Content { content.withLock { $0 } }

    func show(_ event: TalkEvent) {
        content.withLock { content in
            switch event {
            case .opened(let accessory, let name): content.events.append("opened \(accessory.id) \(name)")
            case .received(let bytes): content.received += bytes
            case .sent(let bytes): content.sent += bytes
            case .ended(let end): content.events.append("ended \(end.reason)")
            }
        }
    }
}

/// A conversation on its own thread. The test acts as the user.
private final class Conversation: @unchecked Sendable {
    let accessories: ScriptedAccessories
    let transcript = Transcript()
    let stop = StopRequest()
    /// The pipe that the user writes to.
    let input = Pipe()
    private let result = Mutex<TalkEnd?>(nil)
    private let hasEnded = DispatchSemaphore(value: 0)

    init(_ accessories: ScriptedAccessories, plan: TalkOptions = TalkOptions(accessory: "Weigh Scale")) throws {
        self.accessories = accessories
        let loop = try TalkLoop(accessories, plan: plan, clock: LiveClock(), stop: stop)
        let descriptor = Descriptor(number: input.fileHandleForReading.fileDescriptor)
        Thread.detachNewThread { [transcript, self] in
            let end = loop.run(input: descriptor, show: transcript.show)
            result.withLock { $0 = end }
            hasEnded.signal()
        }
    }

    func type(_ bytes: some Sequence<UInt8>) { input.fileHandleForWriting.write(Data(bytes)) }

    /// Closes the input and waits until the loop can read its end. A child process that another test is starting holds
    /// a copy of the pipe until exec(2).
    func endInput() {
        try? input.fileHandleForWriting.close()
        var state = pollfd(fd: input.fileHandleForReading.fileDescriptor, events: 0, revents: 0)
        poll(&state, 1, 60_000)
    }

    /// Waits for the end of the conversation. Returns nil after 60 s.
    func end() -> TalkEnd? {
        guard hasEnded.wait(timeout: .now() + 60) == .success else { return nil }
        return result.withLock { $0 }
    }
}

extension TalkEnd { fileprivate var isFinished: Bool { if case .finished = self { true } else { false } } }

@Suite("Conversations with an accessory")
struct TalkLoopTests {
    /// A repeating pattern of all byte values.
    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }

    @Test("Bytes of every value pass both ways unchanged, in more data than any buffer holds")
    func bothWays() throws {
        let accessories = ScriptedAccessories(capacity: 1000)
        accessories.attach(.scale())
        let conversation = try Conversation(accessories)
        let accessoryEnd = try #require(accessories.nextSession()).1
        let (request, response) = (Self.bytes(300_000), Self.bytes(200_000))
        Thread.detachNewThread {
            conversation.type(request)
            conversation.endInput()
        }
        #expect(accessoryEnd.readBytes(request.count) == request)
        #expect(accessoryEnd.writeAll(response))
        #expect(conversation.end()?.isFinished == true)
        #expect(conversation.transcript.now.received == response)
        #expect(conversation.transcript.now.sent == request)
        #expect(conversation.transcript.now.events == ["opened 1 com.example.scale"])
    }

    @Test("Data received before an accessory is unplugged is shown, followed by the end")
    func unplugged() throws {
        let accessories = ScriptedAccessories()
        let id = accessories.attach(.scale())
        let conversation = try Conversation(accessories)
        let accessoryEnd = try #require(accessories.nextSession()).1
        accessoryEnd.writeAll(Array("12.5 kg\n".utf8))
        accessoryEnd.end(ByteChannelEnd(.detached))
        accessories.detach(id)
        guard case .disconnected("Weigh Scale", let end) = conversation.end() else {
            Issue.record("It did not end as gone.")
            return
        }
        #expect(end.reason == .detached)
        #expect(conversation.transcript.now.received == Array("12.5 kg\n".utf8))
        #expect(conversation.transcript.now.events.last == "ended detached")
    }

    @Test("An accessory that is unplugged after all data has been sent is not an error")
    func goesAtTheEnd() throws {
        let accessories = ScriptedAccessories()
        accessories.attach(.scale())
        let conversation = try Conversation(accessories)
        let accessoryEnd = try #require(accessories.nextSession()).1
        conversation.type(Array("bye".utf8))
        conversation.endInput()
        #expect(accessoryEnd.readBytes(3) == Array("bye".utf8))
        accessoryEnd.end(ByteChannelEnd(.detached))
        #expect(conversation.end()?.isFinished == true)
    }

    @Test("With `--follow`, a conversation resumes with the same accessory only, even if it is busy at first")
    func follow() throws {
        let accessories = ScriptedAccessories()
        let first = accessories.attach(.scale())
        var plan = TalkOptions(accessory: "WS-7731")
        plan.follows = true
        let conversation = try Conversation(accessories, plan: plan)
        let accessoryEnd = try #require(accessories.nextSession()).1
        conversation.type(Array("one".utf8))
        #expect(accessoryEnd.readBytes(3) == Array("one".utf8))
        accessoryEnd.end(ByteChannelEnd(.detached))
        accessories.detach(first)
        accessories.attach(.scale(serial: "WS-8000", port: "1-2"))
        conversation.type(Array("two".utf8))
        accessories.refuse(DeviceError(.busy, "It is in use."))
        // At another port, and therefore at another node.
        let second = accessories.attach(.scale(port: "1-9", node: "/dev/ttyACM3"))
        let again = try #require(accessories.nextSession()).1
        #expect(again.readBytes(3) == Array("two".utf8))
        again.writeAll(Array("ok".utf8))
        conversation.endInput()
        #expect(conversation.end()?.isFinished == true)
        let content = conversation.transcript.now
        #expect(content.received == Array("ok".utf8))
        #expect(
            content.events == [
                "opened \(first) com.example.scale", "ended detached", "opened \(second) com.example.scale",
            ])
    }

    @Test("With `--follow`, a conversation waits for an accessory that is not attached yet")
    func late() throws {
        let accessories = ScriptedAccessories()
        var plan = TalkOptions(accessory: "Weigh Scale", protocolName: "log")
        plan.follows = true
        let conversation = try Conversation(accessories, plan: plan)
        accessories.attach(.scale(protocols: ["com.example.scale", "com.example.log"]))
        #expect(try #require(accessories.nextSession()).protocolName == "com.example.log")
        conversation.stop.request(.signal)
        guard case .stopped = conversation.end() else {
            Issue.record("It did not end as stopped.")
            return
        }
    }

    @Test("A signal ends a conversation at once, even if it is idle or the accessory reads nothing")
    func signal() throws {
        let accessories = ScriptedAccessories(capacity: 10)
        accessories.attach(.scale())
        for text in ["", "more than it takes"] {
            let conversation = try Conversation(accessories)
            _ = try #require(accessories.nextSession())
            conversation.type(Array(text.utf8))
            conversation.stop.request(.signal)
            guard case .stopped = conversation.end() else {
                Issue.record("It did not end as stopped.")
                return
            }
        }
    }

    @Test("An accessory that cannot be opened gives the matching exit code")
    func refusals() throws {
        for (code, status) in [
            (DeviceError.Code.permissionDenied, ExitStatus.noPermission), (.busy, .unavailable),
            (.notFound, .unavailable),
        ] {
            let accessories = ScriptedAccessories()
            accessories.attach(.scale())
            accessories.refuse(DeviceError(code, "It cannot be opened."))
            #expect(try Conversation(accessories).end()?.status() == status)
        }
        let accessories = ScriptedAccessories()
        #expect(try Conversation(accessories).end()?.status() == .unavailable)
        accessories.attach(.scale(protocols: ["com.example.a", "com.example.b"]))
        #expect(try Conversation(accessories).end()?.status() == .usage)
        #expect(
            try Conversation(accessories, plan: TalkOptions(accessory: "Weigh Scale", protocolName: "c")).end()?
                .status() == .unavailable)
    }

    @Test("In raw mode, Ctrl-] ends the conversation, and the keys before it are sent")
    func escape() throws {
        let accessories = ScriptedAccessories()
        accessories.attach(.scale())
        var plan = TalkOptions(accessory: "Weigh Scale")
        plan.isRaw = true
        let conversation = try Conversation(accessories, plan: plan)
        let accessoryEnd = try #require(accessories.nextSession()).1
        conversation.type([0x03, 0x41, 0x1D, 0x42])
        #expect(accessoryEnd.readBytes(10) == [0x03, 0x41])
        #expect(conversation.end()?.isFinished == true)
    }

    @Test("A typed line is sent with the selected line ending", arguments: TalkOptions.LineEnd.allCases)
    func lineEnds(end: TalkOptions.LineEnd) throws {
        let accessories = ScriptedAccessories()
        accessories.attach(.scale())
        var plan = TalkOptions(accessory: "Weigh Scale")
        plan.lineEnd = end
        let conversation = try Conversation(accessories, plan: plan)
        let accessoryEnd = try #require(accessories.nextSession()).1
        conversation.type(Array("AT\n".utf8))
        let expected = ["lf": "AT\n", "cr": "AT\r", "crlf": "AT\r\n"][end.rawValue] ?? ""
        #expect(accessoryEnd.readBytes(expected.utf8.count) == Array(expected.utf8))
        conversation.stop.request(.signal)
        #expect(conversation.end() != nil)
    }
}
