// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing

@testable import UdevSource

@Suite("Folders of declared accessories")
struct AccessoryFoldersTests {
    private static func time(_ seconds: Double) -> BootTime { BootTime.zero.advanced(bySeconds: seconds) }

    /// What a look found, in words.
    private static func look(_ folders: inout AccessoryFolders, at seconds: Double = 0) -> [String] {
        folders.look(now: time(seconds)).changes.map { change in
            switch change {
            case .attach(_, let accessory): "attach \(accessory.name)"
            case .detach(let path): "detach \(path.split(separator: "/").last ?? "")"
            case .problems(let path, let errors): "problems \(path.split(separator: "/").last ?? "") \(errors.count)"
            }
        }
    }

    @Test("A file is an accessory while it exists, and another one when it is replaced")
    func lives() throws {
        let folder = try Folder()
        var folders = AccessoryFolders([folder.path], settleTime: 0.1)
        #expect(Self.look(&folders).isEmpty)
        try folder.put("b.json", Folder.accessory("B"))
        try folder.put("a.json", Folder.accessory("A"))
        try folder.put("c.txt", Folder.accessory("C"))
        try folder.put(".d.json", Folder.accessory("D"))
        #expect(Self.look(&folders) == ["attach A", "attach B"])
        #expect(Self.look(&folders).isEmpty)
        try folder.put("a.json", Folder.accessory("A"))
        #expect(Self.look(&folders) == ["detach a.json", "attach A"])
        try folder.write("b.json", Folder.accessory("B2"))
        #expect(Self.look(&folders) == ["detach b.json", "attach B2"])
        try folder.remove("b.json")
        #expect(Self.look(&folders) == ["detach b.json"])
    }

    @Test("Writing the same again in place changes nothing")
    func same() throws {
        let folder = try Folder()
        var folders = AccessoryFolders([folder.path], settleTime: 0.1)
        try folder.write("a.json", Folder.accessory("A"))
        #expect(Self.look(&folders) == ["attach A"])
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path + "/a.json"))
        try handle.write(contentsOf: Data(Folder.accessory("A").utf8))
        try handle.close()
        #expect(Self.look(&folders).isEmpty)
    }

    @Test("A half-written file is waited for, and complained of only when it stays so")
    func halfWritten() throws {
        let folder = try Folder()
        var folders = AccessoryFolders([folder.path], settleTime: 0.1)
        try folder.write("a.json", String(Folder.accessory("A").prefix(20)))
        #expect(Self.look(&folders, at: 0).isEmpty)
        #expect(folders.look(now: Self.time(0.05)).again == Self.time(0.1))
        try folder.write("a.json", Folder.accessory("A"))
        #expect(Self.look(&folders, at: 0.06) == ["attach A"])
        try folder.write("b.json", "{")
        #expect(Self.look(&folders, at: 1).isEmpty)
        #expect(Self.look(&folders, at: 1.11) == ["problems b.json 1"])
        #expect(Self.look(&folders, at: 5).isEmpty)
        #expect(folders.look(now: Self.time(6)).again == nil)
        try folder.write("b.json", Folder.accessory("B"))
        #expect(Self.look(&folders, at: 7) == ["attach B", "problems b.json 0"])
    }

    @Test("A file that goes bad keeps its accessory for the settle time")
    func goesBad() throws {
        let folder = try Folder()
        var folders = AccessoryFolders([folder.path], settleTime: 0.1)
        try folder.put("a.json", Folder.accessory("A"))
        #expect(Self.look(&folders, at: 0) == ["attach A"])
        try folder.write("a.json", "")
        #expect(Self.look(&folders, at: 1).isEmpty)
        #expect(Self.look(&folders, at: 1.2) == ["detach a.json", "problems a.json 1"])
        try folder.remove("a.json")
        #expect(Self.look(&folders, at: 2) == ["problems a.json 0"])
    }

    @Test("A mistake in a file that can be used is told at once")
    func mistake() throws {
        let folder = try Folder()
        var folders = AccessoryFolders([folder.path], settleTime: 0.1)
        try folder.put(
            "a.json", #"{"name": "A", "colour": 1, "protocols": {"com.example": {"socket": "s"}}}"#)
        #expect(Self.look(&folders) == ["attach A", "problems a.json 1"])
        #expect(Self.look(&folders).isEmpty)
    }

    @Test("A folder that is not there is said once; when it goes, its accessories go")
    func missing() throws {
        let parent = try Folder()
        var folders = AccessoryFolders([parent.path + "/in"], settleTime: 0.1)
        #expect(Self.look(&folders) == ["problems in 1"])
        #expect(Self.look(&folders).isEmpty)
        try FileManager.default.createDirectory(atPath: parent.path + "/in", withIntermediateDirectories: false)
        try parent.write("in/a.json", Folder.accessory("A"))
        #expect(Self.look(&folders) == ["problems in 0", "attach A"])
        try parent.remove("in")
        #expect(Self.look(&folders) == ["problems in 1", "detach a.json"])
    }

    @Test("More than 256 files, and a file of more than a megabyte, are not read")
    func bounded() throws {
        let folder = try Folder()
        for number in 100..<400 { try folder.write("\(number).json", Folder.accessory("\(number)")) }
        var folders = AccessoryFolders([folder.path], settleTime: 0)
        let changes = Self.look(&folders)
        #expect(changes.filter { $0.hasPrefix("attach") }.count == 256)
        #expect(changes.first?.hasPrefix("problems") == true)
        let large = try Folder()
        try large.write("a.json", String(repeating: " ", count: (1 << 20) + 1))
        try FileManager.default.createDirectory(atPath: large.path + "/b.json", withIntermediateDirectories: false)
        folders = AccessoryFolders([large.path], settleTime: 0)
        #expect(Self.look(&folders) == ["problems a.json 1"])
    }
}
