// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Runs the sensorctl executable that was built together with these tests.
enum Tool {
    /// The result of a run.
    struct Result {
        var status: Int32
        var bytes: Data
        var notes: String

        var output: String { String(decoding: bytes, as: UTF8.self) }
        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// The executable next to the test bundle, or nil if it was not built.
    static let path: String? = {
        // The bundle is mapped into this process, whichever program runs it.
        let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
        var folders = maps.split(separator: "\n").compactMap { line -> String? in
            guard let start = line.firstIndex(of: "/"), line.hasSuffix(".xctest") else { return nil }
            return (String(line[start...]) as NSString).deletingLastPathComponent
        }
        folders.append(root + "/.build/debug")
        return folders.map { $0 + "/sensorctl" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    static var isBuilt: Bool { path != nil }

    /// The root directory of the package.
    static let root = Checkout.root.path
    static let traces = Checkout.traces.path

    /// A drive of five and a half minutes. Its output is larger than a pipe's buffer.
    static let drive = traces + "/synthetic/mountain-road.json"

    /// Runs sensorctl to its end. After five minutes, it is ended with status 124.
    static func run(_ arguments: [String], environment: [String: String] = [:], input: Data? = nil) throws -> Result {
        try run(program: path ?? "", arguments, environment: environment, input: input)
    }

    /// Runs sensorctl, and checks its exit status and a part of its messages.
    static func expect(
        _ arguments: [String], _ status: Int32, _ message: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let result = try run(arguments)
        let isExpected = result.status == status && result.notes.contains(message)
        #expect(isExpected, "\(result.status) \(result.notes)", sourceLocation: sourceLocation)
    }

    /// Defines the shell function `signal_when NUMBER CONDITION PROGRAM ...`, which runs a program and sends it a
    /// signal as soon as a shell condition is met. In the condition, $PID is the ID of the program's process. A program
    /// that ignores the signal for a minute is killed, so its status is 137.
    static let signalWhen =
        #"signal_when() { sh -c 'export PID=$$; (while kill -0 $PID && ! eval "$2"; do sleep 0.05; done; "#
        + #"kill -"$1" $PID; for I in $(seq 1200); do sleep 0.05; kill -0 $PID || exit 0; done; kill -9 $PID"#
        + #") 2>/dev/null & shift 2; exec "$@"' sh "$@"; }; "#

    /// A condition for ``signalWhen``: the file $L contains an escape character, so a picture has been drawn.
    static let hasDrawn = #"grep -q "$(printf "\033")" "$L""#

    /// Runs a bash command with the executable as $0.
    static func shell(_ line: String, _ arguments: [String] = []) throws -> Result {
        try run(program: "/bin/bash", ["-c", line, path ?? ""] + arguments, environment: [:], input: nil)
    }

    private static func run(
        program: String, _ arguments: [String], environment: [String: String], input: Data?
    ) throws -> Result {
        let folder = try TemporaryFolder()
        let outputPath = folder.path + "/output"
        let notesPath = folder.path + "/notes"
        let inputPath = folder.path + "/input"
        for path in [outputPath, notesPath] { try Data().write(to: URL(fileURLWithPath: path)) }
        try (input ?? Data()).write(to: URL(fileURLWithPath: inputPath))
        let process = Process()
        // Tests in the background of a script, or after nohup, may inherit ignored signals.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["--default-signal", "/usr/bin/timeout", "300", program] + arguments
        process.environment = Self.environment.merging(environment) { $1 }
        process.standardOutput = FileHandle(forWritingAtPath: outputPath)
        process.standardError = FileHandle(forWritingAtPath: notesPath)
        process.standardInput = FileHandle(forReadingAtPath: inputPath)
        try process.run()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus, bytes: try Data(contentsOf: URL(fileURLWithPath: outputPath)),
            notes: try String(contentsOfFile: notesPath, encoding: .utf8))
    }

    /// An environment without a gpsd server and without the configuration of this machine.
    static let environment = [
        "PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "DEVICE_SERVICES_CONFIG": "",
        "DEVICE_SERVICES_GPSD": "gpsd://127.0.0.1:1",
    ]
}

/// A directory that exists as long as the object.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "sensorctl-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
