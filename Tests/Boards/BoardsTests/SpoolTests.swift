// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import MQTTPublisher

@Suite("MQTT spool")
struct SpoolTests {
    @Test("Records are read once and in order until the spool is rewound", arguments: [true, false])
    func order(onDisk: Bool) throws {
        let directory = SpoolDirectory()
        let spool = try onDisk ? directory.spool() : Spool(folder: nil)
        spool.add(0..<5)
        #expect(spool.remaining() == [0, 1, 2, 3, 4])
        spool.add(5..<7)
        #expect(spool.remaining() == [5, 6])
        spool.rewind()
        #expect(spool.remaining() == Array(0..<7))
        #expect(spool.count == 7 && spool.dropped == 0)
    }

    @Test("Acknowledged records are gone, even after rewinding", arguments: [true, false])
    func acknowledges(onDisk: Bool) throws {
        let directory = SpoolDirectory()
        let spool = try onDisk ? directory.spool() : Spool(folder: nil)
        spool.add(0..<50)
        #expect(spool.send(20) == Array(0..<20))
        #expect(spool.count == 30)
        spool.rewind()
        #expect(spool.remaining() == Array(20..<50))
    }

    @Test("The spool stays empty while the broker takes every record")
    func empties() throws {
        let directory = SpoolDirectory()
        let spool = try directory.spool()
        for number in 0..<100 {
            spool.add(number..<(number + 1))
            #expect(spool.send(1) == [number])
            #expect(spool.bytesOnDisk == 0)
        }
        #expect(directory.files.allSatisfy { $0.bytes.isEmpty })
        spool.close()
        #expect(directory.files.isEmpty)
    }

    @Test("The next run sends pending records but no acknowledged ones")
    func nextRun() throws {
        let directory = SpoolDirectory()
        do {
            let spool = try directory.spool()
            spool.add(0..<1000, size: 200)
            #expect(spool.send(333) == Array(0..<333))
            spool.close()
        }
        let spool = try directory.spool()
        #expect(spool.count == 667)
        spool.add(1000..<1010)
        #expect(spool.remaining() == Array(333..<1010))
    }

