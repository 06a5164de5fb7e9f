// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import SystemCalls
import Testing

@testable import UdevSource

@Suite("Declared accessories with conflicting identities")
struct DeclaredConflictTests {
    /// Returns a declaration of an accessory with a tty.
    private static func scale(port: String? = nil, serial: String? = nil, tty: String) -> String {
        let port = port.map { #""port": "\#($0)", "# } ?? ""
        let serial = serial.map { #""serial": "\#($0)", "# } ?? ""
        return #"{"name": "Scale", \#(port)\#(serial)"protocols": {"com.a": {"tty": "\#(tty)"}}}"#
    }

    private static func source(
        _ folder: Folder, inotify: Inotify = Inotify(), declared: [DeclaredAccessory] = []
    ) -> TestSource {
        TestSource(inotify: inotify) { configuration in
            configuration.accessoryDirectories.value = [folder.path]
            configuration.declaredAccessories.value = declared
        }
    }

    private static func identities(_ test: TestSource) -> [String] { test.source.accessories.map(\.identity) }

    /// An inotify without watches, so that the test determines when directories are scanned.
    private static let failingInotify = Inotify(add: { _, _, _ in
        errno = ENOSPC
        return -1
    })

    @Test("Two files with the same accessory name yield two accessories, identified by their file paths")
    func sameName() throws {
        for names in [["a.json", "b.json"], ["b.json", "a.json"]] {
            let folder = try Folder()
            for (number, name) in names.enumerated() { try folder.put(name, Self.scale(tty: "/dev/ttyS\(number)")) }
            let test = Self.source(folder)
            #expect(Self.identities(test) == ["file:\(folder.path)/a.json", "file:\(folder.path)/b.json"])
            #expect(test.source.problems.map(\.code) == [.invalidConfiguration])
            let message = test.source.problems.first?.message ?? ""
            #expect(message.contains("\(folder.path)/a.json and \(folder.path)/b.json"), "\(message)")
            #expect(message.contains("port:Scale") && message.contains(#""port""#), "\(message)")
        }
    }

    @Test("The same name with two ports yields two accessories and no problem")
    func twoPorts() throws {
        let folder = try Folder()
        try folder.put("a.json", Self.scale(port: "left", tty: "/dev/ttyS0"))
        try folder.put("b.json", Self.scale(port: "right", tty: "/dev/ttyS1"))
        let test = Self.source(folder)
        #expect(Self.identities(test) == ["port:left", "port:right"])
        #expect(test.source.problems.isEmpty)
    }

    @Test("The same serial number with two ports yields two accessories and a problem")
    func sameSerial() throws {
        let folder = try Folder()
        try folder.put("a.json", Self.scale(port: "left", serial: "1", tty: "/dev/ttyS0"))
        try folder.put("b.json", Self.scale(port: "right", serial: "1", tty: "/dev/ttyS1"))
        let test = Self.source(folder)
        #expect(Self.identities(test) == ["file:\(folder.path)/a.json", "file:\(folder.path)/b.json"])
        #expect(test.source.problems.count == 1)
    }

    @Test("A node declared by two files is a problem that names the node and both files")
    func sameNode() throws {
        let folder = try Folder()
        try folder.put("a.json", Self.scale(port: "left", tty: "/dev/ttyS0"))
        try folder.put("b.json", Self.scale(port: "right", tty: "/dev/ttyS0"))
        let test = Self.source(folder)
        #expect(Self.identities(test) == ["port:left", "port:right"])
        let message = test.source.problems.first?.message ?? ""
        #expect(test.source.problems.count == 1)
        #expect(
            message.contains("\(folder.path)/a.json and \(folder.path)/b.json declare the same node /dev/ttyS0"),
            "\(message)")
    }

    @Test("Configuration entries can conflict with files, and are identified by their index")
    func configuration() throws {
        let folder = try Folder()
        try folder.put("a.json", Self.scale(tty: "/dev/ttyS0"))
        let declared = ["/dev/ttyS1", "/dev/ttyS2"].map { path in
            DeclaredAccessory(
                name: "Scale", endpoints: [.init(name: "com.a", node: .tty(path: path, TTYSettings()))])
        }
        let test = Self.source(folder, declared: declared)
        #expect(Self.identities(test) == ["declared:0", "declared:1", "file:\(folder.path)/a.json"])
        let message = test.source.problems.first?.message ?? ""
        #expect(
            message.hasPrefix("accessories.declared[0] and accessories.declared[1] and \(folder.path)/a.json"),
            "\(message)")
    }

    @Test("An attached accessory keeps its identity when a twin appears, and the problem ends with the twin")
    func later() throws {
        let folder = try Folder()
        try folder.put("b.json", Self.scale(tty: "/dev/ttyS0"))
        let test = Self.source(folder, inotify: Self.failingInotify)
        #expect(Self.identities(test) == ["port:Scale"])
        let problems = test.source.problems.count
        try folder.put("a.json", Self.scale(tty: "/dev/ttyS1"))
        test.advance(UdevSource.folderScanInterval)
        #expect(Self.identities(test) == ["port:Scale", "file:\(folder.path)/a.json"])
        #expect(test.source.problems.count == problems + 1)
        try folder.remove("a.json")
        test.advance(UdevSource.folderScanInterval)
        #expect(Self.identities(test) == ["port:Scale"])
        #expect(test.source.problems.count == problems)
    }

    @Test("Renaming a file does not create a second accessory")
    func renamed() throws {
        let folder = try Folder()
        try folder.put("b.json", Self.scale(tty: "/dev/ttyS0"))
        let test = Self.source(folder, inotify: Self.failingInotify)
        let problems = test.source.problems.count
        for (former, name) in [("b.json", "a.json"), ("a.json", "c.json")] {
            try folder.rename(former, name)
            test.advance(UdevSource.folderScanInterval)
            #expect(Self.identities(test) == ["port:Scale"])
            #expect(test.source.problems.count == problems)
        }
    }

    @Test("A conflict is marked as new only once, and ends when a single accessory remains")
    func store() throws {
        var store = DeclaredAccessoryStore()
        let scale = DeclaredAccessory(name: "Scale", endpoints: [.init(name: "com.a", node: .socket(path: "/s"))])
        var other = scale
        other.endpoints = []
        store.set(scale, at: .file("/a"))
        #expect(store.drainChanges().isEmpty)
        for path in ["/b", "/c", "/d"] {
            store.set(other, at: .file(path))
            let changes = store.drainChanges()
            #expect(changes.map(\.subject) == ["shared identity: port:Scale"])
            #expect(changes.map(\.isNew) == [path == "/b"])
            #expect(changes.first?.problem?.message.contains(path == "/d" ? "/c and 1 more" : path) == true)
        }
        for path in ["/b", "/c"] { store.set(nil, at: .file(path)) }
        #expect(store.drainChanges().map { $0.problem != nil } == [true])
        store.set(nil, at: .file("/d"))
        #expect(store.drainChanges().map { $0.problem != nil } == [false])
        #expect(store.description(at: .file("/a"))?.identity == "port:Scale")
        #expect(store.description(at: .file("/d")) == nil)
    }
}
