// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization
import SystemCalls
import Testing

@testable import Trace

@Suite("Atomic replacement of files")
struct TraceReplacementTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func put(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file(name)))
    }

    private func text(_ name: String) throws -> String { String(decoding: try folder.bytes(name), as: UTF8.self) }

    private func write(_ text: String, _ output: TraceOutput) {
        #expect(throws: Never.self) { try output.write([UInt8](text.utf8)) }
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    @Test("The existing file stays until the new one is complete; its mode and a symbolic link to it are kept")
    func replaces() throws {
        try put("old", "a")
        #expect(chmod(folder.file("a"), 0o640) == 0)
        try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: folder.file("a"))
        for name in ["a", "link"] {
            let output = try TraceOutput(whole: folder.file(name), overwrite: true)
            write("new \(name)", output)
            #expect(try text("a") == (name == "a" ? "old" : "new a"))
            try output.close()
            #expect(try text("a") == "new \(name)")
        }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("link")) == folder.file("a"))
        var status = stat()
        #expect(stat(folder.file("a"), &status) == 0 && status.st_mode & 0o777 == 0o640)
        #expect(try names == ["a", "link"])
    }

    @Test("Another hard link to a replaced file keeps the old contents")
    func otherNames() throws {
        try put("keep", "a")
        #expect(link(folder.file("a"), folder.file("hard")) == 0)
        for isWhole in [true, false] {
            let path = folder.file("hard")
            let output =
                try isWhole
                ? TraceOutput(whole: path, overwrite: true) : TraceOutput(path: path, overwrite: true)
            write("new", output)
            try output.close()
            #expect(try text("hard") == "new")
            #expect(try text("a") == "keep")
            unlink(path)
            #expect(link(folder.file("a"), path) == 0)
        }
    }

    @Test("A descriptor of this process is written in place, and one opened for appending keeps the contents")
    func ownDescriptor() throws {
        try put("old ", "a")
        let appending = systemOpen(folder.file("a"), O_WRONLY | O_APPEND)
        let reading = systemOpen(folder.file("a"), O_RDONLY)
        defer {
            systemClose(appending)
            systemClose(reading)
        }
        for isWhole in [true, false] {
            let path = "/proc/self/fd/\(appending)"
            let output =
                try isWhole ? TraceOutput(whole: path, overwrite: true) : TraceOutput(path: path, overwrite: true)
            write("new ", output)
            try output.close()
            #expect(throws: DeviceError.self) { try TraceOutput(path: "/proc/self/fd/\(reading)", overwrite: true) }
        }
        #expect(try text("a") == "old new new ")
    }

    @Test("The lock of a descriptor that was already open is kept")
    func ownLock() throws {
        try put("old ", "a")
        let appending = systemOpen(folder.file("a"), O_WRONLY | O_APPEND)
        let other = systemOpen(folder.file("a"), O_RDONLY)
        defer {
            systemClose(appending)
            systemClose(other)
        }
        for isLocked in [true, false] {
            #expect(flock(appending, isLocked ? LOCK_EX | LOCK_NB : LOCK_UN) == 0)
            let output = try TraceOutput(path: "/proc/self/fd/\(appending)", overwrite: true)
            #expect(flock(other, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            write("new ", output)
            try output.close()
            #expect((flock(other, LOCK_EX | LOCK_NB) == 0) == !isLocked)
        }
        #expect(try text("a") == "old new new ")
    }

    @Test("The target of a dangling link is created completely or not at all")
    func danglingLink() throws {
        #expect(symlink("made", folder.file("own")) == 0)
        let given = try TraceOutput(whole: folder.file("own"), overwrite: true)
        write("half", given)
        given.abandon()
        #expect(try names == ["own"])
        let output = try TraceOutput(whole: folder.file("own"), overwrite: true)
        write("new", output)
        #expect(try names == ["own"])
        try output.close()
        #expect(try names == ["made", "own"])
        #expect(try text("made") == "new")
    }

    @Test("A cycle of symbolic links is an error that names the cause")
    func circle() throws {
        #expect(symlink("circle", folder.file("circle")) == 0)
        let error = #expect(throws: DeviceError.self) { try TraceOutput(whole: folder.file("circle"), overwrite: true) }
        #expect(error?.message.contains("a loop of links") == true)
    }

    @Test(
        "A link of another user is not followed, at any position in a chain of links",
        .enabled(if: geteuid() == 0, "only root makes links of others"))
    func foreignLinkBehindOwn() throws {
        try put("keep", "victim")
        #expect(symlink(folder.file("foreign"), folder.file("own")) == 0)
        #expect(symlink("victim", folder.file("foreign")) == 0)
        #expect(lchown(folder.file("foreign"), 65_534, 65_534) == 0)
        for name in ["own", "foreign"] {
            for isWhole in [true, false] {
                let path = folder.file(name)
                let error = #expect(throws: DeviceError.self) {
                    try isWhole ? TraceOutput(whole: path, overwrite: true) : TraceOutput(path: path, overwrite: true)
                }
                #expect(error?.message.contains("a link that another user created") == true)
            }
        }
        #expect(try text("victim") == "keep")
        // Two links of this user are followed, and a relative link is resolved in its own directory.
        #expect(lchown(folder.file("foreign"), 0, 0) == 0)
        for isWhole in [true, false] {
            let path = folder.file("own")
            let output =
                try isWhole ? TraceOutput(whole: path, overwrite: true) : TraceOutput(path: path, overwrite: true)
            write("new", output)
            try output.close()
            #expect(try text("victim") == "new")
            try put("keep", "victim")
        }
        #expect(try names == ["foreign", "own", "victim"])
    }

    @Test(
        "Exchanging a file for another user's link during opening never changes the link's target",
        .enabled(if: geteuid() == 0, "only root makes links of others"))
    func exchanged() throws {
        try put("keep", "victim")
        #expect(chmod(folder.file("victim"), 0o600) == 0)
        let (name, bait, trap) = (folder.file("a"), folder.file("bait"), folder.file("trap"))
        let exchange = Exchange()
        let target = folder.file("victim")
        try WorkerThread.start {
            while !exchange.isOver {
                // Replaces the file atomically, as an attacker would.
                close(systemOpen(bait, O_WRONLY | O_CREAT, 0o666))
                _ = chown(bait, 65_534, 65_534)
                rename(bait, name)
                symlink(target, trap)
                _ = lchown(trap, 65_534, 65_534)
                rename(trap, name)
            }
            exchange.ended.signal()
        }
        for count in 0..<300 {
            let output =
                try? count % 2 == 0
                ? TraceOutput(whole: name, overwrite: true) : TraceOutput(path: name, overwrite: true)
            try? output?.write([UInt8]("new".utf8))
            try? output?.close()
        }
        exchange.end()
        var status = stat()
        #expect(stat(folder.file("victim"), &status) == 0 && status.st_uid == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try text("victim") == "keep")
    }

    @Test("A new file is private unless a mode is given, and a replaced file keeps its mode")
    func modes() throws {
        func mode(_ name: String) -> mode_t {
            var status = stat()
            return stat(folder.file(name), &status) == 0 ? status.st_mode & 0o7777 : 0
        }
        try TraceOutput(path: folder.file("a"), overwrite: false).close()
        try TraceOutput(whole: folder.file("b"), overwrite: false).close()
        try TraceOutput(path: folder.file("c"), overwrite: false, mode: 0o664).close()
        try TraceOutput(whole: folder.file("d"), overwrite: false, mode: 0o664).close()
        #expect(["a", "b", "c", "d"].map(mode) == [0o600, 0o600, 0o664, 0o664])
        try TraceOutput(path: folder.file("c"), overwrite: true).close()
        try TraceOutput(whole: folder.file("d"), overwrite: true).close()
        #expect(["c", "d"].map(mode) == [0o664, 0o664])
        try TraceOutput(path: folder.file("c"), overwrite: true, mode: 0o600).close()
        try TraceOutput(whole: folder.file("d"), overwrite: true, mode: 0o600).close()
        #expect(["c", "d"].map(mode) == [0o600, 0o600])
    }

    @Test("An abandoned file is not created, and the existing file stays unchanged")
    func discards() throws {
        try put("old", "a")
        for (name, overwrite) in [("a", true), ("b", true), ("c", false)] {
            let output = try TraceOutput(whole: folder.file(name), overwrite: overwrite)
            write("new", output)
            output.abandon()
        }
        #expect(try text("a") == "old")
        #expect(try names == ["a"])
        #expect(throws: DeviceError.self) { try TraceOutput(whole: folder.file("a"), overwrite: false) }
        #expect(try text("a") == "old")
    }

    @Test("A file whose name has the maximum length is replaced atomically")
    func longName() throws {
        // The maximum length of a name in bytes (NAME_MAX).
        let name = String(repeating: "a", count: 255)
        try put("old", name)
        let unfinished = try TraceOutput(whole: folder.file(name), overwrite: true)
        write("new", unfinished)
        unfinished.abandon()
        #expect(try text(name) == "old")
        let output = try TraceOutput(whole: folder.file(name), overwrite: true)
        write("new", output)
        #expect(try text(name) == "old")
        try output.close()
        #expect(try text(name) == "new")
        #expect(try names == [name])
    }

    @Test("If no temporary file can be created, the existing file is not overwritten")
    func readOnlyFolder() throws {
        try put("old", "a")
        var status = stat()
        #expect(stat(folder.file("a"), &status) == 0)
        // A directory at the path of the temporary file.
        let obstacle = folder.file(".\(getpid())-\(status.st_ino).part")
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        #expect(throws: DeviceError.self) {
            let output = try TraceOutput(whole: folder.file("a"), overwrite: true)
            write("new", output)
            try output.close()
        }
        #expect(try text("a") == "old")
    }

    @Test("An incomplete file has no name, so that nothing remains if the process ends")
    func nameless() throws {
        try put("old", "a")
        let outputs = try ["a", "b"].map { try TraceOutput(whole: folder.file($0), overwrite: true) }
        for output in outputs { write("new", output) }
        #expect(try names == ["a"] && text("a") == "old")
        for output in outputs { try output.close() }
        #expect(try names == ["a", "b"])
        #expect(try text("a") == "new" && text("b") == "new")
        var status = stat()
        #expect(stat(folder.file("b"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("If two writers create the same new file, the second one fails and the first file stays")
    func twice() throws {
        let outputs = try (0..<2).map { _ in try TraceOutput(whole: folder.file("a"), overwrite: false) }
        for (index, output) in outputs.enumerated() { write("\(index)", output) }
        try outputs[0].close()
        let error = #expect(throws: DeviceError.self) { try outputs[1].close() }
        #expect(error?.message.contains("already exists") == true)
        #expect(try text("a") == "0" && names == ["a"])
    }

    @Test("If two writers may overwrite a file, the last one to close replaces it")
    func lastOne() throws {
        let outputs = try (0..<2).map { _ in try TraceOutput(whole: folder.file("a"), overwrite: true) }
        for (index, output) in outputs.enumerated() { write("\(index)", output) }
        for output in outputs { try output.close() }
        #expect(try text("a") == "1" && names == ["a"])
    }

    @Test("A file that another writer writes in place can be neither truncated nor written")
    func busy() throws {
        let output = try TraceOutput(path: folder.file("a"), overwrite: false)
        write("first", output)
        let error = #expect(throws: DeviceError.self) { try TraceOutput(path: folder.file("a"), overwrite: true) }
        #expect(error?.code == .busy)
        try output.close()
        #expect(try text("a") == "first")
        try TraceOutput(path: folder.file("a"), overwrite: true).close()
        #expect(try text("a") == "")
    }

    @Test("A write to a full pipe without a reader fails, and a later reader receives all written bytes")
    func pipe() throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let output = TraceOutput(pipe: descriptor, name: "a pipe") { false }
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        let failure = #expect(throws: DeviceError.self) { try output.write(bytes) }
        #expect(failure?.cause == .system(call: "write", errno: EPIPE))
        // The bytes that fit were written: 64 KiB, or less if the kernel limits pipes.
        let read = pipe.fileHandleForReading.availableData
        #expect(read.count > 0 && read.allSatisfy { $0 == 7 })
        write("more", output)
        try pipe.fileHandleForWriting.close()
        #expect(pipe.fileHandleForReading.readDataToEndOfFile().suffix(4) == Data("more".utf8))
    }

    @Test("Signals do not end the wait for a pipe's reader")
    func interrupted() throws {
        // With SA_RESTART, the signal does not interrupt a write to a full pipe.
        var (action, former) = (sigaction(), sigaction())
        action.__sigaction_handler.sa_handler = { _ in }
        action.sa_flags = SA_RESTART
        try #require(sigaction(SIGURG, &action, &former) == 0)
        defer { sigaction(SIGURG, &former, nil) }
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let page = [UInt8](repeating: 7, count: 4096)
        while Glibc.write(descriptor, page, page.count) > 0 {}
        _ = fcntl(descriptor, F_SETFL, 0)

        let callCount = Atomic(0)
        let writer = Mutex<pthread_t?>(nil)
        let failure = Mutex<DeviceError?>(nil)
        let (started, ended) = (BinarySemaphore(), BinarySemaphore())
        Thread.detachNewThread {
            // Dispatch's threads and those created by them block signals.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGURG)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            writer.withLock { $0 = pthread_self() }
            started.signal()
            let output = TraceOutput(pipe: descriptor, name: "a pipe") {
                callCount.add(1, ordering: .relaxed).newValue < 20
            }
            do throws(DeviceError) {
                try output.write([1, 2, 3])
            } catch {
                failure.withLock { $0 = error }
            }
            // From here on no signal may be sent to this thread.
            writer.withLock { $0 = nil }
            ended.signal()
        }
        #expect(started.wait(seconds: 60))
        // Sends signals until the writer has ended, for at most 30 s.
        let clock = LiveClock()
        let start = clock.now
        while writer.withLock({ writer in
            if let writer { pthread_kill(writer, SIGURG) }
            return writer != nil
        }), clock.now.seconds(since: start) < 30 { sched_yield() }
        #expect(failure.withLock { $0?.cause } == .system(call: "write", errno: EPIPE))
        #expect(callCount.load(ordering: .relaxed) == 20)
        // Unblocks a writer that still waits.
        _ = pipe.fileHandleForReading.availableData
        #expect(ended.wait(seconds: 60))
        withExtendedLifetime(pipe) {}
    }

    @Test("A trace that is never closed leaves the existing file unchanged")
    func writer() throws {
        try put("old", "a")
        func leave() throws {
            let writer = try TraceWriter(whole: folder.file("a"), overwrite: true)
            try writer.write(TraceHeader())
        }
        try leave()
        #expect(try text("a") == "old")
        let writer = try TraceWriter(whole: folder.file("a"), overwrite: true)
        try writer.write(TraceHeader())
        try writer.close()
        #expect(try text("a").hasPrefix(#"{"format":"device-services-trace""#))
        #expect(try names == ["a"])
    }

    @Test("A device is written directly")
    func device() throws {
        let output = try TraceOutput(whole: "/dev/null", overwrite: true)
        write("new", output)
        try output.close()
    }
}

/// Stops a thread that exchanges files.
private final class Exchange: Sendable {
    private let state = Mutex(false)
    let ended = BinarySemaphore()

    var isOver: Bool { state.withLock { $0 } }

    func end() {
        state.withLock { $0 = true }
        ended.wait(seconds: 60)
    }
}
