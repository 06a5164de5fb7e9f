// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import TestSupport
import Testing

/// A program that monitors devices, on a stage where the test adds and removes devices.
final class UdevStage: Sendable {
    private let process: ChildProcess

    /// Runs in separate namespaces, where the test sends the messages. udevd appears to run if `daemon` is true.
    static func isolated(daemon: Bool, _ arguments: [String]) throws -> UdevStage {
        let isolation = try #require(Tools.isolation)
        let python = try #require(Tools.python)
        let unshare = try #require(Tools.unshare)
        var command = isolation + [python, "-B", script("udev_stage.py")]
        if daemon { command.append("--daemon") }
        command += try TestProgram.commands.command("udev", "--reachable")
        return UdevStage(try ChildProcess(unshare, command + arguments))
    }

    /// Runs with devices simulated by umockdev.
    static func mocked(_ arguments: [String]) throws -> UdevStage {
        let wrapper = try #require(Tools.umockdevWrapper)
        let python = try #require(Tools.python)
        let command = try [python, "-B", script("mock_stage.py")] + TestProgram.commands.command("udev")
        return UdevStage(try ChildProcess(wrapper, command + arguments))
    }

    private init(_ process: ChildProcess) {
        self.process = process
    }

    private static func script(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Udev/\(name)").path
    }

    /// The events so far, without the answers to commands.
    var events: [UdevLine] { process.lines.elements.compactMap(UdevLine.init).filter { !$0.isAnswer } }

    /// The events about devices. Others depend on whether the machine runs udevd.
    var devices: [UdevLine] { events.filter { $0.event != "problem" } }

    /// Sends a command and returns when it has completed.
    func perform(_ command: String) async throws {
        let count = count("done")
        process.write(command + "\n")
        try #require(
            await process.lines.wait { Self.count("done", $0) > count }, "\(command): \(process.lines.elements)")
    }

    /// Sends a command to the program or the stage and returns the answer.
    func ask(_ command: String, answer: String) async throws -> UdevLine {
        let count = count(answer)
        process.write(command + "\n")
        try #require(await process.lines.wait { Self.count(answer, $0) > count }, "\(command)")
        return try #require(process.lines.elements.compactMap(UdevLine.init).last { $0.event == answer })
    }

    /// The statistics of the monitor's thread.
    func statistics() async throws -> UdevLine { try await ask("program statistics", answer: "statistics") }

    /// Waits until the events, without answers, satisfy the condition.
    func wait(until holds: @escaping @Sendable ([UdevLine]) -> Bool) async -> Bool {
        await process.lines.wait { lines in holds(lines.compactMap(UdevLine.init).filter { !$0.isAnswer }) }
    }

    /// Waits for `count` events with this name and path.
    func waits(for event: String, _ path: String, count: Int = 1) async -> Bool {
        await process.lines.wait { lines in
            // Does not decode the lines, because tens of thousands may arrive.
            lines.filter { $0.hasPrefix(#"{"event":"\#(event)","path":"\#(path)""#) }.count >= count
        }
    }

    /// The paths of the devices that are present according to the events so far.
    var paths: Set<String> {
        var paths: Set<String> = []
        for line in events {
            switch line.event {
            case "snapshot": paths = Set(line.paths)
            case "added": paths.formUnion([line.path ?? ""])
            case "removed": paths.subtract([line.path ?? ""])
            default: break
            }
        }
        return paths
    }

    /// Ends the program and waits until the stage has removed its files, such as umockdev's folder. Returns the exit
    /// status of the program.
    func end() async throws -> Int? {
        let status = try await ask("end", answer: "ended").status
        _ = await process.wait()
        return status
    }

    private func count(_ event: String) -> Int { Self.count(event, process.lines.elements) }

    private static func count(_ event: String, _ lines: [String]) -> Int {
        lines.filter { $0.hasPrefix(#"{"event": "\#(event)""#) || $0.hasPrefix(#"{"event":"\#(event)""#) }.count
    }
}
