// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import TestSupport
import Testing

/// A program that watches devices, on a stage where a test lets devices come and go.
final class UdevStage: Sendable {
    private let process: ChildProcess

    /// In namespaces of its own, where messages are what the test sends; `daemon` when udevd seems to run.
    static func isolated(daemon: Bool, _ arguments: [String]) throws -> UdevStage {
        let isolation = try #require(Tools.isolation)
        let python = try #require(Tools.python)
        let unshare = try #require(Tools.unshare)
        var command = isolation + [python, "-B", script("udev_stage.py")]
        if daemon { command.append("--daemon") }
        command += try TestProgram.commands.command("udev", "--heard")
        return UdevStage(try ChildProcess(unshare, command + arguments))
    }

    /// With devices of umockdev's descriptions.
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

    /// What has been told, without the answers to commands.
    var events: [UdevLine] { process.lines.elements.compactMap(UdevLine.init).filter { !$0.isAnswer } }

    /// Those about devices: whether udevd runs depends on the machine.
    var devices: [UdevLine] { events.filter { $0.event != "problem" } }

    /// Lets something happen, and returns when it has.
    func perform(_ command: String) async throws {
        let count = count("done")
        process.write(command + "\n")
        try #require(
            await process.lines.wait { Self.count("done", $0) > count }, "\(command): \(process.lines.elements)")
    }

    /// Asks the program or the stage, and returns the answer.
    func ask(_ command: String, answer: String) async throws -> UdevLine {
        let count = count(answer)
        process.write(command + "\n")
        try #require(await process.lines.wait { Self.count(answer, $0) > count }, "\(command)")
        return try #require(process.lines.elements.compactMap(UdevLine.init).last { $0.event == answer })
    }

    /// What the monitor's thread has done so far.
    func statistics() async throws -> UdevLine { try await ask("program statistics", answer: "statistics") }

    /// Waits until the events, without answers, hold.
    func wait(until holds: @escaping @Sendable ([UdevLine]) -> Bool) async -> Bool {
        await process.lines.wait { lines in holds(lines.compactMap(UdevLine.init).filter { !$0.isAnswer }) }
    }

    /// Waits for a line that begins with that event and names that path.
    func waits(for event: String, _ path: String, count: Int = 1) async -> Bool {
        await process.lines.wait { lines in
            // Without decoding: there are tens of thousands.
            lines.filter { $0.hasPrefix(#"{"event":"\#(event)","path":"\#(path)""#) }.count >= count
        }
    }

    /// The paths of the devices that are there, as the events so far tell it.
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

    /// Ends the program, and waits until nothing is left of the stage, such as umockdev's folder; how the program ended.
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
