// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SystemCalls
import Testing

/// A running sensorctl with output that the test reads.
final class RunningTool {
    private let process = Process()
    private let output = OutputLines()
    private let notes = OutputLines()
    private let terminated = BinarySemaphore()

    /// - Parameters:
    ///   - isOutputFull: true for a full pipe on standard output that is never read.
    ///   - areNotesFull: true for a full pipe on standard error. Otherwise standard error is discarded.
    init(
        _ arguments: [String], environment: [String: String] = [:], isOutputFull: Bool = false,
        areNotesFull: Bool = false
    ) throws {
        if isOutputFull { output.fill() }
        if areNotesFull { notes.fill() }
        // Tests in the background of a script, or after nohup, may inherit ignored signals.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["--default-signal", Tool.path ?? ""] + arguments
        process.environment = Tool.environment.merging(environment) { $1 }
        process.standardOutput = output.pipe
        process.standardError = areNotesFull ? notes.pipe : FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        process.terminationHandler = { [terminated] _ in terminated.signal() }
        try process.run()
    }

    deinit { if process.isRunning { endByForce() } }

    var isRunning: Bool { process.isRunning }

    /// Returns the next line, or nil at the end of the output or after 60 s without output.
    func nextLine() -> String? { output.nextLine() }

    /// The text after the last complete line, at the end of the output.
    var unfinishedLine: String { output.unfinished }

    func send(signal number: Int32) { kill(process.processIdentifier, number) }

    /// Sends a signal and returns the status, like ``status(sourceLocation:)``.
    func end(_ signal: Int32 = SIGTERM, sourceLocation: SourceLocation = #_sourceLocation) -> Int32 {
        send(signal: signal)
        return status(sourceLocation: sourceLocation)
    }

    /// Waits for the end of the process. After 60 s, kills it and fails. Negative if a signal ended it.
    func status(sourceLocation: SourceLocation = #_sourceLocation) -> Int32 {
        if !terminated.wait(seconds: 60) {
            Issue.record("The tool has not ended within a minute.", sourceLocation: sourceLocation)
            endByForce()
        }
        // Signals again for later calls.
        terminated.signal()
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// Kills the process and its process group.
    private func endByForce() {
        kill(-process.processIdentifier, SIGKILL)
        kill(process.processIdentifier, SIGKILL)
    }
}
