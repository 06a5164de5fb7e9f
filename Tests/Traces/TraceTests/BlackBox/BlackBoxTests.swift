// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing
import Trace

@testable import BlackBox

@Suite("Black box")
struct BlackBoxTests {
    @Test("A trigger saves the events before and after it, and recording continues")
    func triggers() throws {
        let stage = try Stage(duration: 60, after: 10)
        try stage.record(100)
        stage.box.trigger("impact>4g")
        try stage.record(9)
        #expect(stage.received.saved.isEmpty)
        try stage.record(1)
        let first = try #require(stage.received.saved.first)
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
        try stage.record(100)
        stage.box.trigger("shake")
        try stage.record(3)
        stage.box.trigger("impact>4g")
        try stage.record(8)
        #expect(stage.received.saved.count == 2)
        saved = try Saved(stage.received.saved[1].path)
        #expect(saved.readings.first == 150)
        // The second trigger does not extend the trace.
        #expect(saved.readings.last == 219.9)
        #expect(saved.triggers.map(\.event) == ["shake", "impact>4g"])
        #expect(saved.triggers.map(\.time) == [60, 63])
        #expect(stage.received.failures.isEmpty)
    }

    @Test("A trigger in the first minute saves the events recorded so far")
    func early() throws {
        let stage = try Stage()
        try stage.record(5)
        stage.box.trigger("shake")
        try stage.record(11)
        let saved = try Saved(try #require(stage.received.saved.first).path)
        #expect(saved.readings.first == 0)
        #expect(saved.readings.last == 14.9)
    }

    @Test("finish() saves a pending trace, and discarding the ring removes its directory")
    func finish() throws {
        let stage = try Stage()
        try stage.record(5)
        stage.box.trigger("shake")
        try stage.record(2)
        stage.box.finish()
        #expect(try Saved(try #require(stage.received.saved.first).path).readings.last == 6.9)
        stage.box.trigger("shake")
        stage.box.finish()
        #expect(stage.received.saved.count == 1)
        try stage.writer.close()
        try stage.ring.discard()
        #expect(stage.folder.names().count == 1)
    }

    @Test("If a trace cannot be saved, its events stay in the ring")
    func unsaved() throws {
        let stage = try Stage()
        try stage.record(5)
        stage.box.trigger("shake")
        try stage.record(5)
        // Renames the directory while the ring has it open.
        let away = stage.folder.path + "-away"
        #expect(rename(stage.folder.path, away) == 0)
        try stage.record(6)
        #expect(stage.received.saved.isEmpty)
        #expect(stage.received.failures.count == 1)
        try stage.writer.close()
        #expect(rename(away, stage.folder.path) == 0)
        #expect(!stage.segments.isEmpty)
        let place = RingLocation(stage.folder.path)
        let paths = stage.segments.map { place.ringDirectory + "/" + $0 }
        #expect(try SavedTrace.write(paths, path: stage.folder.path + "/x.trace")?.count == 160)
    }

    @Test("The ring stays within its size limit, also while a trace is pending")
    func size() throws {
        let stage = try Stage(duration: 3600, size: 1 << 20)
        for _ in 0..<40 {
            try stage.record(100)
            var total = 0
            for name in stage.segments {
                let path = stage.folder.path + "/.ring/" + name
                total += try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
            }
            #expect(total <= 1 << 20)
        }
        #expect(stage.ring.size <= 1 << 20)
        stage.box.trigger("shake")
        try stage.record(11)
        // The saved trace spans as much time as fits into the size limit.
        let saved = try Saved(try #require(stage.received.saved.first).path)
        #expect(saved.readings.last == 4009.9)
        #expect(saved.readings.count > 8000)
        let duration = 4009.9 - (saved.readings.first ?? 0)
        #expect(saved.readings.count == Int((duration * 10).rounded()) + 1)
    }
}
