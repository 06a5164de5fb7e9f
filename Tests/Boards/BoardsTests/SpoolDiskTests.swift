// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import MQTTPublisher

@Suite("Spools on a full disk")
struct SpoolDiskTests {
    @Test("A full disk drops the oldest records, keeps the newest and reports one error")
    func full() throws {
        let disk = SmallDisk(capacity: 10_000)
        var limits = SpoolLimits()
        (limits.fileBytes, limits.memoryRecords) = (1000, 50)
        let directory = SpoolDirectory()
        let spool = try directory.spool(limits, disk: disk.disk)
        spool.add(0..<1000)
        #expect(spool.failure?.message.contains("no space") == true)
        let remaining = spool.remaining()
        #expect(remaining == remaining.sorted() && Array(remaining.suffix(50)) == Array(950..<1000))
        #expect(spool.dropped == 1000 - remaining.count)
    }

    @Test("A partially written line is truncated")
    func partial() throws {
        for capacity in 1..<400 {
            let disk = SmallDisk(capacity: capacity)
            let directory = SpoolDirectory()
            do {
                let spool = try directory.spool(disk: disk.disk)
                spool.add(0..<10)
                disk.setCapacity(.max)
                spool.add(10..<11)
                #expect(spool.remaining() == Array(0..<11), "room for \(capacity)")
            }
            #expect(try directory.spool().remaining() == Array(0..<11), "room for \(capacity)")
        }
    }

    @Test("A line that cannot be truncated ends its file, and later lines go to another file")
    func torn() throws {
        for capacity in [0, 1, 40, 100, 300] {
            let small = SmallDisk(capacity: capacity, error: EIO)
            var disk = small.disk
            disk.truncate = { _, _ in -1 }
            let directory = SpoolDirectory()
            do {
                let spool = try directory.spool(disk: disk)
                spool.add(0..<5)
                small.setCapacity(.max)
                spool.add(5..<6)
                #expect(spool.remaining() == Array(0..<6), "room for \(capacity)")
                spool.rewind()
                #expect(spool.send(3) == [0, 1, 2])
                spool.close()
            }
            let spool = try directory.spool()
            #expect(spool.remaining() == [3, 4, 5], "room for \(capacity)")
        }
    }

    @Test("Records that the disk does not accept are dropped at the end and counted")
    func lostAtTheEnd() throws {
        let disk = SmallDisk(capacity: 300)
        let directory = SpoolDirectory()
        let spool = try directory.spool(disk: disk.disk)
        spool.add(0..<100)
        #expect(!spool.isAllOnDisk)
        spool.close()
        #expect(spool.count > 0 && spool.count + spool.dropped == 100)
        let next = try directory.spool()
        #expect(next.count == spool.count && next.isAllOnDisk)
    }

    @Test("The error clears when the disk accepts lines again and no record is pending")
    func recovers() throws {
        let disk = SmallDisk(capacity: 100)
        let directory = SpoolDirectory()
        let spool = try directory.spool(disk: disk.disk)
        spool.add(0..<100)
        #expect(spool.failure != nil)
        disk.setCapacity(.max)
        spool.add(100..<101)
        #expect(spool.failure != nil)
        #expect(spool.send(1000) == Array(0..<101))
        #expect(spool.failure == nil)
    }

    @Test("The error persists while the disk stays full, even if the broker takes every record")
    func staysFull() throws {
        let directory = SpoolDirectory()
        let spool = try directory.spool(disk: SmallDisk(capacity: 0).disk)
        for number in 0..<100 {
            spool.add(number..<(number + 1))
            #expect(spool.failure != nil)
            #expect(spool.send(1) == [number])
        }
        #expect(spool.failure != nil && spool.dropped == 0)
    }

    /// A file system that fills up after 192 KiB. Requires root and permission to mount.
    private final class TinyFileSystem {
        let path = NSTemporaryDirectory() + "tiny-\(UUID().uuidString)"

        init?() {
            guard geteuid() == 0, mkdir(path, 0o700) == 0 else { return nil }
            if !Self.run("mount", ["-t", "tmpfs", "-o", "size=192k,mode=700", "none", path]) { return nil }
        }

        deinit {
            _ = Self.run("umount", ["-l", path])
            rmdir(path)
        }

        static func run(_ program: String, _ arguments: [String]) -> Bool {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [program] + arguments
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }
    }

    private static let canMount = TinyFileSystem() != nil

    @Test(
        "On a real file system of 192 KiB the newest records are kept, and the next run reads them",
        .enabled(if: canMount, "a full disk is tried as root, where a tmpfs may be mounted"))
    func tiny() throws {
        let tiny = try #require(TinyFileSystem())
        let path = tiny.path + "/spool"
        do {
            let spool = try Spool(folder: path)
            spool.add(0..<20_000, size: 100)
            #expect(spool.failure?.message.contains("no space") == true)
            let remaining = spool.remaining()
            #expect(remaining == remaining.sorted() && remaining.last == 19_999 && remaining.count > 500)
            #expect(spool.dropped + remaining.count == 20_000)
        }
        // Records held only in memory are lost with the run. Records on disk are kept.
        let spool = try Spool(folder: path)
        let remaining = spool.remaining()
        #expect(remaining == remaining.sorted() && remaining.count > 500)
        withExtendedLifetime(tiny) {}
    }

    @Test(
        "A full file system gets the space of dropped files back while copies of their descriptors are open",
        .enabled(if: canMount, "a full disk is tried as root, where a tmpfs may be mounted"))
    func copiedDescriptors() throws {
        let tiny = try #require(TinyFileSystem())
        let spool = try Spool(folder: tiny.path + "/spool")
        var copies: [Int32] = []
        defer { for copy in copies { close(copy) } }
        for start in stride(from: 0, to: 20_000, by: 100) {
            spool.add(start..<(start + 100), size: 100)
            if let copy = spool.duplicateToSync() { copies.append(copy) }
        }
        let remaining = spool.remaining()
        #expect(copies.count > 10 && spool.isAllOnDisk)
        #expect(remaining == remaining.sorted() && remaining.last == 19_999 && remaining.count > 500)
        withExtendedLifetime(tiny) {}
    }
}
