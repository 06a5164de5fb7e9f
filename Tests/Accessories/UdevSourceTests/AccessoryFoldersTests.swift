// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Foundation
import TestSupport
import Testing

@testable import UdevSource

@Suite("Directories of declared accessories")
struct AccessoryFoldersTests {
    private static func time(_ seconds: Double) -> BootTime { BootTime.zero.advanced(bySeconds: seconds) }

    /// Returns directories whose files were last changed `age` seconds ago.
    private static func folders(_ paths: [String], _ settleTime: Double, age: Double = 0) -> AccessoryFolders {
        AccessoryFolders(paths, settleTime: settleTime) { _ in age }
    }

    /// Returns the changes found by a scan, as text.
    private static func scan(_ folders: inout AccessoryFolders, at seconds: Double = 0) -> [String] {
        folders.scan(now: time(seconds)).changes.map { change in
            switch change {
            case .attach(_, let accessory): "attach \(accessory.name)"
            case .detach(let path): "detach \(path.split(separator: "/").last ?? "")"
            case .problems(let path, let errors): "problems \(path.split(separator: "/").last ?? "") \(errors.count)"
            }
        }
    }

    @Test("A file is an accessory while it exists, and a replaced file is a new accessory")
    func lifecycle() throws {
        let folder = try Folder()
        var folders = Self.folders([folder.path], 0.1)
        #expect(Self.scan(&folders).isEmpty)
        try folder.put("b.json", Folder.accessory("B"))
        try folder.put("a.json", Folder.accessory("A"))
        try folder.put("c.txt", Folder.accessory("C"))
        try folder.put(".d.json", Folder.accessory("D"))
        #expect(Self.scan(&folders) == ["attach A", "attach B"])
        #expect(Self.scan(&folders).isEmpty)
        try folder.put("a.json", Folder.accessory("A"))
        #expect(Self.scan(&folders) == ["detach a.json", "attach A"])
        try folder.write("b.json", Folder.accessory("B2"))
        #expect(Self.scan(&folders) == ["detach b.json", "attach B2"])
        try folder.remove("b.json")
        #expect(Self.scan(&folders) == ["detach b.json"])
    }

    @Test("Each version of a file that is replaced repeatedly is attached at most once")
    func replacedWhileRead() throws {
        let folder = try Folder()
        try folder.put("a.json", Folder.accessory("0"))
        let last = Thoroughness.rounds(20_000, quick: 5_000)
        let thread = Thread {
            for number in 1...last { try? folder.put("a.json", Folder.accessory("\(number)")) }
        }
        thread.start()
        var folders = Self.folders([folder.path], 0.1)
        var names: [String] = []
        var isFinished = false
        while !isFinished {
            // Determined first, so that the last scan finds the last version.
            isFinished = thread.isFinished
            names += Self.scan(&folders).filter { $0.hasPrefix("attach") }
        }
        #expect(names.last == "attach \(last)")
        #expect(Set(names).count == names.count)
    }

