// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing

/// A private message bus with python-dbusmock's BlueZ.
final class BlueZMock {
    static let python = "/usr/bin/python3"
    static let missing: Comment =
        "dbus-daemon or python3-dbusmock is not installed: apt-get install dbus python3-dbusmock"

    /// True if the mock can run on this machine.
    static let isInstalled: Bool = {
        let files = FileManager.default
        guard files.isExecutableFile(atPath: python), files.isExecutableFile(atPath: "/usr/bin/dbus-daemon") else {
            return false
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = ["-c", "import dbusmock"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    private let folder: URL
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init() throws {
        // A short path, because a socket's path is limited to 108 bytes.
        folder = URL(fileURLWithPath: "/tmp/bluez-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("bluez_mock.py")
        process.executableURL = URL(fileURLWithPath: Self.python)
        process.arguments = [script.path, folder.path]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        #expect(line() == "ready")
    }

    deinit {
        input.fileHandleForWriting.closeFile()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    var address: String { "unix:path=\(folder.path)/bus" }

    /// Runs a command of the mock and returns its answer.
    @discardableResult
    func run(_ command: String) throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
        let reply = line() ?? "error: no answer"
        #expect(!reply.hasPrefix("error"), "\(command): \(reply)")
        return reply
    }

    private func line() -> String? {
        var bytes: [UInt8] = []
        let descriptor = output.fileHandleForReading.fileDescriptor
        while true {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            var byte: UInt8 = 0
            guard poll(&entry, 1, 60_000) > 0, read(descriptor, &byte, 1) == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
    }
}

/// Records the events of a source for tests that wait for them.
final class BeaconEventLog: @unchecked Sendable {
    private let condition = NSCondition()
    private var list: [String] = []

    /// The events: "1/2 -60" for a sighting, "lost CODE" or "regained".
    var texts: [String] { condition.withLock { list } }

    func receive(_ event: BeaconEvent) {
        condition.withLock {
            switch event {
            case .sighting(let sighting):
                list.append("\(sighting.identity.major)/\(sighting.identity.minor) \(sighting.rssi ?? 0)")
            case .lost(let error): list.append("lost \(error.code)")
            case .regained: list.append("regained")
            }
            condition.broadcast()
        }
    }

    /// Waits for that many events. Returns false if they do not arrive within a minute.
    func wait(for count: Int) -> Bool { wait { $0.count >= count } }

    func wait(until isReached: ([String]) -> Bool) -> Bool {
        let limit = Date(timeIntervalSinceNow: 60)
        return condition.withLock {
            while !isReached(list) { if !condition.wait(until: limit) { return false } }
            return true
        }
    }
}
