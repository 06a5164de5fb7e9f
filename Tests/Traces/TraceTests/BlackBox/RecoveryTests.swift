// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import TestSupport
import Testing
import Trace

@testable import BlackBox

@Suite("Leftover rings")
struct RecoveryTests {
    /// Returns a ring of several segments whose recorder was killed.
    static func abandoned(_ seconds: Int, trigger: String? = nil) throws -> Folder {
        let folder = try Folder()
        let fixture = try BlackBoxFixture(folder, duration: 8)
        try fixture.record(seconds)
        if let trigger {
            fixture.box.trigger(trigger)
            try fixture.record(2)
        }
        // Data already passed to the kernel survives the death of the process.
        try fixture.writer.flush()
        return folder
    }

    @Test("A leftover ring is saved completely, with its triggers, and then removed")
    func saved() throws {
        let folder = try Self.abandoned(20, trigger: "impact>4g")
        let fixture = try BlackBoxFixture(folder)
        let save = try #require(fixture.saveLeftovers().found.first?.trace)
        let trace = try Saved(save.path)
        #expect(save.path.hasSuffix("/2026-01-01T00-00-21Z-leftover.trace"))
        #expect(save.remarks.isEmpty)
        #expect(trace.warningCount == 0)
        #expect(trace.readings.last == 21.9)
        let first = try #require(trace.readings.first)
        #expect(trace.file.header?.start?.boot == BootTime(nanoseconds: 100_000_000_000 + Int64(first * 1e9)))
        #expect(trace.triggers.map(\.event) == ["impact>4g"])
        #expect(trace.triggers.map(\.time) == [20 - first])
        #expect(folder.names("/.ring").isEmpty)
        #expect(fixture.saveLeftovers().found.isEmpty)
        #expect(folder.names().count == 2)
    }

    @Test("A ring cut after any byte of its last segment keeps all complete lines")
    func everyByte() throws {
        let folder = try Self.abandoned(4)
        let names = folder.names("/.ring")
        #expect(names.count >= 3)
        let last = folder.path + "/.ring/" + (names.last ?? "")
        let whole = try Data(contentsOf: URL(fileURLWithPath: last))
        let header = (whole.firstIndex(of: 10) ?? 0) + 1
        var before = 0
        for name in names.dropLast() { before += try Saved(folder.path + "/.ring/" + name).readings.count }
        let paths = names.map { folder.path + "/.ring/" + $0 }
        let target = folder.path + "/cut.trace"
        for length in stride(from: whole.count, through: 0, by: -1) {
            try whole.prefix(length).write(to: URL(fileURLWithPath: last))
            let save = try #require(try SavedTrace.write(paths, path: target))
            // Complete lines, and a last line that lacks only its newline.
            let lines = length <= header ? 0 : whole[header..<length].count { $0 == 10 }
            let isComplete = length > header && length < whole.count && whole[length] == 10
            #expect(save.count == before + lines + (isComplete ? 1 : 0), "\(length)")
            // Only an incomplete header adds a remark.
            #expect(save.remarks.count == (length < header - 1 ? 1 : 0), "\(length): \(save.remarks)")
            unlink(target)
        }
    }

    @Test("Zero bytes at the end of a segment, which some file systems leave, are ignored")
    func zeros() throws {
        let folder = try Self.abandoned(4)
        let names = folder.names("/.ring")
        let last = folder.path + "/.ring/" + (names.last ?? "")
        let handle = try #require(FileHandle(forWritingAtPath: last))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(count: 4096))
        try handle.close()
        let save = try #require(try BlackBoxFixture(folder).saveLeftovers().found.first?.trace)
        #expect(try Saved(save.path).readings.last == 3.9)
        #expect(save.remarks.isEmpty)
        #expect(folder.names("/.ring").isEmpty)
    }

