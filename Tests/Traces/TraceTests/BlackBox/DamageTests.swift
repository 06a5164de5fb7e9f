// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization
import TestSupport
import Testing
import Trace

@testable import BlackBox

@Suite("Leftover rings that are damaged or cannot be saved")
struct DamageTests {
    private static func url(_ folder: Folder, _ name: String) -> URL { URL(fileURLWithPath: folder.path + "/" + name) }

    /// Returns the contents of the files that are kept as damaged.
    private static func damaged(_ folder: Folder) throws -> [Data] {
        try folder.names().filter { $0.contains("damaged") }.map { try Data(contentsOf: url(folder, $0)) }
    }

    @Test("A segment with a zeroed header loses no lines and is kept beside the trace")
    func zeroedHeader() throws {
        let folder = try RecoveryTests.abandoned(4)
        let names = folder.names("/.ring")
        #expect(names.count >= 3)
        let segment = Self.url(folder, ".ring/" + names[1])
        var bytes = try Data(contentsOf: segment)
        let end = try #require(bytes.firstIndex(of: 10))
        bytes.replaceSubrange(0..<end, with: Data(count: end))
        try bytes.write(to: segment)
        let result = try BlackBoxFixture(folder).saveLeftovers()
        #expect(result.leftoverErrors.isEmpty)
        let save = try #require(result.found.first?.trace)
        let saved = try Saved(save.path)
        #expect(saved.readings.count == 40)
        #expect(saved.readings.last == 3.9)
        #expect(saved.warningCount == 0)
        #expect(try Self.damaged(folder) == [bytes])
        #expect(save.remarks.count == 2)
        #expect(save.remarks.last?.contains("is kept as \(folder.path)/2026-01-01T00-00-03Z-damaged.trace") == true)
        #expect(folder.names("/.ring").isEmpty)
    }

    @Test("Unreadable lines are omitted from the trace, and their segment is kept")
    func brokenLines() throws {
        let folder = try RecoveryTests.abandoned(4)
        let segment = Self.url(folder, ".ring/" + folder.names("/.ring")[1])
        var bytes = try Data(contentsOf: segment)
        let header = try #require(bytes.firstIndex(of: 10))
        bytes.replaceSubrange(header + 1..<header + 4, with: Data("xyz".utf8))
        try bytes.write(to: segment)
        let save = try #require(try BlackBoxFixture(folder).saveLeftovers().found.first?.trace)
        #expect(try Saved(save.path).readings.count == 39)
        #expect(try Self.damaged(folder) == [bytes])
    }

    @Test("A ring that contains only random bytes is kept byte for byte and reported")
    func nothingReadable() throws {
        let folder = try Folder()
        let ring = folder.path + "/.ring"
        try FileManager.default.createDirectory(atPath: ring, withIntermediateDirectories: false)
        var numbers = SeededGenerator(seed: 3)
        let bytes = (0..<2).map { _ in Data((0..<5000).map { _ in UInt8.random(in: 0...255, using: &numbers) }) }
        for (number, bytes) in bytes.enumerated() {
            try bytes.write(to: Self.url(folder, ".ring/segment-0000000\(number + 1).trace"))
        }
        let found = try #require(try BlackBoxFixture(folder).saveLeftovers().found.first)
        #expect(found.trace == nil)
        #expect(found.remarks.count == 4)
        #expect(try Set(Self.damaged(folder)) == Set(bytes))
        #expect(folder.names().count == 3)
        #expect(folder.names("/.ring").isEmpty)
    }

    @Test("Segments with a valid header but no readable line are kept")
    func onlyHeaders() throws {
        let folder = try RecoveryTests.abandoned(4)
        var damagedContents: Set<Data> = []
        for name in folder.names("/.ring") {
            let segment = Self.url(folder, ".ring/" + name)
            let bytes = try Data(contentsOf: segment)
            let end = try #require(bytes.firstIndex(of: 10))
            let damaged = bytes[...end] + Data(String(repeating: "garbage\n", count: 50).utf8)
            try damaged.write(to: segment)
            damagedContents.insert(damaged)
        }
        let found = try #require(try BlackBoxFixture(folder).saveLeftovers().found.first)
        #expect(found.trace == nil)
        #expect(try Set(Self.damaged(folder)) == damagedContents)
        #expect(found.remarks.contains { $0.contains("(50 times; first in line ") })
    }

