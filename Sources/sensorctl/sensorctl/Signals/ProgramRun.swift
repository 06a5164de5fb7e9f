// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import Synchronization
import SystemCalls

/// A program that a verb runs, or the wait of a verb without one.
final class ProgramRun {
    private let program: [String]
    private let stop: Stop
    private let relay: SignalRelay?
    private let termination: Termination?

    /// Takes the signals from here on: made before there is anything that a signal could leave behind.
    ///
    /// - Parameter program: with its arguments; empty for none.
    init(_ program: [String], stop: Stop) {
        self.program = program
        self.stop = stop
        relay = program.isEmpty ? nil : SignalRelay()
        termination = program.isEmpty ? Termination(stop) : nil
    }

    /// Runs the program as if it had been started in the place of this one: signals that this one gets are passed on, and
    /// its exit code is thrown where that is not 0, 128 and the signal's number when a signal has ended it. Without a
    /// program it says what there is, and waits for the end.
    ///
    /// - Parameters:
    ///   - environment: what is added to this one's for the program.
    ///   - duration: after so many seconds all ends, which is no failure; nil for never.
    ///   - announce: called without a program.
    func run(environment: [String: String], duration: Double?, announce: (StandardOutput) -> Void) async throws {
        Termination.schedule(stop, after: duration)
        guard let relay else {
            announce(StandardOutput(stop: stop))
            defer { withExtendedLifetime(termination) {} }
            return try await stop.wait().status(isComplete: true, shortfall: "").end()
        }
        defer { relay.stop() }
        let child: ChildProgram
        do throws(DeviceError) {
            child = try ChildProgram(program, environment: environment)
        } catch {
            Notes.fail(error.description)
            throw ExitCode(127)
        }
        relay.start { child.passOn($0) }
        stop.whenRequested { child.terminate() }
        let status = await child.waitForEnd()
        if case .timeIsUp = stop.reason { return }
        if status != 0 { throw ExitCode(status) }
    }
}

/// The time in which the program waits for its input. Nothing has been printed yet, so a signal may end it at once.
final class ReadingPhase: Sendable {
    private let isReading = Mutex(false)

    func during<Result>(_ body: () throws -> Result) rethrows -> Result {
        isReading.withLock { $0 = true }
        defer { isReading.withLock { $0 = false } }
        return try body()
    }

    /// Ends the program with success if it is reading.
    func endIfReading() { if isReading.withLock({ $0 }) { exit(ExitStatus.success.rawValue) } }
}
