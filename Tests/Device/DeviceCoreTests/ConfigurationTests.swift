// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import Testing

@testable import DeviceCore

@Suite("Configuration")
struct ConfigurationTests {
    /// Loads the configuration of a process with this environment on a machine with these files.
    private static func load(_ environment: [String: String] = [:], files: [String: String] = [:]) -> Configuration {
        Configuration.load(environment: environment, readFile: { path in files[path].map { [UInt8]($0.utf8) } })
    }

    private static let system = "/etc/device-services.json"

    @Test("Without settings, the defaults apply")
    func defaults() {
        let configuration = Self.load()
        #expect(configuration.positionSource.value.description == "gpsd://localhost:2947")
        #expect(configuration.positionSource.origin == .standard)
        #expect(configuration.receiver.value == nil)
        #expect(configuration.repairsWeekRollover.value == false)
        #expect(configuration.locationRule.value == .grant)
        #expect(configuration.reducesAccuracy.value == false)
        #expect(configuration.locationPurpose.value == nil)
        #expect(configuration.problems.isEmpty)
    }

    @Test("Unknown sections, duplicate keys and invalid UTF-8 are reported")
    func invalidFile() {
        let bytes =
            Array(#"{"postion": {"source": "x"}, "position": {"receiver": "a","receiver": "b"},"#.utf8)
            + Array("\n\"location\": {\"purpose\": \"".utf8) + [0xff] + Array("\"}, \"position\": {}}".utf8)
        let configuration = Configuration.load(
            environment: [:], readFile: { $0 == Self.system ? bytes : nil })
        #expect(
            configuration.problems.map(\.message) == [
                "\(Self.system): the file contains bytes that are not valid UTF-8. They are read as \u{FFFD}. Save the file as UTF-8.",
                "\(Self.system): postion is not a section (position, mqtt, location, motion or accessories). It is ignored.",
                "\(Self.system): position.receiver occurs more than once. The last valid value is used.",
                "\(Self.system): position occurs more than once. The sections are merged; the last valid value of each setting is used.",
            ])
        #expect(configuration.receiver.value == "b")
    }

