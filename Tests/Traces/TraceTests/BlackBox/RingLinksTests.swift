// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SystemCalls
import Testing
import Trace

@testable import BlackBox

@Suite("Rings in directories that other users can write to")
struct RingLinksTests {
    private static func text(_ path: String) -> String {
        (try? Data(contentsOf: URL(fileURLWithPath: path))).map { String(decoding: $0, as: UTF8.self) } ?? "none"
    }

    private static func put(_ text: String, _ path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    private static func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test("A link at the temporary path of a trace does not change its target")
    func unfinished() throws {
        let folder = try Folder()
        let secret = folder.path + "/secret"
        try Self.put("keep", secret)
        let fixture = try BlackBoxFixture(folder)
        try fixture.record(20)
        for (count, createLink) in [symlink, link].enumerated() {
            for name in [".ring.part", ".ring-former.part"] {
                unlink(folder.path + "/" + name)
                #expect(createLink(secret, folder.path + "/" + name) == 0)
            }
            fixture.box.trigger("signal")
            try fixture.record(12)
            #expect(fixture.received.saved.count == count + 1)
            #expect(fixture.received.failures.isEmpty)
            #expect(Self.text(secret) == "keep")
        }
        for save in fixture.received.saved {
            #expect(try !Saved(save.path).readings.isEmpty)
            #expect(Self.mode(save.path) == 0o600)
        }
    }

    @Test("A ring that is a symbolic link is refused, and the target directory stays unchanged")
    func ring() throws {
        let (folder, other) = (try Folder(), try Folder())
        let foreign = other.path + "/segment-00000001.trace"
        try Self.put("keep", foreign)
        #expect(symlink(other.path, folder.path + "/.ring") == 0)
        let error = #expect(throws: DeviceError.self) { try BlackBoxFixture(folder) }
        #expect(error?.message.contains("is a link") == true)
        #expect(other.names() == ["segment-00000001.trace"])
        #expect(Self.text(foreign) == "keep")
    }

    @Test("A ring owned by another user is refused", .enabled(if: geteuid() == 0, "only root gives folders away"))
    func owner() throws {
        let folder = try Folder()
        #expect(mkdir(folder.path + "/.ring", 0o755) == 0)
        #expect(chown(folder.path + "/.ring", 65_534, 65_534) == 0)
        let error = #expect(throws: DeviceError.self) { try BlackBoxFixture(folder) }
        #expect(error?.code == .permissionDenied)
        #expect(error?.message.contains("belongs to another user (65534)") == true)
    }

    @Test(
        "A segment owned by another user is refused with an error that names it, and stays unchanged",
        .enabled(if: geteuid() == 0, "only root gives files away"))
    func foreignSegment() throws {
        let folder = try Folder()
        let segment = folder.path + "/.ring/segment-00000001.trace"
        #expect(mkdir(folder.path + "/.ring", 0o700) == 0)
        try Self.put("recorded", segment)
        #expect(chown(segment, 65_534, 65_534) == 0)
        let error = #expect(throws: DeviceError.self) { try BlackBoxFixture(folder) }
        #expect(error?.code == .permissionDenied)
        #expect(error?.message.contains("segment-00000001.trace belongs to another user (65534)") == true)
        #expect(Self.text(segment) == "recorded")
    }

    @Test("A temporary path that cannot be removed does not prevent recording")
    func unremovable() throws {
        let folder = try Folder()
        #expect(mkdir(folder.path + "/.ring.part", 0o755) == 0)
        let fixture = try BlackBoxFixture(folder)
        try fixture.record(12)
        fixture.box.trigger("signal")
        try fixture.record(12)
        // On file systems without unnamed files the trace needs this temporary path, and the error names it.
        if let failure = fixture.received.failures.first {
            #expect(failure.message.contains(".ring.part"))
        } else {
            let saved = try #require(fixture.received.saved.first)
            #expect(try !Saved(saved.path).readings.isEmpty)
        }
        #expect(!fixture.segments.isEmpty)
    }

    @Test("Links in a world-writable ring are not followed, and the ring loses its write permission for others")
    func foreignLinks() throws {
        let folder = try Folder()
        let (ring, secret) = (folder.path + "/.ring", folder.path + "/secret")
        try Self.put("keep", secret)
        #expect(mkdir(ring, 0o755) == 0 && chmod(ring, 0o777) == 0)
        #expect(symlink(secret, ring + "/segment-00000001.trace") == 0)
        let fixture = try BlackBoxFixture(folder)
        try fixture.record(2)
        #expect(Self.mode(ring) == 0o755)
        let (found, leftoverErrors) = fixture.saveLeftovers()
        #expect(found.isEmpty && leftoverErrors.isEmpty)
        #expect(Self.text(secret) == "keep")
    }

    @Test("A directory that replaces the ring during recording keeps its files")
    func swapped() throws {
        let (folder, other) = (try Folder(), try Folder())
        let fixture = try BlackBoxFixture(folder, duration: 4)
        try fixture.record(6)
        for name in fixture.segments { try Self.put("keep", other.path + "/" + name) }
        let names = other.names()
        #expect(rename(folder.path + "/.ring", folder.path + "/away") == 0)
        #expect(symlink(other.path, folder.path + "/.ring") == 0)
        fixture.box.trigger("signal")
        try fixture.record(20)
        #expect(fixture.received.failures.isEmpty)
        #expect(try fixture.received.saved.first.map { try Saved($0.path).readings.isEmpty } == false)
        try fixture.ring.close()
        #expect(other.names() == names)
        #expect(names.allSatisfy { Self.text(other.path + "/" + $0) == "keep" })
    }

    @Test("Recordings are accessible only to their owner unless a mode is given")
    func modes() throws {
        let folder = try Folder()
        let clock = VirtualClock(now: BootTime(nanoseconds: 0), wallTime: BlackBoxFixture.wallStart)
        for (name, mode, file, inner) in [("a", nil, 0o600, 0o700), ("b", 0o640, 0o640, 0o750)]
            as [(String, UInt32?, mode_t, mode_t)]
        {
            let path = folder.path + "/" + name
            let ring = try TraceRing(RingLocation(path + "/", mode: mode), clock: clock, syncClock: clock)
            let writer = TraceWriter(ring, clock: clock)
            try writer.write(TraceHeader(start: TraceHeader.Start(wallTime: clock.wallTime, boot: clock.now)))
            try writer.write(sample: [1, 2, 3], kind: .accelerometer, at: 0)
            try writer.flush()
            #expect(Self.mode(path) == inner)
            #expect(Self.mode(path + "/.ring") == inner)
            let segments = folder.names("/\(name)/.ring")
            #expect(segments.count == 1)
            for segment in segments { #expect(Self.mode("\(path)/.ring/\(segment)") == file) }
        }
    }
}