    @Test("Rewriting a file in place with the same content changes nothing")
    func same() throws {
        let folder = try Folder()
        var folders = Self.folders([folder.path], 0.1)
        try folder.write("a.json", Folder.accessory("A"))
        #expect(Self.scan(&folders) == ["attach A"])
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path + "/a.json"))
        try handle.write(contentsOf: Data(Folder.accessory("A").utf8))
        try handle.close()
        #expect(Self.scan(&folders).isEmpty)
    }

    @Test("A partially written file is reported only if it stays invalid for the settle time")
    func halfWritten() throws {
        let folder = try Folder()
        var folders = Self.folders([folder.path], 0.1)
        try folder.write("a.json", String(Folder.accessory("A").prefix(20)))
        #expect(Self.scan(&folders, at: 0).isEmpty)
        #expect(folders.scan(now: Self.time(0.05)).nextScan == Self.time(0.1))
        try folder.write("a.json", Folder.accessory("A"))
        #expect(Self.scan(&folders, at: 0.06) == ["attach A"])
        try folder.write("b.json", "{")
        #expect(Self.scan(&folders, at: 1).isEmpty)
        #expect(Self.scan(&folders, at: 1.11) == ["problems b.json 1"])
        #expect(Self.scan(&folders, at: 5).isEmpty)
        #expect(folders.scan(now: Self.time(6)).nextScan == nil)
        try folder.write("b.json", Folder.accessory("B"))
        #expect(Self.scan(&folders, at: 7) == ["attach B", "problems b.json 0"])
    }

    @Test("A file that becomes invalid in another way is reported again")
    func otherProblem() throws {
        let folder = try Folder()
        var folders = Self.folders([folder.path], 0.1)
        try folder.put("a.json", "{")
        #expect(Self.scan(&folders, at: 0).isEmpty)
        #expect(Self.scan(&folders, at: 0.2) == ["problems a.json 1"])
        try folder.put("a.json", #"{"name":5}"#)
        #expect(Self.scan(&folders, at: 1).isEmpty)
        #expect(Self.scan(&folders, at: 1.2) == ["problems a.json 1"])
        #expect(Self.scan(&folders, at: 2).isEmpty)
    }

    @Test("A file that becomes invalid keeps its accessory for the settle time")
    func becomesInvalid() throws {
        let folder = try Folder()
        var folders = Self.folders([folder.path], 0.1)
        try folder.put("a.json", Folder.accessory("A"))
        #expect(Self.scan(&folders, at: 0) == ["attach A"])
        try folder.write("a.json", "")
        #expect(Self.scan(&folders, at: 1).isEmpty)
        #expect(Self.scan(&folders, at: 1.2) == ["detach a.json", "problems a.json 1"])
        try folder.remove("a.json")
        #expect(Self.scan(&folders, at: 2) == ["problems a.json 0"])
    }

    @Test("A file that has been invalid for longer than the settle time is reported by the first scan")
    func brokenBefore() throws {
        let folder = try Folder()
        try folder.write("a.json", "{")
        var folders = Self.folders([folder.path], 0.1, age: 0.2)
        #expect(Self.scan(&folders) == ["problems a.json 1"])
        #expect(folders.scan(now: Self.time(1)).nextScan == nil)
        folders = Self.folders([folder.path], 0.5, age: 0.2)
        let first = folders.scan(now: Self.time(1))
        #expect(first.changes.isEmpty)
        #expect(first.nextScan == Self.time(1.3))
    }

    @Test("The age of a file is measured from the later of its modification and change times")
    func age() throws {
        let folder = try Folder()
        try folder.write("a.json", "{")
        let path = folder.path + "/a.json"
        // The modification time is set back, whereas the change time is now.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: path)
        guard case .file(let stamp) = FileStamp.status(of: path) else {
            Issue.record("There is no file.")
            return
        }
        var status = stat()
        try #require(stat(path, &status) == 0)
        var later = status.st_ctim
        later.tv_sec += 7
        #expect(abs(stamp.age(at: later) - 7) < 1e-6)
        // After the clock has been set back, the age is 0.
        #expect(stamp.age(at: timespec(tv_sec: 5, tv_nsec: 0)) == 0)
    }

    @Test("A file that is too large and a symbolic link to itself are reported at once")
    func unusable() throws {
        let folder = try Folder()
        try folder.write("a.json", String(repeating: " ", count: (1 << 20) + 1))
        try Self.putLoop(folder.path + "/b.json")
        var folders = Self.folders([folder.path], 0.1)
        #expect(Self.scan(&folders) == ["problems a.json 1", "problems b.json 1"])
    }

    @Test("A file without read permission is reported at once", .enabled(if: getuid() != 0, "root may read all files"))
    func forbidden() throws {
        let folder = try Folder()
        try folder.write("a.json", Folder.accessory("A"))
        chmod(folder.path + "/a.json", 0)
        var folders = Self.folders([folder.path], 0.1)
        #expect(Self.scan(&folders) == ["problems a.json 1"])
    }

    @Test("An error in a usable file is reported at once, and the accessory is attached")
    func mistake() throws {
        let folder = try Folder()
        var folders = Self.folders([folder.path], 0.1)
        try folder.put(
            "a.json", #"{"name": "A", "colour": 1, "protocols": {"com.example": {"socket": "s"}}}"#)
        #expect(Self.scan(&folders) == ["attach A", "problems a.json 1"])
        #expect(Self.scan(&folders).isEmpty)
    }

    @Test("A missing directory is reported once, and removing a directory detaches its accessories")
    func missing() throws {
        let parent = try Folder()
        var folders = Self.folders([parent.path + "/in"], 0.1)
        #expect(Self.scan(&folders) == ["problems in 1"])
        #expect(Self.scan(&folders).isEmpty)
        try FileManager.default.createDirectory(atPath: parent.path + "/in", withIntermediateDirectories: false)
        try parent.write("in/a.json", Folder.accessory("A"))
        #expect(Self.scan(&folders) == ["problems in 0", "attach A"])
        try parent.remove("in")
        #expect(Self.scan(&folders) == ["problems in 1", "detach a.json"])
    }

    @Test("At most 256 files, each of at most 1 MiB, are read")
    func bounded() throws {
        let folder = try Folder()
        for number in 100..<400 { try folder.write("\(number).json", Folder.accessory("\(number)")) }
        var folders = Self.folders([folder.path], 0)
        let changes = Self.scan(&folders)
        #expect(changes.filter { $0.hasPrefix("attach") }.count == 256)
        #expect(changes.first?.hasPrefix("problems") == true)
        let large = try Folder()
        try large.write("a.json", String(repeating: " ", count: (1 << 20) + 1))
        try FileManager.default.createDirectory(atPath: large.path + "/b.json", withIntermediateDirectories: false)
        folders = Self.folders([large.path], 0)
        #expect(Self.scan(&folders) == ["problems a.json 1"])
    }

    @Test("If there are too many files, the first ones by name are used, regardless of the directory order")
    func first() throws {
        let folder = try Folder()
        for number in 100..<200 { try folder.write("\(number).json", "") }
        let listing = FolderListing(folder.path, limit: 4)
        #expect(listing.paths == (100..<104).map { "\(folder.path)/\($0).json" })
        #expect(listing.problem?.code == .invalidConfiguration)
    }

    /// Creates a symbolic link to itself. Following the link fails for every user, including root, with an error other
    /// than ENOENT.
    private static func putLoop(_ path: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
    }

    @Test("A directory that temporarily cannot be read keeps its accessories and is scanned again")
    func unknownFolder() throws {
        let parent = try Folder()
        let path = parent.path + "/in"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try parent.write("in/a.json", Folder.accessory("A"))
        var folders = Self.folders([path], 0.1)
        #expect(Self.scan(&folders) == ["attach A"])
        try parent.rename("in", "aside")
        try Self.putLoop(path)
        #expect(Self.scan(&folders, at: 1) == ["problems in 1"])
        let nextScan = folders.scan(now: Self.time(2))
        #expect(nextScan.changes.isEmpty && nextScan.nextScan == Self.time(3))
        try parent.remove("in")
        try parent.rename("aside", "in")
        try parent.write("in/b.json", Folder.accessory("B"))
        #expect(Self.scan(&folders, at: 3) == ["problems in 0", "attach B"])
        #expect(folders.scan(now: Self.time(4)).nextScan == nil)
    }

    @Test("A file that temporarily cannot be read keeps its accessory and is read again")
    func unknownFile() throws {
        let folder = try Folder()
        try folder.write("a.json", Folder.accessory("A"))
        var folders = Self.folders([folder.path], 0.1)
        #expect(Self.scan(&folders) == ["attach A"])
        try folder.rename("a.json", "aside")
        try Self.putLoop(folder.path + "/a.json")
        #expect(Self.scan(&folders, at: 1).isEmpty)
        #expect(Self.scan(&folders, at: 2) == ["problems a.json 1"])
        #expect(folders.scan(now: Self.time(3)).nextScan == Self.time(4))
        try folder.rename("aside", "a.json")
        #expect(Self.scan(&folders, at: 4) == ["problems a.json 0"])
        #expect(folders.scan(now: Self.time(5)).nextScan == nil)
    }

    @Test("A file rewritten with its old date and length is read again")
    func oldDate() throws {
        let folder = try Folder()
        let old = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)]
        try folder.write("a.json", Folder.accessory("A"))
        try FileManager.default.setAttributes(old, ofItemAtPath: folder.path + "/a.json")
        var folders = Self.folders([folder.path], 0.1)
        #expect(Self.scan(&folders) == ["attach A"])
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path + "/a.json"))
        try handle.write(contentsOf: Data(Folder.accessory("B").utf8))
        try handle.close()
        try FileManager.default.setAttributes(old, ofItemAtPath: folder.path + "/a.json")
        #expect(Self.scan(&folders) == ["detach a.json", "attach B"])
    }

    @Test("File names and keys cannot inject terminal control characters into error messages")
    func escapes() throws {
        let folder = try Folder()
        try folder.put(
            "\u{1b}[31ma.json", #"{"name": "A", "\u001b]0;\u0007": 1, "protocols": {"com.a": {"socket": "s"}}}"#)
        try folder.put("\u{1b}[31mb.json", "{")
        var folders = Self.folders([folder.path, folder.path + "/\u{1b}"], 0)
        let messages = folders.scan(now: .zero).changes.flatMap { change in
            if case .problems(_, let errors) = change { errors.map(\.message) } else { [String]() }
        }
        #expect(messages.count == 3)
        #expect(!messages.joined().unicodeScalars.contains { $0.value < 0x20 })
    }
}