    @Test("Root is warned if other users can change the file, a parent directory or the target of a link")
    func writableByOthers() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(mkdir(folder, 0o700) == 0)
        try Data("{}".utf8).write(to: URL(fileURLWithPath: folder + "/real.json"))
        #expect(symlink(folder + "/real.json", folder + "/link.json") == 0)
        let real = try #require(realpath(folder + "/real.json", nil).map { String(cString: $0) })
        func warns(_ path: String, writable: String, user: uid_t = 0) -> Bool {
            Configuration.permissionWarning(for: path, user: user) { $0 == writable }?.contains(
                "other users can change \(writable).")
                == true
        }
        #expect(warns("/etc/none/c.json", writable: "/etc/none/c.json"))
        #expect(warns("/etc/none/c.json", writable: "/etc/none"))
        #expect(warns("/etc/none/c.json", writable: "/"))
        #expect(warns("c.json", writable: "c.json"))
        #expect(warns(folder + "/link.json", writable: real))
        #expect(!warns("/etc/none/c.json", writable: "/etc/other"))
        #expect(!warns("/etc/none/c.json", writable: "/etc/none", user: 1000))
    }

    @Test("Mode and owner decide whether other users can change a directory; the sticky bit protects it")
    func isWritable() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(mkdir(folder, 0o700) == 0)
        // An owner other than root can change the directory regardless of its mode.
        let isOfOthers = geteuid() != 0
        for (mode, isWritable) in [(0o755, false), (0o757, true), (0o1757, false)] as [(mode_t, Bool)] {
            #expect(chmod(folder, mode) == 0)
            #expect(Configuration.isWritableByOthers(folder) == (isWritable || isOfOthers), "\(String(mode, radix: 8))")
        }
        #expect(!Configuration.isWritableByOthers(folder + "/none"))
    }

    @Test("A non-root group counts as other users", .enabled(if: geteuid() == 0, "only root gives files to groups"))
    func isWritableByGroup() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(mkdir(folder, 0o700) == 0)
        for (group, owner, isWritable) in [(0, 0, false), (65_534, 0, true), (0, 65_534, true)]
            as [(gid_t, uid_t, Bool)]
        {
            #expect(chown(folder, owner, group) == 0 && chmod(folder, 0o775) == 0)
            #expect(Configuration.isWritableByOthers(folder) == isWritable, "\(group) \(owner)")
        }
        #expect(chown(folder, 0, 0) == 0)
        // The owner of a symbolic link can change its target.
        #expect(symlink("/etc/passwd", folder + "/link") == 0)
        #expect(!Configuration.isWritableByOthers(folder + "/link"))
        #expect(lchown(folder + "/link", 65_534, 65_534) == 0)
        #expect(Configuration.isWritableByOthers(folder + "/link"))
    }

    @Test("A file sets every value, and each setting reports the file as its origin")
    func file() {
        let configuration = Self.load(files: [
            Self.system: """
            {"position": {"source": "libgps://board:99", "receiver": "/dev/ttyACM0", "repairWeekRollover": true},
             "location": {"authorization": "whenInUse", "reducedAccuracy": true, "purpose": "to find \\u00e9tapes"},
             "accessories": {}}
            """
        ])
        let origin = Setting<Bool>.Origin.file(Self.system)
        #expect(configuration.positionSource.value.description == "libgps://board:99")
        #expect("\(configuration.positionSource.origin)" == "\(origin)")
        #expect(configuration.receiver.value == "/dev/ttyACM0")
        #expect("\(configuration.receiver.origin)" == "\(origin)")
        #expect(configuration.repairsWeekRollover.value)
        #expect(configuration.repairsWeekRollover.origin == origin)
        #expect(configuration.locationRule.value == .whenInUse)
        #expect("\(configuration.locationRule.origin)" == "\(origin)")
        #expect(configuration.reducesAccuracy.value)
        #expect(configuration.reducesAccuracy.origin == origin)
        #expect(configuration.locationPurpose.value == "to find étapes")
        #expect("\(configuration.locationPurpose.origin)" == "file /etc/device-services.json")
        #expect(configuration.problems.isEmpty)
    }

    @Test("The environment overrides the file")
    func environment() {
        let configuration = Self.load(
            ["DEVICE_SERVICES_GPSD": "gpsd://here:1", "DEVICE_SERVICES_LOCATION": "deny"],
            files: [Self.system: #"{"position": {"source": "gpsd://there"}, "location": {"authorization": "always"}}"#])
        #expect(configuration.positionSource.value.host == "here")
        #expect(configuration.positionSource.origin == .environment("DEVICE_SERVICES_GPSD"))
        #expect(configuration.locationRule.value == .deny)
        #expect("\(configuration.locationRule.origin)" == "environment variable DEVICE_SERVICES_LOCATION")
        #expect(configuration.problems.isEmpty)
    }

    @Test("An invalid environment variable is reported, and the file's value applies")
    func badEnvironment() throws {
        let configuration = Self.load(
            ["DEVICE_SERVICES_GPSD": "http://x", "DEVICE_SERVICES_LOCATION": "Grant"],
            files: [Self.system: #"{"position": {"source": "gpsd://there"}, "location": {"authorization": "always"}}"#])
        #expect(configuration.positionSource.value.host == "there")
        #expect(configuration.locationRule.value == .always)
        try #require(configuration.problems.count == 2)
        #expect(configuration.problems[0].message.contains("DEVICE_SERVICES_GPSD"))
        #expect(configuration.problems[1].message.contains("DEVICE_SERVICES_LOCATION"))
        #expect(configuration.problems.allSatisfy { $0.code == .invalidConfiguration })
    }

    @Test("An empty environment variable counts as unset")
    func emptyEnvironment() {
        let names = [
            "DEVICE_SERVICES_GPSD", "DEVICE_SERVICES_LOCATION", "DEVICE_SERVICES_CONFIG", "XDG_CONFIG_HOME", "HOME",
        ]
        let configuration = Self.load(
            Dictionary(uniqueKeysWithValues: names.map { ($0, "") }),
            files: [Self.system: #"{"position": {"source": "gpsd://there"}}"#])
        #expect(configuration.positionSource.value.host == "there")
        #expect(configuration.problems.isEmpty)
    }

    struct Search: Sendable, CustomTestStringConvertible {
        var environment: [String: String]
        var found: String
        var testDescription: String { found }
    }

    @Test(
        "Only the first file in the search order is used",
        arguments: [
            Search(
                environment: ["DEVICE_SERVICES_CONFIG": "/named", "XDG_CONFIG_HOME": "/xdg", "HOME": "/home/me"],
                found: "/named"),
            Search(environment: ["XDG_CONFIG_HOME": "/xdg", "HOME": "/home/me"], found: "/xdg/device-services.json"),
            Search(environment: ["HOME": "/home/me"], found: "/home/me/.config/device-services.json"),
            // The XDG Base Directory Specification requires that relative paths are ignored.
            Search(
                environment: ["XDG_CONFIG_HOME": "xdg", "HOME": "/home/me"],
                found: "/home/me/.config/device-services.json"),
            Search(environment: ["XDG_CONFIG_HOME": "/other", "HOME": "/home/me"], found: "/etc/device-services.json"),
            Search(environment: ["HOME": "home"], found: "/etc/device-services.json"),
            Search(environment: [:], found: "/etc/device-services.json"),
        ])
    func search(_ search: Search) {
        let paths = ["/named", "/xdg/device-services.json", "/home/me/.config/device-services.json", Self.system]
        let files = paths.map { ($0, #"{"location": {"purpose": "\#($0)"}}"#) }
        let configuration = Self.load(search.environment, files: Dictionary(uniqueKeysWithValues: files))
        #expect(configuration.locationPurpose.value == search.found)
        #expect(configuration.problems.isEmpty)
    }

    @Test("A missing file named by the environment is reported, and no other file is read instead")
    func missingNamedFile() {
        let configuration = Self.load(
            ["DEVICE_SERVICES_CONFIG": "/named"], files: [Self.system: #"{"location": {"purpose": "x"}}"#])
        #expect(configuration.locationPurpose.value == nil)
        #expect(configuration.problems.map(\.code) == [.notFound])
        #expect(configuration.problems.first?.message.contains("/named") == true)
    }

    @Test("An unreadable file is reported, and no other file is read instead")
    func unreadableFile() {
        let configuration = Configuration.load(
            environment: ["XDG_CONFIG_HOME": "/xdg"],
            readFile: { path throws(DeviceError) in
                if path.hasPrefix("/xdg") { throw DeviceError(.permissionDenied, "\(path) may not be read.") }
                return [UInt8](#"{"location": {"purpose": "x"}}"#.utf8)
            })
        #expect(configuration.locationPurpose.value == nil)
        #expect(configuration.problems.map(\.code) == [.permissionDenied])
    }

    @Test(
        "A value of the wrong type is reported, and the other values are used",
        arguments: [
            (#""position": 7"#, "position is not an object"),
            (#""position": null"#, "position is not an object"),
            (#""position": {"source": 2947}"#, "position.source is not a string"),
            (#""position": {"source": null}"#, "position.source is not a string"),
            (#""position": {"source": "ftp://x"}"#, "position.source"),
            (#""position": {"receiver": ["/dev/x"]}"#, "position.receiver is not a string"),
            (#""position": {"repairWeekRollover": 1}"#, "position.repairWeekRollover is not true or false"),
            (#""position": {"repairWeekRollover": "true"}"#, "position.repairWeekRollover is not true or false"),
            (#""position": {"Source": "gpsd://x"}"#, "position.Source is not a known setting"),
            (#""location": []"#, "location is not an object"),
            (#""location": {"authorization": true}"#, "location.authorization is not a string"),
            (#""location": {"authorization": "granted"}"#, "location.authorization"),
            (#""location": {"reducedAccuracy": {}}"#, "location.reducedAccuracy is not true or false"),
            (#""location": {"purpose": false}"#, "location.purpose is not a string"),
            (#""location": {"x": {"deep": [1]}}"#, "location.x is not a known setting"),
        ])
    func wrongType(_ member: String, _ complaint: String) throws {
        // The invalid member is placed between two valid objects that share the other key.
        let good = member.contains("position") ? "location" : "position"
        let (before, after) =
            good == "location"
            ? (#""location": {"purpose": "p"}"#, #""location": {"reducedAccuracy": true}"#)
            : (#""position": {"receiver": "r"}"#, #""position": {"repairWeekRollover": true}"#)
        let configuration = Self.load(files: [Self.system: "{\(before), \(member), \(after)}"])
        try #require(configuration.problems.count == 2)
        #expect(configuration.problems[1].message.contains("\(good) occurs more than once"))
        let problem = configuration.problems[0]
        #expect(problem.code == .invalidConfiguration)
        #expect(problem.message.contains(complaint))
        #expect(problem.message.contains(Self.system))
        if good == "location" {
            #expect(configuration.locationPurpose.value == "p")
            #expect(configuration.reducesAccuracy.value)
            #expect(configuration.positionSource.origin == .standard)
            #expect(configuration.repairsWeekRollover.origin == .standard)
        } else {
            #expect(configuration.receiver.value == "r")
            #expect(configuration.repairsWeekRollover.value)
            #expect(configuration.locationRule.origin == .standard)
            #expect(configuration.reducesAccuracy.origin == .standard)
        }
    }

    @Test(
        "A file that is not a JSON object is reported, and none of its values is used",
        arguments: [
            "", " ", "[]", "7", "{", #"{"location": {"purpose": "x"}"#, #"{"location": {"purpose": "x"}} x"#,
            #"{"location": {"purpose": "x"},}"#, #"{"location": {"purpose": "x}}"#, "{'location': 1}",
            "{\"location\": {\"purpose\": \"x\"}, \"a\": " + String(repeating: "[", count: 100_000),
            "\u{FEFF}{\"location\": {\"purpose\": \"x\"}, \"position\": 1",
        ])
    func notJSON(_ text: String) {
        let configuration = Self.load(files: [Self.system: text])
        #expect(configuration.problems.map(\.code) == [.invalidConfiguration])
        #expect(configuration.problems.first?.message.contains(Self.system) == true)
        #expect(configuration.locationPurpose.value == nil)
        #expect(configuration.locationPurpose.origin == .standard)
    }

    @Test("Binary data is reported as a single problem")
    func notText() {
        let bytes: [UInt8] = [0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x3A, 0x00, 0x7D]
        let configuration = Configuration.load(environment: [:], readFile: { _ in bytes })
        #expect(configuration.problems.count == 1)
    }

    @Test("A file over the size limit is not read")
    func hugeFile() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let text = #"{"location": {"purpose": "x"}}"# + String(repeating: " ", count: 1 << 20)
        try Data(text.utf8).write(to: URL(filePath: path))
        let error = #expect(throws: DeviceError.self) { try FileIO.read(path, limit: 1 << 20) }
        #expect(error?.code == .inputOutput)
        let configuration = Configuration.load(
            environment: ["DEVICE_SERVICES_CONFIG": path],
            readFile: { path throws(DeviceError) in try FileIO.read(path, limit: 1 << 20) })
        #expect(configuration.locationPurpose.value == nil)
        #expect(configuration.problems.map(\.code) == [.inputOutput])
    }

    @Test("A file with 1,000 invalid settings yields at most 101 problems")
    func manyProblems() {
        let members = (0..<1_000).map { #""x\#($0)": 0"# }.joined(separator: ",")
        let configuration = Self.load(files: [Self.system: #"{"position": {\#(members)}}"#])
        #expect(configuration.problems.count <= 101)
        #expect(configuration.problems.count >= 1)
    }

    @Test("A list that is too long is reported once, even if one of its elements is invalid")
    func longListWithInvalidElement() {
        let folders = (0..<102).map { #""/\#($0)""# }.joined(separator: ",")
        let configuration = Self.load(files: [Self.system: #"{"accessories": {"folders": ["", \#(folders)]}}"#])
        #expect(configuration.accessoryDirectories.value.count == 100)
        #expect(configuration.problems.count == 2)
        #expect(
            configuration.problems.last?.message.hasSuffix("has more than 100 elements. The rest is ignored.") == true)
    }
}
