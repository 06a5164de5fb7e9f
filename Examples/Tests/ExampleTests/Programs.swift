// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedServers
import Testing
import Trace

/// Runs the examples and other programs as separate processes.
enum Programs {
    /// The end of a program, with its output.
    struct End {
        var lines: [String]
        var status: Int32
        var wasKilled: Bool
    }

    /// Finds a program by name: an example next to the tests, or an installed program.
    static func find(_ name: String) -> URL? {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders =
            [URL(fileURLWithPath: own).deletingLastPathComponent().path] + path.split(separator: ":").map(String.init)
        return folders.map { URL(fileURLWithPath: "\($0)/\(name)") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// Runs a program until it ends, or until its output suffices, and then sends it a signal.
    ///
    /// A program without output for a minute is killed, and the test fails because output is missing.
    static func run(
        _ name: String, _ arguments: [String] = [], environment: [String: String] = [:], input: String = "",
        signal number: Int32 = SIGKILL, until isEnough: ([String]) -> Bool = { _ in false }
    ) throws -> End {
        let process = Process()
        let (output, typed) = (Pipe(), Pipe())
        let program = try #require(find(name), "There is no \(name): build the package first.")
        process.executableURL = program
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        (process.standardOutput, process.standardError, process.standardInput) = (output, output, typed)
        try withSignals { try process.run() }
        try typed.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        let watchdog = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: watchdog)
        var text = Data()
        var isOver = false
        while true {
            let piece = output.fileHandleForReading.availableData
            if piece.isEmpty { break }
            text += piece
            if !isOver, isEnough(lines(text)) {
                isOver = true
                kill(process.processIdentifier, number)
            }
        }
        process.waitUntilExit()
        watchdog.cancel()
        return End(
            lines: lines(text), status: process.terminationStatus,
            wasKilled: process.terminationReason == .uncaughtSignal)
    }

    /// Unblocks all signals, because the test threads block signals and a program would inherit that.
    private static func withSignals(_ body: () throws -> Void) rethrows {
        var (none, former) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        try body()
    }

    private static func lines(_ text: Data) -> [String] {
        String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
    }
}

/// Runs the closure with the environment of a board that plays the trace, and with a folder for stored state.
func withBoard<Result>(
    _ trace: TraceFile, speed: Double = 1, state: URL? = nil, _ body: ([String: String]) throws -> Result
) throws -> Result {
    var options = SimulatedServersOptions()
    options.speed = speed
    let servers = try SimulatedServers([trace], options: options)
    var environment = try servers.start()
    defer { servers.stop() }
    if let state { environment["DEVICE_SERVICES_STATE"] = state.path }
    return try body(environment)
}

/// Tests that run in real time, one after the other.
@Suite("Examples as programs", .serialized) struct ProgramTests {}
