// SPDX-License-Identifier: Apache-2.0

import AccessorySimulator
import Foundation
import TestSupport
import Trace

/// The program that talks to accessories, as a process of its own.
final class AccessoryProgram: Sendable {
    let process: ChildProcess

    /// Starts it for the accessories of a folder.
    init(_ protocolName: String = "com.example.probe", _ flags: [String] = [], folder: String) throws {
        process = try ChildProcess(
            .apps, ["session", protocolName] + flags, environment: ["DEVICE_SERVICES_ACCESSORIES": folder])
    }

    /// One that was started otherwise.
    init(process: ChildProcess) {
        self.process = process
    }

    /// Gives it a command.
    func command(_ text: String) {
        process.write(text + "\n")
    }

    /// Waits, a minute at most, for a line that holds the text behind the first so many lines; answers its place.
    func line(_ text: String, after start: Int = 0) async -> Int? {
        _ = await process.lines.wait { lines in lines.dropFirst(start).contains { $0.contains(text) } }
        return process.lines.elements.dropFirst(start).firstIndex { $0.contains(text) }
    }

    /// What it has said, for messages of tests.
    var said: String { process.lines.elements.suffix(12).joined(separator: "\n") }

    var use: Use { Use(of: process.identifier) }

    /// The number that the next file it opens has.
    var firstFreeDescriptor: Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.identifier)/fd")) ?? []
        let taken = Set(names.compactMap { Int($0) })
        return (0...taken.count).first { !taken.contains($0) } ?? taken.count
    }
}

extension AccessorySimulator {
    /// Waits, a minute at most, until the condition holds.
    func wait(until holds: (AccessorySimulator) -> Bool) async -> Bool {
        for _ in 0..<12_000 {
            if holds(self) { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }
}
