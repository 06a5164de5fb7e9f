// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import Dispatch
import Foundation
import Synchronization
import SystemCalls

/// Runs the program specified on the command line. If none is specified, waits for a stop request.
final class ProgramRun {
    private let program: [String]
    private let stop = StopRequest()
    private let relay: SignalRelay?
    private let termination: Termination?

    /// Starts handling signals. Create this object after reading all files, so that a signal can still end the process
    /// while it is reading from a pipe. Create it before anything that must be removed at the end, so that a signal
    /// cannot prevent the removal.
    init(_ program: [String]) {
        self.program = program
        relay = program.isEmpty ? nil : SignalRelay()
        termination = program.isEmpty ? Termination(stop) : nil
    }

    /// Runs the program. Throws its exit code unless it is 0. The exit code is 128 plus the signal number if a signal
    /// ended the program, and 127 if the program could not be started. If the program is terminated after `duration`
    /// seconds, throws nothing. If no program is specified, announces the service and waits for a stop request.
    func run(environment: [String: String], duration: Double?, announce: (StandardOutput) -> Void) async throws {
        Termination.schedule(stop, after: duration)
        guard let relay else {
            announce(StandardOutput(stop: stop))
            defer { withExtendedLifetime(termination) {} }
            return try await stop.wait().status().exit()
        }
        defer { relay.stop() }
        let child: ChildProgram
        do throws(DeviceError) {
            child = try ChildProgram.start(program, environment: environment)
        } catch {
            Log.error(error.description)
            throw ExitCode(127)
        }
        relay.start { child.forward($0) }
        stop.onRequest { child.terminate() }
        let status = await child.waitForExit()
        if case .timeIsUp = stop.reason { return }
        if status != 0 { throw ExitCode(status) }
    }
}

/// A child program that ends when this program ends. By default, it shares standard input and output with this program.
final class ChildProgram: Sendable {
    private struct State {
        var process: Result<pid_t, DeviceError>?
        /// The exit code, or 128 plus the number of the signal that ended the program. It is nil until the program
        /// ends.
        var status: Int32?
        var waiter: CheckedContinuation<Int32, Never>?

        var running: pid_t? { status == nil ? try? process?.get() : nil }
    }

    private let state = Mutex(State())

    private init() {}

    /// Starts a program. If `input` or `output` is nil, the child uses this program's standard input or output.
    static func start(
        _ arguments: [String], environment: [String: String] = [:], input: Int32? = nil, output: Int32? = nil
    ) throws(DeviceError) -> ChildProgram {
        let (child, semaphore) = (ChildProgram(), BinarySemaphore())
        // The kernel sends the death signal when the thread that started the child ends, not when the process ends.
        // Therefore, the thread runs until the child has ended.
        try WorkerThread.start { child.run(arguments, environment, [input, output], semaphore) }
        while true {
            semaphore.wait(seconds: 60)
            guard let process = child.state.withLock({ $0.process }) else { continue }
            _ = try process.get()
            return child
        }
    }

    private func run(
        _ arguments: [String], _ environment: [String: String], _ streams: [Int32?], _ started: BinarySemaphore
    ) {
        let process: pid_t
        do throws(DeviceError) {
            process = try Self.spawn(arguments, environment, streams)
        } catch {
            state.withLock { $0.process = .failure(error) }
            return started.signal()
        }
        state.withLock { $0.process = .success(process) }
        started.signal()
        var information = siginfo_t()
        // Waits without reaping the child, so that its process ID stays valid.
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
        // The child starts with no signals blocked and the default action for SIGPIPE. Other signals that are ignored
        // here remain ignored in the child.
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
        let program = ParentDeathSignal.arguments(for: arguments)
        let words = program.map { strdup($0) }
        let settings = environment.map { strdup("\($0.key)=\($0.value)") }
        defer { for text in words + settings { free(text) } }
        var process = pid_t()
        let result = posix_spawnp(
            &process, program.first ?? name, &actions, &attributes, words + [nil], settings + [nil])
        guard result == 0 else {
            throw DeviceError(
                .notFound, "\(name) cannot be started. Check that it is in PATH and executable.",
                cause: .system(call: "posix_spawnp", errno: result))
        }
        return process
    }

    /// The grace period between SIGTERM and SIGKILL, in seconds.
    static let terminationGracePeriod = 5

    func terminate() {
        send(SIGTERM)
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.terminationGracePeriod)) {
            self.send(SIGKILL)
        }
    }

    /// Forwards a signal to the child unless the terminal also sent it to the child. On Ctrl-C, the terminal sends
    /// SIGINT to the whole process group, and many programs end immediately on a second SIGINT. On a hangup, SIGHUP is
    /// sent only to the session leader, so it is forwarded.
    func forward(_ arrival: SignalDispatcher.ReceivedSignal) {
        if arrival.isFromTerminal {
            let isForLeader = arrival.number == SIGHUP && getsid(0) == getpid()
            let isInGroup = state.withLock { $0.running.map { getpgid($0) == getpgrp() } ?? true }
            if isInGroup, !isForLeader { return }
        }
        send(arrival.number)
    }

    private func send(_ signal: Int32) {
        // The process ID cannot be reused while the lock is held.
        state.withLock { state in if let process = state.running { _ = kill(process, signal) } }
    }

    func waitForExit() async -> Int32 {
        await withCheckedContinuation { continuation in
            let status = state.withLock { state -> Int32? in
                if state.status == nil { state.waiter = continuation }
                return state.status
            }
            if let status { continuation.resume(returning: status) }
        }
    }
}
