// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import Dispatch
import Foundation
import Synchronization
import SystemCalls

/// A program that a verb runs, or the wait of a verb without one.
final class ProgramRun {
    private let program: [String]
    private let stop = Stop()
    private let relay: SignalRelay?
    private let termination: Termination?

    /// Takes the signals from here on: made before there is anything that a signal could leave behind.
    ///
    /// - Parameter program: with its arguments; empty for none.
    init(_ program: [String]) {
        self.program = program
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
            child = try ChildProgram.start(program, environment: environment)
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

/// A program that this one has started, with the same input and output unless it is given others. It ends with this one.
final class ChildProgram: Sendable {
    private struct State {
        var process: Result<pid_t, DeviceError>?
        /// Its exit code when it has ended; 128 and the signal's number when a signal has ended it.
        var status: Int32?
        var waiter: CheckedContinuation<Int32, Never>?

        /// Its number, as long as that is its own.
        var running: pid_t? { status == nil ? try? process?.get() : nil }
    }

    private let state = Mutex(State())

    private init() {}

    /// Starts the program, which is looked for in PATH. The error says why it cannot be.
    ///
    /// - Parameters:
    ///   - input: the open file that it reads; nil for the input of this one.
    ///   - output: the open file that it writes; nil for the output of this one.
    static func start(
        _ arguments: [String], environment: [String: String] = [:], input: Int32? = nil, output: Int32? = nil
    ) throws(DeviceError) -> ChildProgram {
        let (child, bell) = (ChildProgram(), Bell())
        // The system takes the end of the thread that has started a program for the end of its parent: that thread waits
        // for the program.
        try WorkerThread.start { child.run(arguments, environment, [input, output], bell) }
        while true {
            bell.wait(seconds: 60)
            guard let process = child.state.withLock({ $0.process }) else { continue }
            _ = try process.get()
            return child
        }
    }

    private func run(
        _ arguments: [String], _ environment: [String: String], _ streams: [Int32?], _ started: Bell
    ) {
        let process: pid_t
        do throws(DeviceError) {
            process = try Self.spawn(arguments, environment, streams)
        } catch {
            state.withLock { $0.process = .failure(error) }
            return started.ring()
        }
        state.withLock { $0.process = .success(process) }
        started.ring()
        var information = siginfo_t()
        // Its number stays its own until it is collected.
        while waitid(P_PID, id_t(process), &information, Int32(WEXITED | WNOWAIT)) != 0, errno == EINTR {}
        let (status, waiter) = state.withLock { state in
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            let code = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
            state.status = code
            return (code, state.waiter)
        }
        waiter?.resume(returning: status)
    }

    private static func spawn(
        _ arguments: [String], _ added: [String: String], _ streams: [Int32?]
    ) throws(DeviceError) -> pid_t {
        let environment = ProcessInfo.processInfo.environment.merging(added) { $1 }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // What this program holds back, and the broken pipes that it ignores, are its own affair. What it was told to ignore
        // when it was started stays so for the other one.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, file) in streams.enumerated() {
            if let file { posix_spawn_file_actions_adddup2(&actions, file, Int32(number)) }
        }
        guard let name = arguments.first else { throw DeviceError(.notFound, "No program was named.") }
        let program = ParentBond.words(for: arguments)
        let words = program.map { strdup($0) }
        let settings = environment.map { strdup("\($0.key)=\($0.value)") }
        defer { for text in words + settings { free(text) } }
        var process = pid_t()
        let result = posix_spawnp(
            &process, program.first ?? name, &actions, &attributes, words + [nil], settings + [nil])
        guard result == 0 else {
            throw DeviceError(
                .notFound, "\(name) cannot be started. Is it in PATH, and executable?",
                cause: .system(call: "posix_spawnp", errno: result))
        }
        return process
    }

    /// Seconds that it has to end in when it is asked to.
    static let patience = 5

    /// Asks it to end, if it runs; ends it when it does not listen.
    func terminate() {
        send(SIGTERM)
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.patience)) { self.send(SIGKILL) }
    }

    /// Passes on a signal that this process has got, unless the program has got it too.
    ///
    /// What the terminal sends, as for Ctrl-C, goes to all of a process group, and many programs take a second one for
    /// impatience. It does not reach a program with a group of its own, and the end of the terminal is told to the leader
    /// of the session alone.
    func passOn(_ arrival: SignalInbox.Arrival) {
        if arrival.isOfTerminal {
            let isForLeader = arrival.number == SIGHUP && getsid(0) == getpid()
            let isInGroup = state.withLock { $0.running.map { getpgid($0) == getpgrp() } ?? true }
            if isInGroup, !isForLeader { return }
        }
        send(arrival.number)
    }

    /// Sends it a signal, if it runs.
    private func send(_ signal: Int32) {
        // Under the lock, because afterwards the number may be somebody else's.
        state.withLock { state in if let process = state.running { _ = kill(process, signal) } }
    }

    /// Returns its exit code when it has ended; 128 and the signal's number when a signal has ended it.
    func waitForEnd() async -> Int32 {
        await withCheckedContinuation { continuation in
            let status = state.withLock { state -> Int32? in
                if state.status == nil { state.waiter = continuation }
                return state.status
            }
            if let status { continuation.resume(returning: status) }
        }
    }
}