    @Test("Remarks count all unreadable lines, even if there are many")
    func manyBrokenLines() throws {
        let folder = try RecoveryTests.abandoned(4)
        let segment = Self.url(folder, ".ring/" + folder.names("/.ring")[1])
        let bytes = try Data(contentsOf: segment) + Data(String(repeating: "x\n", count: 500).utf8)
        try bytes.write(to: segment)
        let save = try #require(try BlackBoxFixture(folder).saveLeftovers().found.first?.trace)
        #expect(save.remarks.contains { $0.contains("(500 times; first in line ") })
        #expect(try Self.damaged(folder) == [bytes])
    }

    @Test("A segment whose header claims more repeated lines than it contains is kept")
    func falseRepetition() throws {
        let folder = try RecoveryTests.abandoned(4)
        let segment = Self.url(folder, ".ring/" + folder.names("/.ring")[1])
        let text = try String(contentsOf: segment, encoding: .utf8)
        let damaged = text.replacingOccurrences(of: "\"state\":0", with: "\"state\":99999")
        #expect(damaged != text)
        try Data(damaged.utf8).write(to: segment)
        let save = try #require(try BlackBoxFixture(folder).saveLeftovers().found.first?.trace)
        #expect(try Saved(save.path).readings.count < 40)
        #expect(try Self.damaged(folder) == [Data(damaged.utf8)])
    }

    @Test("Out-of-range recorder and segment numbers do not prevent recovery")
    func hugeNumbers() throws {
        let folder = try RecoveryTests.abandoned(4)
        let segment = Self.url(folder, ".ring/" + folder.names("/.ring")[0])
        let text = try String(contentsOf: segment, encoding: .utf8)
        let damaged = text.replacingOccurrences(of: "\"segment\":1,", with: "\"segment\":9223372036854775807,")
        #expect(damaged != text)
        try Data(damaged.utf8).write(to: segment)
        let stranger = "/.ring/former-9223372036854775807-segment-00000001.trace"
        try Data("x".utf8).write(to: Self.url(folder, stranger))
        #expect(try BlackBoxFixture(folder).saveLeftovers().found.first?.trace?.count == 40)
        #expect(try Data(contentsOf: Self.url(folder, stranger)) == Data("x".utf8))
    }

    @Test("A second damaged file with the same name gets a number")
    func secondDamage() throws {
        let folder = try Folder()
        let path = folder.path + "/former-1-segment-00000001.trace"
        #expect(RingLocation.unusedPath(path, ".damaged") == path + ".damaged")
        try Data().write(to: URL(fileURLWithPath: path + ".damaged"))
        #expect(RingLocation.unusedPath(path, ".damaged") == path + "-2.damaged")
    }

    @Test("A trace gets its name when it is complete, and skips names taken in the meantime")
    func nameAtTheEnd() throws {
        let folder = try RecoveryTests.abandoned(4)
        let paths = folder.names("/.ring").map { "\(folder.path)/.ring/\($0)" }
        var reading = try RingReader(paths)
        let temporary = folder.path + "/x.part"
        // Another program takes the first name before the trace is complete, and the second one during the rename.
        let requestedPaths = Mutex<[String]>([])
        let segment = folder.path
        let name: @Sendable () -> String = {
            requestedPaths.withLock { requestedPaths in
                requestedPaths.append("\(segment)/x-\(requestedPaths.count).trace")
                if requestedPaths.count < 3 {
                    try? Data("x".utf8).write(to: URL(fileURLWithPath: requestedPaths[requestedPaths.count - 1]))
                }
                return requestedPaths[requestedPaths.count - 1]
            }
        }
        let save = try SavedTrace.write(&reading, path: name(), temporary: temporary)
        #expect(save?.path == folder.path + "/x-2.trace")
        #expect(save?.count == 40)
        for name in ["/x-0.trace", "/x-1.trace"] {
            #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path + name)) == Data("x".utf8))
        }
    }

    @Test("The lines of a ring without headers are saved as an undated trace")
    func noHeader() throws {
        let folder = try RecoveryTests.abandoned(4)
        for name in folder.names("/.ring") {
            let segment = Self.url(folder, ".ring/" + name)
            let bytes = try Data(contentsOf: segment)
            try bytes.dropFirst((bytes.firstIndex(of: 10) ?? 0) + 1).write(to: segment)
        }
        let save = try #require(try BlackBoxFixture(folder).saveLeftovers().found.first?.trace)
        #expect(save.path.hasSuffix("/undated-leftover.trace"))
        #expect(try Saved(save.path).readings.count == 40)
    }

