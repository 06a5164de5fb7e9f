// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization
import Testing
import Trace

@testable import BlackBox

@Suite("Disk synchronization of a ring")
struct RingDiskTests {
    /// A disk that records each step with the last component of its path, and fails at a given step.
    private final class DiskRecorder: Sendable {
        private struct State {
            var steps: [String] = []
            var failing: String?
        }

        private let state = Mutex(State())

        var disk: DiskSynchronizer {
            DiskSynchronizer { [self] step, _ in
                let text =
                    switch step {
                    case .data(let path): "data \((path as NSString).lastPathComponent)"
                    case .file(let path): "file \((path as NSString).lastPathComponent)"
                    case .directory(let path): "folder \((path as NSString).lastPathComponent)"
                    }
                return state.withLock { state in
                    state.steps.append(text)
                    guard state.failing == text else { return 0 }
                    // Linux reports a write error only once.
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

    /// Returns a stage in a directory that the ring creates, and the name of that directory.
    private static func fixture(_ diskRecorder: DiskRecorder, _ sync: RingSyncPolicy) throws -> (
        BlackBoxFixture, String
    ) {
        let fixture = try BlackBoxFixture(sync: sync, disk: diskRecorder.disk)
        return (fixture, (fixture.folder.path as NSString).lastPathComponent)
    }

    // A segment of a 60 s ring is 7.5 s long. It begins when the first half second of events is flushed: at 0.5 s and
    // at 8 s. A synchronization due at the same time runs before that.

    @Test("Mode each-second syncs data every second, a new segment's name after its data, a full segment once")
    func eachSecond() throws {
        let diskRecorder = DiskRecorder()
        let (fixture, folder) = try Self.fixture(diskRecorder, .eachSecond)
        try fixture.record(9)
        let data = "data \(Self.first)"
        let begin = ["folder \(folder)", data, "folder .ring"]
        let seconds = Array(repeating: data, count: 7)
        #expect(diskRecorder.steps == begin + seconds + ["file \(Self.first)", "data \(Self.second)", "folder .ring"])
        try fixture.writer.close()
        #expect(diskRecorder.steps.suffix(2) == ["file \(Self.second)", "folder .ring"])
    }

    @Test("Mode segment syncs a segment and its name when it is full")
    func eachSegment() throws {
        let diskRecorder = DiskRecorder()
        let (fixture, folder) = try Self.fixture(diskRecorder, .segment)
        try fixture.record(9)
        #expect(diskRecorder.steps == ["folder \(folder)", "file \(Self.first)", "folder .ring"])
    }

    @Test("Mode never syncs only the ring's own directory, at the start")
    func never() throws {
        let diskRecorder = DiskRecorder()
        let (fixture, folder) = try Self.fixture(diskRecorder, .never)
        try fixture.record(30)
        try fixture.writer.close()
        #expect(diskRecorder.steps == ["folder \(folder)"])
    }

    @Test("A new directory for traces is synced before the ring in it")
    func newFolder() throws {
        let diskRecorder = DiskRecorder()
        let folder = try Folder()
        let parent = (folder.path as NSString).lastPathComponent
        let clock = VirtualClock()
        _ = try TraceRing(
            RingLocation(folder.path + "/box/"), options: TraceRing.Options(), clock: clock, syncClock: clock,
            disk: diskRecorder.disk)
        #expect(diskRecorder.steps == ["folder \(parent)", "folder box"])
    }

    @Test("The name of a saved trace is synced")
    func saved() throws {
        let diskRecorder = DiskRecorder()
        let (fixture, folder) = try Self.fixture(diskRecorder, .never)
        try fixture.record(5)
        fixture.box.trigger("shake")
        try fixture.record(11)
        #expect(fixture.received.saved.count == 1)
        #expect(diskRecorder.steps == ["folder \(folder)", "folder \(folder)"])
    }

    @Test(
        "A disk error ends the recording, even though the disk reports it only once",
        arguments: ["data segment-00000001.trace", "file segment-00000001.trace", "folder .ring"])
    func failing(step: String) throws {
        let diskRecorder = DiskRecorder()
        let (fixture, _) = try Self.fixture(diskRecorder, .eachSecond)
        diskRecorder.fail(step)
        let error = #expect(throws: DeviceError.self) { try fixture.record(20) }
        let call = step.hasPrefix("data") ? "fdatasync" : "fsync"
        #expect(error?.cause == .system(call: call, errno: EIO))
        #expect(error?.message.contains("/.ring") == true)
        #expect(throws: DeviceError.self) { try fixture.writer.close() }
    }
}
