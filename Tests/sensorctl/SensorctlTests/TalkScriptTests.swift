// SPDX-License-Identifier: Apache-2.0

import AccessorySimulator
import DeviceCore
import Foundation
import Testing
import UmockdevFormat

@testable import sensorctl

@Suite("Replay of a recorded dialogue")
struct TalkScriptTests {
    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static let script = UmockdevScript(steps: [
        .read(milliseconds: 0, bytes("READY\n")), .fuzz(percent: 50), .write(milliseconds: 2, bytes("ID?\n")),
        .read(milliseconds: 30, bytes("WS-")), .read(milliseconds: 10, bytes("7\n")),
        .write(milliseconds: 1, bytes("BYE\n")),
    ])

    @Test("A recorded request is sent after all earlier answers, in whatever chunks they arrive")
    func order() {
        var talk = DialoguePlayer(Self.script)
        #expect(talk.pending.isEmpty)
        #expect(talk.expectedAnswer?.milliseconds == 0)
        for byte in Self.bytes("READY\n") { #expect(talk.compare([byte]) == nil) }
        #expect(Array(talk.pending) == Self.bytes("ID?\n"))
        #expect(talk.step == 3)
        #expect(talk.recordSent(1) == nil)
        #expect(Array(talk.pending) == Self.bytes("D?\n"))
        #expect(talk.recordSent(3) == nil)
        #expect(talk.expectedAnswer?.milliseconds == 30)
        // One chunk for two steps.
        #expect(talk.compare(Self.bytes("WS-7\n")) == nil)
        #expect(Array(talk.pending) == Self.bytes("BYE\n"))
        #expect(talk.recordSent(4) == nil)
        #expect(talk.isFinished)
        #expect(talk.sentByteCount == 8)
        #expect(talk.receivedByteCount == 11)
        // Bytes after the end of the recording.
        #expect(talk.compare(Self.bytes("later")) == nil)
    }

    @Test("The first different byte is reported with its offset in the step and in all answers")
    func difference() {
        var talk = DialoguePlayer(Self.script)
        #expect(talk.compare(Self.bytes("READY\n")) == nil)
        #expect(talk.recordSent(4) == nil)
        #expect(talk.compare(Self.bytes("WS")) == nil)
        #expect(talk.compare(Self.bytes("-")) == nil)
        // "READY\n" and "WS-" are nine bytes.
        let difference = talk.compare(Self.bytes("8\n"))
        #expect(
            difference
                == DialoguePlayer.Difference(
                    step: 5, offset: 0, total: 9, expected: Self.bytes("7\n"), found: Self.bytes("8\n")))
        #expect(difference?.message == #"Step 5, byte 0 (byte 9 of all answers): received "8\n" instead of "7\n"."#)
        var other = DialoguePlayer(Self.script)
        #expect(
            other.compare(Self.bytes("REAdy\n"))?.message
                == #"Step 1, byte 3 (byte 3 of all answers): received "dy\n" instead of "DY\n"."#)
    }

    @Test("An answer that arrives early is compared when its step begins")
    func early() {
        var talk = DialoguePlayer(Self.script)
        #expect(talk.compare(Self.bytes("READY\nWS")) == nil)
        #expect(talk.wantsInput)
        #expect(talk.recordSent(2) == nil)
        #expect(talk.compare(Self.bytes("+")) == nil)
        #expect(talk.recordSent(2)?.offset == 2)
        var flooded = DialoguePlayer(Self.script)
        #expect(flooded.compare(Self.bytes("READY\n") + [UInt8](repeating: 0, count: 70_000)) == nil)
        #expect(!flooded.wantsInput)
    }

    @Test("An empty script is complete at once")
    func empty() {
        #expect(DialoguePlayer(UmockdevScript()).isFinished)
        #expect(DialoguePlayer(UmockdevScript(steps: [.fuzz(percent: 3)])).isFinished)
    }

    /// Plays the script against an accessory that the test implements, and returns the end of the conversation.
    private static func play(
        wait: Double? = nil, _ accessory: @escaping @Sendable (MemoryChannel) -> Void
    ) throws -> TalkEnd {
        let accessories = ScriptedAccessories(capacity: 2)
        accessories.attach(.scale())
        var plan = TalkOptions(accessory: "Weigh Scale")
        plan.wait = wait
        let loop = try TalkLoop(accessories, plan: plan, clock: LiveClock(), stop: StopRequest())
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            if let accessoryEnd = accessories.nextSession()?.1 { accessory(accessoryEnd) }
            isDone.signal()
        }
        let plain = RawTalkPrinter(output: StandardOutput(stop: StopRequest()), escapesControls: false, endingKey: nil)
        let end = loop.play(script, show: plain.show)
        #expect(isDone.wait(timeout: .now() + 60) == .success)
        return end
    }

    @Test("A device that answers as recorded completes the script and receives all requests")
    func asRecorded() throws {
        let end = try Self.play(wait: 60) { accessoryEnd in
            accessoryEnd.writeAll(Self.bytes("READY\n"))
            #expect(accessoryEnd.readBytes(4) == Self.bytes("ID?\n"))
            accessoryEnd.writeAll(Self.bytes("WS-7\n"))
            #expect(accessoryEnd.readBytes(4) == Self.bytes("BYE\n"))
        }
        #expect(end.status() == .success)
    }

    @Test("A different answer, a missing answer and an unplugged device end the script in different ways")
    func departures() throws {
        let other = try Self.play(wait: 60) { $0.writeAll(Self.bytes("REST")) }
        guard case .differs(let text) = other else {
            Issue.record("\(other)")
            return
        }
        #expect(text == #"Step 1, byte 2 (byte 2 of all answers): received "ST" instead of "ADY\n"."#)
        #expect(other.status() == .different)
        let silent = try Self.play(wait: 0.01) { _ in }
        guard case .differs(let missing) = silent else {
            Issue.record("\(silent)")
            return
        }
        #expect(missing == #"Step 1: "READY\n" did not arrive (byte 0 of all answers)."#)
        let gone = try Self.play(wait: 60) { accessoryEnd in
            accessoryEnd.writeAll(Self.bytes("READY\n"))
            accessoryEnd.end(ByteChannelEnd(.detached))
        }
        #expect(gone.status() == .unavailable)
    }
}
