// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Debian's broker on a port of its own, which can be killed and comes back with what it had stored.
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
            // It gives root up for a user who may not look into this folder, unless it is told not to.
            "user root", "listener \(port) 127.0.0.1", "allow_anonymous true", "max_queued_messages 0",
            // Each change is on the disk before the next.
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

    /// Starts it and returns when it listens.
    func start() throws {
        let configuration = folder.appendingPathComponent("broker.conf").path
        let process = try run("mosquitto", ["-v", "-c", configuration], "broker.log")
        self.process = process
        // Of its last start: the file begins anew.
        try Self.wait("mosquitto does not run: \(text("broker.log"))") {
            process.isRunning && text("broker.log").contains(" running")
        }
    }

    /// kill -9.
    func kill() { process?.killAndWait() }

    /// Has a client of Debian's follow all that OwnTracks reads. The broker remembers it while either is away.
    func follow() throws {
        subscriber = try run(
            "mosquitto_sub",
            ["-h", "127.0.0.1", "-p", "\(port)", "-t", "owntracks/#", "-q", "1", "-c", "-i", "test", "-d"]
                + ["-F", "MESSAGE %t %p"], "messages.log")
        try Self.wait("mosquitto_sub does not follow: \(text("messages.log"))") {
            text("messages.log").contains("Subscribed")
        }
    }

    /// The positions that have come on a topic, in the order in which they have come first: one that was under way when a
    /// connection broke off may come again.
    func positions(_ topic: String) throws -> [[String: Any]] {
        let head = "MESSAGE \(topic) "
        var seen: Set<Substring> = []
        // The last line may not be whole yet.
        return try text("messages.log").split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .filter { $0.hasPrefix(head) && $0.contains(#""_type":"location""#) && seen.insert($0).inserted }
            .compactMap {
                try JSONSerialization.jsonObject(with: Data($0.dropFirst(head.count).utf8)) as? [String: Any]
            }
    }

    /// How many messages have come with a position, those included that have come twice.
    var arrivals: Int { text("messages.log").split(separator: "\n").count { $0.contains(#""_type":"location""#) } }

    /// Waits for what nothing tells of, a minute at most.
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
        // It would keep lines back where no terminal reads them.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["stdbuf", "-oL", try #require(Self.program(name)).path] + arguments
        (process.standardOutput, process.standardError) = (handle, handle)
        try process.run()
        return process
    }

    /// Servers are not in the path of everybody.
    private static func program(_ name: String) -> URL? {
        Programs.find(name)
            ?? ["/usr/sbin", "/usr/local/sbin"].map { URL(fileURLWithPath: "\($0)/\(name)") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// A port that nobody uses, below those that the system gives to clients: it is given up and used again.
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
