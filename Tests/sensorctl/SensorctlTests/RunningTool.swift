// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SystemCalls
import Testing

/// A sensorctl that runs while the test reads what it prints.
final class RunningTool {
    private let process = Process()
    private let output = OutputLines()
    private let notes = OutputLines()
    private let end = Bell()

    /// - Parameters:
    ///   - isOutputFull: true for a reader that reads nothing, ever.
    ///   - areNotesFull: the same of standard error, which goes nowhere otherwise.
    init(
        _ arguments: [String], environment: [String: String] = [:], isOutputFull: Bool = false,
        areNotesFull: Bool = false
    ) throws {
        if isOutputFull { output.fill() }
        if areNotesFull { notes.fill() }
        // Tests that run in the background of a script, or after nohup, may be told to ignore signals.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["--default-signal", Tool.path ?? ""] + arguments
        process.environment = Tool.environment.merging(environment) { $1 }
        process.standardOutput = output.pipe
        process.standardError = areNotesFull ? notes.pipe : FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        process.terminationHandler = { [end] _ in end.ring() }
        try process.run()
    }

    deinit {
        if process.isRunning { endByForce() }
    }

    var isRunning: Bool { process.isRunning }

    /// The next line; nil at the end of the output, or when none comes within a minute.
    func nextLine() -> String? { output.nextLine() }

    /// What was printed behind the last whole line, at the end.
    var unfinishedLine: String { output.unfinished }

    func send(signal number: Int32) {
        kill(process.processIdentifier, number)
    }

    /// Waits for the end, a minute at most, then ends it by force and fails; negative when a signal was it.
    func status(sourceLocation: SourceLocation = #_sourceLocation) -> Int32 {
        if !end.wait(seconds: 60) {
            Issue.record("It goes on for more than a minute.", sourceLocation: sourceLocation)
            endByForce()
        }
        // Once more, for those who ask again.
        end.ring()
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// With the programs that it has started.
    private func endByForce() {
        kill(-process.processIdentifier, SIGKILL)
        kill(process.processIdentifier, SIGKILL)
    }
}
