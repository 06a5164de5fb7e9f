// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import DeviceTesting
import Foundation
import Testing

@Suite("Expected callbacks in a test", .timeLimit(.minutes(30)))
struct ExpectCallbacksTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    private func file(_ name: String) -> TestFile {
        TestFile(name: name, bundle: nil, fileID: #fileID, filePath: folder.path + "/Tests.swift")
    }

    private static func callbacks(_ latitude: Double, tolerance: Double? = nil) -> CallbackList {
        var callbacks = CallbackList(
            tolerances: tolerance.map { ["latitude": FieldTolerance(absolute: $0)] } ?? [:])
        callbacks.add("location", ["latitude": .number(latitude)])
        return callbacks
    }

    @Test("Recorded callbacks match, and the first difference is an issue at the caller's location")
    func records() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = file("drive.expected")
        func expect(_ callbacks: CallbackList, isRecording: Bool = false) throws {
            try expectCallbacks(callbacks, in: file, isRecording: isRecording, line: 4711, column: 1)
        }
        try expect(Self.callbacks(48, tolerance: 0.01), isRecording: true)
        try expect(Self.callbacks(48.009))
        try withKnownIssue {
            try expect(Self.callbacks(48.02))
        } matching: { issue in
            issue.sourceLocation?.line == 4711
                && issue.comments.contains { $0.rawValue.contains("callback 1, location, differs in latitude") }
        }
        // Recording again keeps the tolerances of the file.
        try expect(Self.callbacks(49), isRecording: true)
        try expect(Self.callbacks(49.009))
    }

    @Test("The error for a missing file states how to record it")
    func missing() throws {
        let error = try #require(throws: DeviceError.self) {
            try expectCallbacks(Self.callbacks(48), matching: "none.expected")
        }
        #expect(error.message.contains("DEVICE_TESTING_RECORD=1 swift test"), "\(error)")
    }
}
