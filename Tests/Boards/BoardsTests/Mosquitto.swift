// SPDX-License-Identifier: Apache-2.0

import MQTTClient
import DeviceCore
import Foundation
import TestSupport
import Testing

/// Debian's broker on its own port. It can be killed and restarted with its stored state.
final class Mosquitto {
    struct Refusal: Error, CustomStringConvertible { let description: String }

    let port: UInt16
    let folder = NSTemporaryDirectory() + "mosquitto-\(UUID().uuidString)"
    private var process: Process?
    private var subscribers: [Process] = []

    static let program = find("mosquitto")
    static let subscriber = find("mosquitto_sub")
    /// True if the programs are installed and this build includes the library.
    static let isAvailable = program != nil && subscriber != nil && Broker.unavailability == nil
    static let isMissing: Comment =
        "a real broker is tried with mosquitto and mosquitto-clients installed, in a build with the trait LibMosquitto"

    private static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// - Parameter more: Returns additional configuration lines.
    init(_ more: (Mosquitto) throws -> [String] = { _ in ["allow_anonymous true"] }) throws {
        port = try FreePort.next()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let lines =
            [
                // By default mosquitto switches from root to a user that cannot access this folder.
                "user root", "listener \(port) 127.0.0.1", "persistence true", "persistence_location \(folder)/",
                "autosave_interval 1", "autosave_on_changes true", "max_queued_messages 0",
            ] + (try more(self))
        try write("broker.conf", lines.joined(separator: "\n") + "\n")
        try start()
    }

    deinit {
        for process in subscribers + [process].compactMap(\.self) where process.isRunning {
            Glibc.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        try? FileManager.default.removeItem(atPath: folder)
    }

    @discardableResult
    func write(_ name: String, _ text: String, mode: mode_t = 0o600) throws -> String {
        let path = "\(folder)/\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        chmod(path, mode)
        return path
    }

    /// Starts the broker and returns when it accepts connections.
    func start() throws {
        process = try Self.run(Self.program, ["-c", "\(folder)/broker.conf"], output: "\(folder)/broker.log")
        let end = ContinuousClock.now + .seconds(60)
        while !Self.isListening(port) {
            guard ContinuousClock.now < end, process?.isRunning == true else {
                let log = (try? String(contentsOfFile: "\(folder)/broker.log", encoding: .utf8)) ?? ""
                throw Refusal(description: "mosquitto does not listen on port \(port): \(log.suffix(500))")
            }
            // Polls, because no event reports a listening port.
            WorkerThread.sleep(seconds: 0.005)
        }
    }

    /// Kills the broker with SIGKILL.
    func kill() {
        guard let process else { return }
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        self.process = nil
    }

    /// Suspends the broker with SIGSTOP, as when a machine hangs, or resumes it.
    func suspend(_ isSuspended: Bool) {
        if let process { Glibc.kill(process.processIdentifier, isSuspended ? SIGSTOP : SIGCONT) }
    }

    /// Starts mosquitto_sub with a persistent session. Returns a closure that returns the lines received so far.
    func subscribe(_ topic: String, _ options: [String] = []) throws -> () -> [String] {
        let output = "\(folder)/lines-\(UUID().uuidString)"
        let name = "follower-\(UUID().uuidString)"
        subscribers.append(
            try Self.run(
                Self.subscriber,
                [
                    "-h", "127.0.0.1", "-p", "\(port)", "-t", topic, "-q", "1", "-c", "-i", name, "-d", "-F",
                    "MESSAGE %t %r %p",
                ]
                    + options, output: output))
        let lines = {
            ((try? String(contentsOfFile: output, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
        }
        try Self.wait("mosquitto_sub does not follow \(topic)") { lines().contains { $0.hasPrefix("Subscribed") } }
        return { lines().filter { $0.hasPrefix("MESSAGE ") }.map { String($0.dropFirst(8)) } }
    }

    /// Polls a condition that no event reports, for at most a minute.
    static func wait(_ problem: String, seconds: Int = 60, until isTrue: () throws -> Bool) throws {
        let end = ContinuousClock.now + .seconds(seconds)
        while try !isTrue() {
            guard ContinuousClock.now < end else { throw Refusal(description: problem) }
            WorkerThread.sleep(seconds: 0.01)
        }
    }

    private static func run(_ program: String?, _ arguments: [String], output: String) throws -> Process {
        guard let program else { throw Refusal(description: "mosquitto is not installed") }
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        let process = Process()
        // Line-buffered, because mosquitto_sub otherwise buffers its output to a file.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["stdbuf", "-oL", program] + arguments
        let file = FileHandle(forWritingAtPath: output)
        process.standardOutput = file ?? FileHandle.nullDevice
        process.standardError = file ?? FileHandle.nullDevice
        try process.run()
        return process
    }

    private static func isListening(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = LoopbackAddress.of(port: port)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