    @Test("A missing segment loses only its own readings")
    func missingSegment() throws {
        let folder = try Folder()
        let fixture = try BlackBoxFixture(folder, duration: 80)
        try fixture.writer.write(.battery(BatteryReading(level: 0.5, state: .charging)), at: fixture.time)
        try fixture.record(50)
        try fixture.writer.flush()
        let names = folder.names("/.ring")
        try FileManager.default.removeItem(atPath: folder.path + "/.ring/" + names[1])
        let save = try #require(
            try SavedTrace.write(
                folder.names("/.ring").map { folder.path + "/.ring/" + $0 }, path: folder.path + "/x.trace"))
        let saved = try Saved(save.path)
        #expect(saved.readings.count == 400)
        // The segment after the gap repeats the battery state.
        #expect(saved.events.count { if case .battery = $0.contents { true } else { false } } == 2)
    }

    @Test("An empty ring and segments without events yield no trace")
    func empty() throws {
        let folder = try Folder()
        #expect(try BlackBoxFixture(folder).saveLeftovers().found.isEmpty)
        let header = "{\"format\":\"device-services-trace\",\"version\":1,\"ring\":{\"segment\":1,\"state\":0}}\n"
        for (number, text) in [header, "", "{\"format\":\"device-services-trace\",\"vers", "\0\0\0\0"].enumerated() {
            try Data(text.utf8).write(
                to: URL(fileURLWithPath: folder.path + "/.ring/segment-0000000\(number + 1).trace"))
        }
        let result = try BlackBoxFixture(folder).saveLeftovers()
        #expect(result.leftoverErrors.isEmpty)
        #expect(result.found.count == 1 && result.found[0].trace == nil)
        #expect(folder.names() == [".ring"])
        #expect(folder.names("/.ring").isEmpty)
    }

    @Test("Traces are named after time and event in a directory, and numbered if a file name is given")
    func names() throws {
        let folder = try Folder()
        let time = WallTime(nanoseconds: 1_767_225_600_900_000_000)
        let index = RingLocation(folder.path + "/")
        #expect(index.ringDirectory == folder.path + "/.ring")
        #expect(index.path(at: time, for: "impact>4g") == folder.path + "/2026-01-01T00-00-00Z-impact-4g.trace")
        #expect(index.path(at: nil, for: "a/../b") == folder.path + "/undated-a-..-b.trace")
        let file = RingLocation(folder.path + "/drive.trace")
        #expect(file.ringDirectory == folder.path + "/drive.trace.ring")
        #expect(file.path(at: time, for: "shake") == folder.path + "/drive.trace")
        for name in ["drive.trace", "drive-2.trace"] {
            try Data().write(to: URL(fileURLWithPath: folder.path + "/" + name))
        }
        #expect(file.path(at: time, for: "shake") == folder.path + "/drive-3.trace")
        #expect(RingLocation("drive").path(at: time, for: "shake") == "drive")
        // The names of damaged segments differ from those of traces.
        #expect(index.path(at: time, for: "damaged") == folder.path + "/2026-01-01T00-00-00Z-damaged.trace")
        #expect(file.path(at: time, for: "damaged") == folder.path + "/drive-damaged.trace")
    }
}

extension RecoveryTests {
    @Test("Reading randomly damaged segments ends with a trace or an error")
    func hostile() throws {
        let folder = try Self.abandoned(4, trigger: "shake")
        let names = folder.names("/.ring")
        let paths = names.map { folder.path + "/.ring/" + $0 }
        let whole = try paths.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        var numbers = SeededGenerator(seed: 1)
        let words = [
            "\"ring\":", "{", "}", "[", "\"t\":", "-1", "1e400", "null", "\u{0}", "\n", "\"state\":999999999999",
        ]
        for round in 0..<Thoroughness.rounds(200, quick: 20) {
            let index = Int.random(in: paths.indices, using: &numbers)
            var bytes = whole[index]
            for _ in 0...Int.random(in: 0..<8, using: &numbers) {
                let at = Int.random(in: 0..<bytes.count, using: &numbers)
                if Bool.random(using: &numbers) {
                    bytes[at] = UInt8.random(in: 0...255, using: &numbers)
                } else {
                    let word = Data((words.randomElement(using: &numbers) ?? "").utf8)
                    bytes.replaceSubrange(at..<min(at + word.count, bytes.count), with: word)
                }
            }
            try bytes.write(to: URL(fileURLWithPath: paths[index]))
            let target = folder.path + "/\(round).trace"
            do {
                guard let save = try SavedTrace.write(paths, path: target) else { continue }
                #expect(save.count >= 0 && save.seconds >= 0)
                #expect(try TraceFile(path: target).format == .native)
            } catch {
                #expect(!error.message.isEmpty)
            }
            unlink(target)
            try whole[index].write(to: URL(fileURLWithPath: paths[index]))
        }
    }
}
