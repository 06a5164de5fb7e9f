// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization
import SystemCalls
import Testing

@testable import Trace

@Suite("Files that are there as a whole or not at all")
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

    @Test("The former file stays until the new one is whole, with its mode, and a link stays a link")
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

    @Test("A file that has another name too stays as it is under that")
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

    @Test("What is open here is written where it stands: a file that is added to keeps what it had")
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

    @Test("The lock of a file that was open already stays with whose it is")
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

    @Test("A link to a file that is not there yet has it made as a whole or not at all")
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

    @Test("Links that lead in a circle are told of as that")
    func circle() throws {
        #expect(symlink("circle", folder.file("circle")) == 0)
        let error = #expect(throws: DeviceError.self) { try TraceOutput(whole: folder.file("circle"), overwrite: true) }
        #expect(error?.message.contains("leads in a circle") == true)
    }

    @Test(
        "A link of another user is not followed, wherever it stands in a row of links",
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
                #expect(error?.message.contains("a link that another user has made") == true)
            }
        }
        #expect(try text("victim") == "keep")
        // Two of one's own are, and a relative one counts from its own folder.
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
        "A name that changes between a file and the link of another user never costs what the link leads to",
        .enabled(if: geteuid() == 0, "only root makes links of others"))
    func exchanged() throws {
        try put("keep", "victim")
        #expect(chmod(folder.file("victim"), 0o600) == 0)
        let (name, bait, trap) = (folder.file("a"), folder.file("bait"), folder.file("trap"))
        let exchange = Exchange()
        let victim = folder.file("victim")
        try WorkerThread.start {
            while !exchange.isOver {
                // Each comes in one step, as an attacker's exchange would.
                close(systemOpen(bait, O_WRONLY | O_CREAT, 0o666))
                _ = chown(bait, 65_534, 65_534)
                rename(bait, name)
                symlink(victim, trap)
                _ = lchown(trap, 65_534, 65_534)
                rename(trap, name)
            }
            exchange.ended.ring()
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

    @Test("A new file is for its owner alone, unless a mode says otherwise; a former one keeps its own")
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

    @Test("What is not closed is not there, and the former file is as it was")
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

    @Test("A file is replaced as a whole however long its name is")
    func longName() throws {
        // As long as names may be.
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

    @Test("Where nothing can be written beside the former file it is not written over either")
    func noPlaceBeside() throws {
        try put("old", "a")
        var status = stat()
        #expect(stat(folder.file("a"), &status) == 0)
        // What stands where the new file would be made.
        let inTheWay = folder.file(".\(getpid())-\(status.st_ino).part")
        try FileManager.default.createDirectory(atPath: inTheWay, withIntermediateDirectories: false)
        #expect(throws: DeviceError.self) {
            let output = try TraceOutput(whole: folder.file("a"), overwrite: true)
            write("new", output)
            try output.close()
        }
        #expect(try text("a") == "old")
    }

    @Test("Whatever ends the program, nothing is left of a file that was not whole")
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

    @Test("Of two that make the same new file the second fails, and leaves the first one's")
    func twice() throws {
        let outputs = try (0..<2).map { _ in try TraceOutput(whole: folder.file("a"), overwrite: false) }
        for (index, output) in outputs.enumerated() { write("\(index)", output) }
        try outputs[0].close()
        let error = #expect(throws: DeviceError.self) { try outputs[1].close() }
        #expect(error?.message.contains("exists already") == true)
        #expect(try text("a") == "0" && names == ["a"])
    }

    @Test("Of two that may replace what is there the last one stays, also where nothing was there at first")
    func lastOne() throws {
        let outputs = try (0..<2).map { _ in try TraceOutput(whole: folder.file("a"), overwrite: true) }
        for (index, output) in outputs.enumerated() { write("\(index)", output) }
        for output in outputs { try output.close() }
        #expect(try text("a") == "1" && names == ["a"])
    }

    @Test("What one writes as it comes another one neither empties nor writes to")
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

    @Test("A pipe that nobody reads is given up when patience ends, and one that somebody reads gets all")
    func pipe() throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let output = TraceOutput(pipe: descriptor, name: "a pipe") { false }
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        let failure = #expect(throws: DeviceError.self) { try output.write(bytes) }
        #expect(failure?.cause == .system(call: "write", errno: EPIPE))
        // What fits was written: 64 KiB, unless the system gives pipes less.
        let read = pipe.fileHandleForReading.availableData
        #expect(read.count > 0 && read.allSatisfy { $0 == 7 })
        write("more", output)
        try pipe.fileHandleForWriting.close()
        #expect(pipe.fileHandleForReading.readDataToEndOfFile().suffix(4) == Data("more".utf8))
    }

    @Test("A signal is no reader of a pipe: the wait for one goes on, and ends with patience")
    func interrupted() throws {
        // Restarted by the system: a write to a full pipe would not end with the signal.
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

        let asked = Atomic(0)
        let writer = Mutex<pthread_t?>(nil)
        let failure = Mutex<DeviceError?>(nil)
        let (started, ended) = (Bell(), Bell())
        Thread.detachNewThread {
            // Dispatch's threads, and those that they make, take no signals.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGURG)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            writer.withLock { $0 = pthread_self() }
            started.ring()
            let output = TraceOutput(pipe: descriptor, name: "a pipe") {
                asked.add(1, ordering: .relaxed).newValue < 20
            }
            do throws(DeviceError) {
                try output.write([1, 2, 3])
            } catch {
                failure.withLock { $0 = error }
            }
            // From here on no signal may be sent to this thread.
            writer.withLock { $0 = nil }
            ended.ring()
        }
        #expect(started.wait(seconds: 60))
        // Signals until it has ended, or for half a minute.
        let clock = LiveClock()
        let start = clock.now
        while writer.withLock({ writer in
            if let writer { pthread_kill(writer, SIGURG) }
            return writer != nil
        }), clock.now.seconds(since: start) < 30 { sched_yield() }
        #expect(failure.withLock { $0?.cause } == .system(call: "write", errno: EPIPE))
        #expect(asked.load(ordering: .relaxed) == 20)
        // Lets go a writer that is stuck.
        _ = pipe.fileHandleForReading.availableData
        #expect(ended.wait(seconds: 60))
        withExtendedLifetime(pipe) {}
    }

    @Test("A trace that nobody closes leaves the former one")
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

    @Test("A device is written to at once")
    func device() throws {
        let output = try TraceOutput(whole: "/dev/null", overwrite: true)
        write("new", output)
        try output.close()
    }
}

/// Ends a thread that exchanges files.
private final class Exchange: Sendable {
    private let state = Mutex(false)
    let ended = Bell()

    var isOver: Bool { state.withLock { $0 } }

    func end() {
        state.withLock { $0 = true }
        ended.wait(seconds: 60)
    }
}
