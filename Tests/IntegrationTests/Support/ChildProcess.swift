// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import SystemCalls
import TestSupport

/// A child process whose lines a test can wait for. It ends when this object is released, at the latest.
final class ChildProcess: Sendable {
    /// The way in which a program ended.
    enum End: Sendable, Equatable {
        case exited(Int32)
        case killed(by: Int32)
    }

    /// The lines of output so far.
    let lines = Journal<String>()
    /// Has one element as soon as the program has written anything.
    let signsOfLife = Journal<Bool>()
    /// Has one element when the output has ended.
    private let outputEnd = Journal<Bool>()
    private let end = Journal<End>()
    private let spawned: Spawn.Result
    private let isReaped = Mutex(false)

    /// Starts the program. `key` names a shared-memory segment that is removed with the program.
    init(_ path: String, _ arguments: [String], environment: [String: String] = [:], key: String = "") throws {
        spawned = try Spawn.start(path, arguments, environment: environment, keeps: [.input, .output])
        ChildGuard.shared.add(spawned.process, key: key)
        Thread.detachNewThread { [spawned, lines, signsOfLife, outputEnd] in
            ChildProcess.read(spawned.output, lines, signsOfLife)
            outputEnd.append(true)
        }
        Thread.detachNewThread { [spawned, end, weak self] in
            var information = siginfo_t()
            while waitid(P_PID, id_t(spawned.process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            // After the process has been reaped, its ID may belong to another process and must not be used for signals.
            let status = self?.isReaped.withLock { reaped in
                reaped = true
                return ChildProcess.reap(spawned.process)
            }
            end.append(status ?? ChildProcess.reap(spawned.process))
        }
    }

    /// Starts a program that was built with the tests. It ignores the configuration and the stored state of the machine
    /// and stores nothing.
    convenience init(_ program: TestProgram, _ arguments: [String], environment: [String: String] = [:]) throws {
        let settings = [
            "DEVICE_SERVICES_CONFIG": try ConfigurationFile.empty.get().path, "DEVICE_SERVICES_STATE": "/dev/null/none",
        ]
        try self.init(try program.path, arguments, environment: settings.merging(environment) { $1 })
    }

    deinit {
        signal(SIGKILL)
        close(spawned.input)
        ChildGuard.shared.drop(spawned.process)
    }

    var identifier: pid_t { spawned.process }

    /// Sends a signal to the program and its child processes.
    func signal(_ number: Int32) {
        isReaped.withLock { reaped in
            // The group outlives its first process if that process left others behind.
            if reaped, number != SIGKILL { return }
            _ = Glibc.kill(-spawned.process, number)
        }
    }

    /// Kills the process group and returns when the program has ended.
    func kill() async {
        signal(SIGKILL)
        _ = await end.wait { !$0.isEmpty }
    }

    /// Waits until the program ends. Returns nil on timeout.
    func wait() async -> End? {
        _ = await end.wait { !$0.isEmpty }
        return end.elements.first
    }

    /// Waits until the program ends, and returns all its lines.
    func output() async -> [String] {
        _ = await wait()
        _ = await outputEnd.wait { !$0.isEmpty }
        return lines.elements
    }

    /// Writes to the program's standard input.
    func write(_ text: String) {
        let bytes = Array(text.utf8)
        // The program may have ended, which must not end the tests.
        _ = send(spawned.input, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    private static func reap(_ process: pid_t) -> End {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(by: signal)
    }

    private static func read(_ descriptor: Int32, _ lines: Journal<String>, _ signsOfLife: Journal<Bool>) {
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            if signsOfLife.count == 0 { signsOfLife.append(true) }
            pending += buffer[..<count]
            while let newline = pending.firstIndex(of: 0x0A) {
                lines.append(String(decoding: pending[..<newline], as: UTF8.self))
                pending.removeSubrange(...newline)
            }
        }
        if !pending.isEmpty { lines.append(String(decoding: pending, as: UTF8.self)) }
        close(descriptor)
    }
}
