// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Debian's broker on its own port. It can be killed and restarted with its stored state.
final class Broker {
    struct Failure: Error, CustomStringConvertible { let description: String }

    #if LibMosquitto
    static let isThere = program("mosquitto") != nil && program("mosquitto_sub") != nil
    #else
    static let isThere = false
    #endif
    static let isMissing: Comment =
        "this needs mosquitto and mosquitto-clients, and a build with --traits LibMosquitto"

    let port: UInt16
    private let folder: URL
    private var process: Process?
    private var subscriber: Process?

    init(in folder: URL) throws {
        self.folder = folder
        port = try Self.freePort()
        let settings = [
            // By default mosquitto switches from root to a user that cannot access this folder.
            "user root", "listener \(port) 127.0.0.1", "allow_anonymous true", "max_queued_messages 0",
            // Each change is on disk before the next one.
            "persistence true", "persistence_location \(folder.path)/", "autosave_on_changes true",
            "autosave_interval 1",
        ]
        try Data((settings.joined(separator: "\n") + "\n").utf8).write(to: folder.appendingPathComponent("broker.conf"))
        try start()
    }

    deinit {
        kill()
        subscriber?.killAndWait()
    }

    var address: String { "mqtt://127.0.0.1:\(port)" }

    /// Starts the broker and returns when it listens.
    func start() throws {
        let configuration = folder.appendingPathComponent("broker.conf").path
        let process = try run("mosquitto", ["-v", "-c", configuration], "broker.log")
        self.process = process
        // The log of the last start, because each start begins a new file.
        try Self.wait("mosquitto does not run: \(text("broker.log"))") {
            process.isRunning && text("broker.log").contains(" running")
        }
    }

    /// Kills the broker with SIGKILL.
    func kill() { process?.killAndWait() }

    /// Subscribes mosquitto_sub to all topics of OwnTracks, with a persistent session.
    func follow() throws {
        subscriber = try run(
            "mosquitto_sub",
            ["-h", "127.0.0.1", "-p", "\(port)", "-t", "owntracks/#", "-q", "1", "-c", "-i", "test", "-d"]
                + ["-F", "MESSAGE %t %p"], "messages.log")
        try Self.wait("mosquitto_sub does not follow: \(text("messages.log"))") {
            text("messages.log").contains("Subscribed")
        }
    }

    /// Returns the positions received on a topic, in order of their first arrival. A message that was in transit when a
    /// connection broke may arrive again.
    func positions(_ topic: String) throws -> [[String: Any]] {
        let head = "MESSAGE \(topic) "
        var seen: Set<Substring> = []
        // The last line may be incomplete.
        return try text("messages.log").split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .filter { $0.hasPrefix(head) && $0.contains(#""_type":"location""#) && seen.insert($0).inserted }
            .compactMap {
                try JSONSerialization.jsonObject(with: Data($0.dropFirst(head.count).utf8)) as? [String: Any]
            }
    }

    /// The number of received messages with a position, including duplicates.
    var arrivals: Int { text("messages.log").split(separator: "\n").count { $0.contains(#""_type":"location""#) } }

    /// Polls a condition that no event reports, for at most a minute.
    static func wait(_ problem: @autoclosure () -> String, until isTrue: () throws -> Bool) throws {
        let end = ContinuousClock.now + .seconds(60)
        while try !isTrue() {
            guard ContinuousClock.now < end else { throw Failure(description: problem()) }
            usleep(10_000)
        }
    }

    private func text(_ name: String) -> String {
        (try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)) ?? ""
    }

    private func run(_ name: String, _ arguments: [String], _ output: String) throws -> Process {
        let file = folder.appendingPathComponent(output)
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        let process = Process()
        // Line-buffered, because mosquitto_sub otherwise buffers its output to a file.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["stdbuf", "-oL", try #require(Self.program(name)).path] + arguments
        (process.standardOutput, process.standardError) = (handle, handle)
        try process.run()
        return process
    }

    /// Finds servers as well, which are not in every user's PATH.
    private static func program(_ name: String) -> URL? {
        Programs.find(name)
            ?? ["/usr/sbin", "/usr/local/sbin"].map { URL(fileURLWithPath: "\($0)/\(name)") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// Returns an unused port below the ephemeral range, because it is released and used again.
    private static func freePort() throws -> UInt16 {
        for _ in 0..<1000 {
            let port = UInt16.random(in: 20_000..<30_000)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if result == 0 { return port }
        }
        throw Failure(description: "no port is free")
    }
}

extension Process {
    fileprivate func killAndWait() {
        if isRunning { kill(processIdentifier, SIGKILL) }
        waitUntilExit()
    }
}
