// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization
import Testing
import Trace

@testable import BlackBox

@Suite("Black box")
struct BlackBoxTests {
    @Test("A trigger saves the events before and after it, and recording continues")
    func triggers() throws {
        let fixture = try BlackBoxFixture(duration: 60, after: 10)
        try fixture.record(100)
        fixture.box.trigger("impact>4g")
        try fixture.record(9)
        #expect(fixture.received.saved.isEmpty)
        try fixture.record(1)
        let first = try #require(fixture.received.saved.first)
        var saved = try Saved(first.path)
        #expect(saved.readings.first == 40)
        #expect(saved.readings.last == 109.9)
        #expect(saved.readings.count == 700)
        #expect(saved.events.first?.time == 0)
        #expect(first.count == 700)
        #expect(first.seconds == 69.9)
        #expect(saved.file.header?.recorder == "test")
        #expect(saved.file.header?.otherMembers.map(\.name) == ["triggers"])
        #expect(saved.triggers.map(\.time) == [60])
        try fixture.record(100)
        fixture.box.trigger("shake")
        try fixture.record(3)
        fixture.box.trigger("impact>4g")
        try fixture.record(8)
        #expect(fixture.received.saved.count == 2)
        saved = try Saved(fixture.received.saved[1].path)
        #expect(saved.readings.first == 150)
        // The second trigger does not extend the trace.
        #expect(saved.readings.last == 219.9)
        #expect(saved.triggers.map(\.event) == ["shake", "impact>4g"])
        #expect(saved.triggers.map(\.time) == [60, 63])
        #expect(fixture.received.failures.isEmpty)
    }

    @Test("A trigger in the first minute saves the events recorded so far")
    func early() throws {
        let fixture = try BlackBoxFixture()
        try fixture.record(5)
        fixture.box.trigger("shake")
        try fixture.record(11)
        let saved = try Saved(try #require(fixture.received.saved.first).path)
        #expect(saved.readings.first == 0)
        #expect(saved.readings.last == 14.9)
    }

    @Test("finish() saves a pending trace, and discarding the ring removes its directory")
    func finish() throws {
        let fixture = try BlackBoxFixture()
        try fixture.record(5)
        fixture.box.trigger("shake")
        try fixture.record(2)
        fixture.box.finish()
        #expect(try Saved(try #require(fixture.received.saved.first).path).readings.last == 6.9)
        fixture.box.trigger("shake")
        fixture.box.finish()
        #expect(fixture.received.saved.count == 1)
        try fixture.writer.close()
        try fixture.ring.discard()
        #expect(fixture.folder.names().count == 1)
    }

    @Test("A trigger during the flush that begins a save removes no events of the trace to save")
    func triggerDuringFlush() throws {
        let fixture = try BlackBoxFixture(duration: 60)
        let hook = WriteHook()
        let writer = TraceWriter(hook, clock: VirtualClock())
        try writer.write(TraceHeader())
        try writer.write(.regained, at: 0)
        var options = BlackBox.Options()
        (options.before, options.after) = (60, 10)
        let received = BlackBoxEventLog()
        let box = BlackBox(
            ring: fixture.ring, writer: writer, options: options, clock: fixture.clock, run: { $0() },
            onEvent: { received.add($0) })
        let recorder = fixture.writer
        hook.onNextWrite.withLock {
            $0 = {
                box.trigger("shake")
                try? recorder.write(sample: [110, 0, 9.8], kind: .accelerometer, at: 110_000_000_000)
                try? recorder.flush()
            }
        }
        try fixture.record(100)
        box.trigger("impact>4g")
        try fixture.record(10)
        let saved = try Saved(try #require(received.saved.first).path)
        #expect(saved.readings.first == 40)
        #expect(saved.readings.last == 110)
    }

    @Test("If a trace cannot be saved, its events stay in the ring")
    func unsaved() throws {
        let fixture = try BlackBoxFixture()
        try fixture.record(5)
        fixture.box.trigger("shake")
        try fixture.record(5)
        // Renames the directory while the ring has it open.
        let away = fixture.folder.path + "-away"
        #expect(rename(fixture.folder.path, away) == 0)
        try fixture.record(6)
        #expect(fixture.received.saved.isEmpty)
        #expect(fixture.received.failures.count == 1)
        try fixture.writer.close()
        #expect(rename(away, fixture.folder.path) == 0)
        #expect(!fixture.segments.isEmpty)
        let location = RingLocation(fixture.folder.path)
        let paths = fixture.segments.map { location.ringDirectory + "/" + $0 }
        #expect(try SavedTrace.write(paths, path: fixture.folder.path + "/x.trace")?.count == 160)
    }

    @Test("The ring stays within its size limit, also while a trace is pending")
    func size() throws {
        let fixture = try BlackBoxFixture(duration: 3600, size: 1 << 20)
        for _ in 0..<40 {
            try fixture.record(100)
            var total = 0
            for name in fixture.segments {
                let path = fixture.folder.path + "/.ring/" + name
                total += try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
            }
            #expect(total <= 1 << 20)
        }
        #expect(fixture.ring.size <= 1 << 20)
        fixture.box.trigger("shake")
        try fixture.record(11)
        // The saved trace spans as much time as fits into the size limit.
        let saved = try Saved(try #require(fixture.received.saved.first).path)
        #expect(saved.readings.last == 4009.9)
        #expect(saved.readings.count > 8000)
        let duration = 4009.9 - (saved.readings.first ?? 0)
        #expect(saved.readings.count == Int((duration * 10).rounded()) + 1)
    }
}

/// A destination that stores nothing, and calls a closure at the next write.
private final class WriteHook: TraceDestination {
    let name = "hook"
    let onNextWrite = Mutex<(@Sendable () -> Void)?>(nil)

    func write(_ bytes: UnsafeRawBufferPointer) {
        let action = onNextWrite.withLock { action -> (@Sendable () -> Void)? in
            defer { action = nil }
            return action
        }
        action?()
    }

    func close() {}
}
