// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization
import Testing
import Trace

@testable import BlackBox

@Suite("What a ring brings to the disk")
struct RingDiskTests {
    /// A disk that notes what it is given, by the last part of its path, and fails when it is told to.
    private final class Journal: Sendable {
        private struct State {
            var steps: [String] = []
            var failing: String?
        }

        private let state = Mutex(State())

        var disk: RingDisk {
            RingDisk { [self] step, _ in
                let text =
                    switch step {
                    case .data(let path): "data \((path as NSString).lastPathComponent)"
                    case .file(let path): "file \((path as NSString).lastPathComponent)"
                    case .folder(let path): "folder \((path as NSString).lastPathComponent)"
                    }
                return state.withLock { state in
                    state.steps.append(text)
                    guard state.failing == text else { return 0 }
                    // As Linux does: it tells once.
                    state.failing = nil
                    return EIO
                }
            }
        }

        var steps: [String] { state.withLock { $0.steps } }

        func fail(_ step: String) { state.withLock { $0.failing = step } }
    }

    private static let first = "segment-00000001.trace"
    private static let second = "segment-00000002.trace"

    /// A stage in a folder that the ring makes, and that folder's name.
    private static func stage(_ journal: Journal, _ sync: RingSync) throws -> (Stage, String) {
        let stage = try Stage(sync: sync, disk: journal.disk)
        return (stage, (stage.folder.path as NSString).lastPathComponent)
    }

    // A segment of a minute's ring is 7.5 s long, and begins when the first half second of events is written: at 0.5 s and at
    // 8 s. Who looks at the same instant looks before that.

    @Test("Each second: the bytes, and a new segment's name behind them; a full one once and whole")
    func eachSecond() throws {
        let journal = Journal()
        let (stage, folder) = try Self.stage(journal, .eachSecond)
        try stage.record(9)
        let data = "data \(Self.first)"
        let begin = ["folder \(folder)", data, "folder .ring"]
        let seconds = Array(repeating: data, count: 7)
        #expect(journal.steps == begin + seconds + ["file \(Self.first)", "data \(Self.second)", "folder .ring"])
        try stage.writer.close()
        #expect(journal.steps.suffix(2) == ["file \(Self.second)", "folder .ring"])
    }

    @Test("Each segment: when it is full, with its name")
    func eachSegment() throws {
        let journal = Journal()
        let (stage, folder) = try Self.stage(journal, .segment)
        try stage.record(9)
        #expect(journal.steps == ["folder \(folder)", "file \(Self.first)", "folder .ring"])
    }

    @Test("Never: nothing but the ring's own folder at the start")
    func never() throws {
        let journal = Journal()
        let (stage, folder) = try Self.stage(journal, .never)
        try stage.record(30)
        try stage.writer.close()
        #expect(journal.steps == ["folder \(folder)"])
    }

    @Test("A new folder for traces reaches the disk before the ring in it")
    func newFolder() throws {
        let journal = Journal()
        let folder = try Folder()
        let parent = (folder.path as NSString).lastPathComponent
        let clock = VirtualClock()
        _ = try TraceRing(
            RingPlace(folder.path + "/box/"), options: TraceRing.Options(), clock: clock, syncClock: clock,
            disk: journal.disk)
        #expect(journal.steps == ["folder \(parent)", "folder box"])
    }

    @Test("A saved trace's name reaches the disk")
    func saved() throws {
        let journal = Journal()
        let (stage, folder) = try Self.stage(journal, .never)
        try stage.record(5)
        stage.box.trigger("shake")
        try stage.record(11)
        #expect(stage.told.saved.count == 1)
        #expect(journal.steps == ["folder \(folder)", "folder \(folder)"])
    }

    @Test(
        "What a disk has not taken ends the recording with that error, though the disk says it only once",
        arguments: ["data segment-00000001.trace", "file segment-00000001.trace", "folder .ring"])
    func failing(step: String) throws {
        let journal = Journal()
        let (stage, _) = try Self.stage(journal, .eachSecond)
        journal.fail(step)
        let error = #expect(throws: DeviceError.self) { try stage.record(20) }
        let call = step.hasPrefix("data") ? "fdatasync" : "fsync"
        #expect(error?.cause == .system(call: call, errno: EIO))
        #expect(error?.message.contains("/.ring") == true)
        #expect(throws: DeviceError.self) { try stage.writer.close() }
    }
}
