// SPDX-License-Identifier: Apache-2.0

import AccessorySimulator
import Foundation
import TestSupport
import Trace

/// The program that communicates with accessories, in a separate process.
final class AccessoryProgram: Sendable {
    let process: ChildProcess

    /// Starts the program with the accessories declared in a folder.
    init(_ protocolName: String = "com.example.probe", _ flags: [String] = [], folder: String) throws {
        process = try ChildProcess(
            .apps, ["session", protocolName] + flags, environment: ["DEVICE_SERVICES_ACCESSORIES": folder])
    }

    /// Wraps a process that is already running.
    init(process: ChildProcess) {
        self.process = process
    }

    /// Sends a command to the program.
    func command(_ text: String) {
        process.write(text + "\n")
    }

    /// Waits at most a minute for a line that contains the text, skipping the first `start` lines. Returns its index.
    func line(_ text: String, after start: Int = 0) async -> Int? {
        _ = await process.lines.wait { lines in lines.dropFirst(start).contains { $0.contains(text) } }
        return process.lines.elements.dropFirst(start).firstIndex { $0.contains(text) }
    }

    /// Waits at most a minute until the bytes that the program has read contain the text, which may arrive in parts.
    func hasRead(_ text: String) async -> Bool {
        let (start, end) = (#"{"event":"read","text":""#, #""}"#)
        return await process.lines.wait { lines in
            lines.filter { $0.hasPrefix(start) }.map { $0.dropFirst(start.count).dropLast(end.count) }.joined()
                .contains(text)
        }
    }

    /// The last lines of output, for failure messages.
    var said: String { process.lines.elements.suffix(12).joined(separator: "\n") }

    var use: Use { Use(of: process.identifier) }

    /// The number that the next opened descriptor gets.
    var firstFreeDescriptor: Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.identifier)/fd")) ?? []
        let taken = Set(names.compactMap { Int($0) })
        return (0...taken.count).first { !taken.contains($0) } ?? taken.count
    }
}

extension AccessorySimulator {
    /// Waits at most a minute until the condition holds.
    func wait(until holds: (AccessorySimulator) -> Bool) async -> Bool {
        for _ in 0..<12_000 {
            if holds(self) { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }
}
