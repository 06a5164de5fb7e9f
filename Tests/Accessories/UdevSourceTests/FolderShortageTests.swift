// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization
import SystemCalls
import Testing

@testable import UdevSource

@Suite("Directories that cannot be watched")
struct FolderShortageTests {
    /// Makes inotify calls fail with this error, or succeed if it is 0.
    private final class Limit: Sendable {
        let error = Atomic<Int32>(0)

        init(_ error: Int32) { self.error.store(error, ordering: .relaxed) }

        /// Makes the creation of instances fail.
        var begin: Inotify {
            Inotify(begin: { [self] in
                let number = error.load(ordering: .relaxed)
                if number == 0 { return inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC)) }
                errno = number
                return -1
            })
        }

        /// Makes watches on paths with this suffix fail.
        func add(_ ending: String = "") -> Inotify {
            Inotify(add: { [self] descriptor, path, events in
                let number = error.load(ordering: .relaxed)
                guard number != 0, path.hasSuffix(ending) else { return inotify_add_watch(descriptor, path, events) }
                errno = number
                return -1
            })
        }
    }

    private static func identities(_ test: TestSource) -> [String] { test.source.accessories.map(\.identity) }

    @Test(
        "Without inotify resources, directories are scanned every few seconds and one problem is reported",
        arguments: [(ENOSPC, "max_user_watches"), (EMFILE, "max_user_instances"), (ENFILE, "ulimit -n"), (ENOMEM, "")])
    func shortage(number: Int32, advice: String) throws {
        let folder = try Folder()
        try folder.put("a.json", Folder.accessory("A"))
        let limit = Limit(number)
        let test = TestSource(inotify: number == ENOSPC ? limit.add() : limit.begin) { configuration in
            configuration.accessoryDirectories.value = [folder.path]
        }
        #expect(Self.identities(test) == ["port:A"])
        for _ in 0..<3 {
            #expect(test.source.problems.map(\.code) == [.busy])
            #expect(advice.isEmpty || test.source.problems.first?.message.contains(advice) == true)
            try folder.put("b.json", Folder.accessory("B"))
            test.advance(UdevSource.folderScanInterval)
            #expect(Self.identities(test) == ["port:A", "port:B"])
            try folder.remove("b.json")
            test.advance(UdevSource.folderScanInterval)
            #expect(Self.identities(test) == ["port:A"])
        }
        limit.error.store(0, ordering: .relaxed)
        test.advance(UdevSource.folderScanInterval)
        #expect(test.source.problems.isEmpty)
        #expect(test.clock.nextDeadline == nil)
    }

    @Test("A failed watch on a directory created later is reported, and is added once resources are available")
    func later() throws {
        let parent = try Folder()
        let limit = Limit(ENOSPC)
        let watcher = try FolderWatcher([parent.path + "/in"], inotify: limit.add("/in"))
        #expect(watcher.problem == nil)
        try FileManager.default.createDirectory(atPath: parent.path + "/in", withIntermediateDirectories: false)
        watcher.updateWatches()
        #expect(watcher.problem?.message.contains("fs.inotify.max_user_watches") == true)
        limit.error.store(0, ordering: .relaxed)
        watcher.updateWatches()
        #expect(watcher.problem == nil)
    }

    @Test("A directory without read permission is not a shortage of resources")
    func forbidden() throws {
        let folder = try Folder()
        let watcher = try FolderWatcher([folder.path], inotify: Limit(EACCES).add())
        #expect(watcher.problem == nil)
    }
}
