// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import DeviceTesting
import Foundation
import Testing

@Suite("Files of tests", .timeLimit(.minutes(30)))
struct TestFileTests {
    private static let road = "Simulators/Traces/synthetic/mountain-road.json"

    private static func path(
        _ name: String, bundle: Bundle? = nil, fileID: String = #fileID, filePath: String = #filePath
    ) throws(DeviceError) -> String {
        try TestFile(name: name, bundle: bundle, fileID: fileID, filePath: filePath).find()
    }

    @Test("A file is found in the resources of the test's target")
    func ownResources() throws {
        let path = try Self.path("Recordings/boat.gpx", filePath: "/nowhere/Tests.swift")
        #expect(path == Bundle.module.bundlePath + "/Recordings/boat.gpx")
        #expect(try Self.path("Recordings/boat.gpx", bundle: .module) == path)
        #expect(try Self.path(path) == path)
    }

    @Test("A file is found beside the source file, and before that in the resources")
    func besideSource() throws {
        let beside = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Recordings/boat.gpx"
        // No target has this name, so the target has no resources.
        #expect(try Self.path("Recordings/boat.gpx", fileID: "DeviceTests/Tests.swift") == beside)
        #expect(try Self.path("Recordings/boat.gpx") != beside)
    }

    @Test("A file is found relative to Package.swift")
    func inPackage() throws {
        let path = try Self.path(Self.road)
        #expect(path.hasPrefix("/") && path.hasSuffix("/" + Self.road))
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test("A file is found in the resources of another target if no other place has it")
    func otherResources() throws {
        let path = try Self.path(
            "Recordings/boat.gpx", fileID: "DeviceTests/Tests.swift", filePath: "/nowhere/Tests.swift")
        #expect(path == Bundle.module.bundlePath + "/Recordings/boat.gpx")
    }

    @Test("The error for a missing file lists the searched places and the remedy")
    func missing() throws {
        let error = try #require(throws: DeviceError.self) { try Self.path("none.gpx") }
        #expect(error.code == .notFound)
        for text in [
            "\"none.gpx\"", "the resources of SimulatedDeviceTests (\(Bundle.module.bundlePath))",
            "the directory of the source file (", "the directory of Package.swift (",
            "Add resources: [.copy(\"none.gpx\")] to the test target",
        ] {
            #expect(error.message.contains(text), "\(error)")
        }
        let other = try #require(throws: DeviceError.self) {
            try Self.path("none.gpx", fileID: "DeviceTests/Tests.swift", filePath: "/nowhere/Tests.swift")
        }
        #expect(other.message.contains("the resources of DeviceTests, which has none"), "\(other)")
        #expect(throws: DeviceError.self) { try Self.path("/none/none.gpx") }
    }
}