    @Test("A killed run leaves its pending records, and at most 16 acknowledged ones are sent again")
    func killed() throws {
        for acknowledged in [0, 1, 15, 16, 17, 100, 500] {
            let directory = SpoolDirectory()
            var killed: Spool? = try directory.spool()
            killed?.add(0..<501, size: 300)
            _ = killed?.send(acknowledged)
            // Releases the spool without closing it, which also releases the lock.
            killed = nil
            let spool = try directory.spool()
            let remaining = spool.remaining()
            #expect(remaining == Array((501 - remaining.count)..<501), "\(acknowledged)")
            #expect(
                remaining.count >= 501 - acknowledged && remaining.count <= 501 - acknowledged + 16, "\(acknowledged)")
        }
    }

    @Test("After truncation at any byte, complete lines are kept in order")
    func truncatedAnywhere() throws {
        let directory = SpoolDirectory()
        do {
            let spool = try directory.spool()
            spool.add(0..<20)
            _ = spool.send(17)
            // 16 of the 17 acknowledgements are on disk.
        }
        let file = try #require(directory.files.first)
        #expect(directory.files.count == 1)
        for length in 0...file.bytes.count {
            let truncated = SpoolDirectory()
            try FileManager.default.createDirectory(
                atPath: truncated.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let bytes = Data(file.bytes.prefix(length))
            try #require(FileManager.default.createFile(atPath: "\(truncated.path)/\(file.name)", contents: bytes))
            let spool = try truncated.spool()
            // A line is complete with its last digit. The newline may be missing.
            let lines = file.bytes.prefix(length).split(separator: 0x0A, omittingEmptySubsequences: true)
            let hasAcknowledgement = lines.contains { $0.count == 21 && $0.suffix(2).elementsEqual(" A".utf8) }
            let whole = lines.filter { line in Array(line).withUnsafeBytes { SpoolLine($0) } != nil }.count
            let expected = hasAcknowledgement ? Array(16..<20) : Array(0..<min(whole, 20))
            spool.add(100..<101)
            #expect(spool.remaining() == expected + [100], "cut at \(length)")
        }
    }

    @Test("Corrupted bytes cost only the lines that contain them")
    func damaged() throws {
        var generator = TestRandom()
        for _ in 0..<Thoroughness.rounds(1000, quick: 50) {
            let directory = SpoolDirectory()
            do {
                let spool = try directory.spool()
                spool.add(0..<100)
            }
            let file = try #require(directory.files.first)
            var bytes = file.bytes
            let offsets = (0..<3).map { _ in Int.random(in: bytes.indices, using: &generator) }
            for offset in offsets { bytes[offset] = UInt8.random(in: 0...255, using: &generator) }
            try Data(bytes).write(to: URL(fileURLWithPath: "\(directory.path)/\(file.name)"))
            let remaining = try directory.spool().remaining()
            #expect(remaining == remaining.sorted() && Set(remaining).count == remaining.count)
            // A missing newline costs two lines.
            #expect(remaining.count >= 100 - 6 && Set(remaining).isSubset(of: 0..<100))
        }
    }

    @Test("Beyond the limits of records, bytes or memory the oldest records are dropped")
    func limits() throws {
        var limits = SpoolLimits()
        (limits.records, limits.fileBytes) = (1000, 4096)
        let directory = SpoolDirectory()
        let spool = try directory.spool(limits)
        spool.add(0..<5000)
        var remaining = spool.remaining()
        #expect(remaining.count <= 1000 && remaining.count > 800 && remaining.last == 4999)
        #expect(remaining == Array((5000 - remaining.count)..<5000))
        #expect(spool.dropped == 5000 - remaining.count)

        var bytes = SpoolLimits()
        (bytes.bytes, bytes.fileBytes) = (100_000, 4096)
        let narrow = SpoolDirectory()
        let second = try narrow.spool(bytes)
        second.add(0..<2000, size: 500)
        #expect(second.bytesOnDisk <= 100_000 && second.bytesOnDisk > 90_000)
        let onDisk = narrow.files.reduce(0) { $0 + $1.bytes.count }
        #expect(onDisk == second.bytesOnDisk)
        remaining = second.remaining()
        #expect(remaining == Array((2000 - remaining.count)..<2000))

        var few = SpoolLimits()
        few.memoryRecords = 100
        let memory = try Spool(folder: nil, limits: few)
        memory.add(0..<1000)
        #expect(memory.remaining() == Array(900..<1000))
        #expect(memory.dropped == 900)
    }

    @Test("100,000 records take at most 16 MB and are all read after reopening")
    func full() throws {
        let directory = SpoolDirectory()
        do {
            let spool = try directory.spool()
            spool.add(0..<100_500, size: 40)
            #expect(spool.count <= 100_000 && spool.count > 99_000)
        }
        let spool = try directory.spool()
        #expect(spool.count <= 100_000 && spool.count > 99_000)
        #expect(spool.bytesOnDisk <= 16 << 20)
        #expect(spool.send(200_000).last == 100_499)
        #expect(spool.count == 0)
    }

    @Test("Files of this run are still read after their names were removed")
    func unlinked() throws {
        let directory = SpoolDirectory()
        let spool = try directory.spool()
        spool.add(0..<500, size: 200)
        for file in directory.files { try FileManager.default.removeItem(atPath: "\(directory.path)/\(file.name)") }
        #expect(spool.remaining() == Array(0..<500))
        #expect(spool.failure == nil && spool.dropped == 0)
    }

    @Test("Records in a missing file are counted as dropped, and EMFILE loses no record")
    func unreadable() throws {
        let directory = SpoolDirectory()
        var limits = SpoolLimits()
        limits.fileBytes = 1000
        do {
            let spool = try directory.spool(limits)
            spool.add(0..<100)
            spool.close()
        }
        let isOutOfDescriptors = Atomic(true)
        let disk = SpoolFileSystem(open: { path in
            guard !isOutOfDescriptors.load(ordering: .relaxed) else {
                errno = EMFILE
                return -1
            }
            return systemOpen(path, O_RDONLY | O_CLOEXEC)
        })
        let spool = try directory.spool(limits, disk: disk)
        #expect(spool.next() == nil && spool.failure != nil && spool.count == 100 && spool.dropped == 0)
        isOutOfDescriptors.store(false, ordering: .relaxed)
        #expect(spool.remaining() == Array(0..<100))
        spool.rewind()
        let first = try #require(directory.files.first)
        let count = first.bytes.count { $0 == UInt8(ascii: "\n") }
        try FileManager.default.removeItem(atPath: "\(directory.path)/\(first.name)")
        #expect(spool.remaining() == Array(count..<100))
        #expect(spool.dropped == count && spool.count == 100 - count && count > 0)
    }

    @Test("Acknowledgements for a file of an earlier run are stored even if nothing is appended")
    func acknowledgedInFormerRun() throws {
        let directory = SpoolDirectory()
        do {
            let spool = try directory.spool()
            spool.add(0..<50)
            spool.close()
        }
        do {
            let spool = try directory.spool()
            #expect(spool.send(20) == Array(0..<20))
            spool.close()
        }
        // Killed twice.
        for acknowledged in [0, 17] {
            let spool = try directory.spool()
            #expect(spool.count == 30 && spool.send(acknowledged) == Array(20..<(20 + acknowledged)))
        }
        let spool = try directory.spool()
        #expect(spool.remaining() == Array(36..<50))
        spool.add(50..<60)
        spool.rewind()
        #expect(spool.send(100) == Array(36..<60) && spool.count == 0)
        spool.close()
        #expect(directory.files.isEmpty)
    }

    @Test("Beyond the file limit the newest files are kept, and the dropped records are counted")
    func manyFiles() throws {
        let directory = SpoolDirectory()
        mkdir(directory.path, 0o700)
        let count = SpoolFolder.fileLimit + 10
        for number in 1...UInt64(count) {
            let record = SpoolRecord(number: number, kind: .position, topic: "t", payload: Array("\(number)".utf8))
            try Data(SpoolLine.record(record).bytes).write(
                to: URL(fileURLWithPath: "\(directory.path)/\(SpoolFile.name(number))"))
        }
        let spool = try directory.spool()
        #expect(spool.dropped == 10)
        #expect(spool.remaining() == Array(11...count))
        #expect(directory.files.count == SpoolFolder.fileLimit)
    }

    @Test("Overlong messages and messages of two lines are rejected")
    func refuses() throws {
        let spool = try Spool(folder: nil)
        #expect(!spool.append(.position, topic: "t", payload: [UInt8](repeating: 0x61, count: 70_000)))
        #expect(!spool.append(.position, topic: "t", payload: Array("a\nb".utf8)))
        #expect(spool.append(.position, topic: "t", payload: []))
        #expect(spool.count == 1)
    }

    @Test("A spool folder is private, used by one publisher at a time and not a symbolic link")
    func folder() throws {
        let directory = SpoolDirectory()
        let first = try directory.spool()
        let busy = #expect(throws: DeviceError.self) { try directory.spool() }
        #expect(busy?.code == .busy)
        withExtendedLifetime(first) {}

        let open = SpoolDirectory()
        try FileManager.default.createDirectory(atPath: open.path, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: open.path)
        #expect(#expect(throws: DeviceError.self) { try open.spool() }?.code == .permissionDenied)

        let link = SpoolDirectory()
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: directory.path)
        #expect(#expect(throws: DeviceError.self) { try link.spool() }?.code == .inputOutput)
        let missing = #expect(throws: DeviceError.self) { try Spool(folder: "/nowhere/spool") }
        #expect(missing?.code == .notFound)
    }
}