    @Test("A segment that fails with a system error stays for the next start, and recording continues")
    func unreadable() throws {
        let folder = try RecoveryTests.abandoned(4)
        let names = folder.names("/.ring")
        try FileManager.default.createDirectory(
            atPath: folder.path + "/.ring/segment-00000099.trace", withIntermediateDirectories: false)
        do {
            let fixture = try BlackBoxFixture(folder)
            let result = fixture.saveLeftovers()
            #expect(result.found.isEmpty)
            #expect(result.leftoverErrors.map(\.cause) == [.system(call: "read", errno: EISDIR)])
            #expect(result.leftoverErrors.first?.message.contains("segment-00000099.trace") == true)
            #expect(folder.names("/.ring").count == names.count + 1)
            try fixture.record(4)
            fixture.box.trigger("shake")
            try fixture.record(11)
            #expect(fixture.received.saved.count == 1)
            try fixture.writer.close()
            try fixture.ring.discard()
        }
        #expect(folder.names("/.ring").count == names.count + 1)
        // Removes the cause of the error, so that the next attempt succeeds.
        rmdir(folder.path + "/.ring/former-1-segment-00000099.trace")
        #expect(try BlackBoxFixture(folder).saveLeftovers().found.first?.trace?.count == 40)
    }

    @Test("A leftover ring stays unchanged until the free space is twice its size")
    func insufficientSpace() throws {
        let folder = try RecoveryTests.abandoned(4)
        var size: Int64 = 0
        for name in folder.names("/.ring") {
            size += Int64(try Data(contentsOf: Self.url(folder, ".ring/" + name)).count)
        }
        var fixture: BlackBoxFixture? = try BlackBoxFixture(folder)
        let names = folder.names("/.ring")
        let leftoverErrors = fixture?.saveLeftovers(freeSpace: size * 2 - 1).leftoverErrors
        #expect(leftoverErrors?.count == 1)
        #expect(leftoverErrors?.first?.message.contains("Free 1 KiB") == true)
        #expect(folder.names("/.ring") == names)
        #expect(folder.names() == [".ring"])
        try fixture?.record(7)
        try fixture?.writer.flush()
        fixture = nil
        fixture = try BlackBoxFixture(folder)
        let found = fixture?.saveLeftovers(freeSpace: 1 << 30).found
        #expect(found?.map { $0.trace?.count } == [40, 70])
        #expect(folder.names("/.ring").isEmpty)
    }

    @Test("A leftover ring stays unchanged if the trace cannot be written")
    func unsaved() throws {
        let folder = try RecoveryTests.abandoned(10)
        let fixture = try BlackBoxFixture(folder)
        let names = folder.names("/.ring")
        let away = folder.path + "-away"
        #expect(rename(folder.path, away) == 0)
        #expect(fixture.saveLeftovers().leftoverErrors.count == 1)
        #expect(rename(away, folder.path) == 0)
        #expect(folder.names("/.ring") == names)
    }

    @Test("Partial traces left by a power failure are removed at the next start")
    func unfinished() throws {
        let folder = try RecoveryTests.abandoned(4)
        for name in [".ring.part", ".ring-former.part"] {
            try Data("{\"format\":".utf8).write(to: Self.url(folder, name))
        }
        let fixture = try BlackBoxFixture(folder)
        #expect(folder.names() == [".ring"])
        #expect(fixture.saveLeftovers().found.first?.trace?.count == 40)
        fixture.box.trigger("shake")
        try fixture.record(11)
        // The directory contains the ring and the two traces.
        #expect(folder.names().count == 3)
    }

    @Test("A black box saves leftovers while it records, and finish() waits for the result")
    func box() throws {
        let folder = try RecoveryTests.abandoned(4)
        let fixture = try BlackBoxFixture(folder)
        let received = BlackBoxEventLog()
        let started = BinarySemaphore()
        let resume = BinarySemaphore()
        let box = BlackBox(
            ring: fixture.ring, writer: fixture.writer, clock: fixture.clock,
            run: { body in
                do throws(DeviceError) {
                    try WorkerThread.start {
                        started.signal()
                        resume.wait(seconds: 60)
                        body()
                    }
                } catch { body() }
            }, onEvent: { received.add($0) })
        box.saveLeftovers()
        #expect(started.wait(seconds: 60))
        try fixture.record(3)
        try fixture.writer.flush()
        #expect(fixture.segments.contains("segment-00000001.trace"))
        #expect(received.leftovers.isEmpty)
        resume.signal()
        box.finish()
        #expect(received.leftovers.map { $0.trace?.count } == [40])
    }
}
