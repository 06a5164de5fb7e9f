// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A process that subscribes to motion sensors and prints their events.
final class MotionProgram: Sendable {
    /// A reading with the time of its measurement.
    struct Reading: Sendable {
        let time: Int64
        let arrival: Int64
        let value: [Double]
    }

    let process: ChildProcess

    init(_ arguments: [String], environment: [String: String]) throws {
        process = try ChildProcess(.commands, ["motion"] + arguments, environment: environment)
    }

    /// Starts a program that reads from a server on this machine.
    convenience init(_ arguments: [String], port: UInt16, environment: [String: String] = [:]) throws {
        try self.init(
            arguments, environment: environment.merging(["DEVICE_SERVICES_IIO": "ip:127.0.0.1:\(port)"]) { $1 })
    }

    var lines: Journal<String> { process.lines }

    /// The lines of this event so far.
    func all(_ event: String) -> [MotionLine] {
        lines.elements.filter { MotionLine.is($0, event) }.compactMap { MotionLine($0) }
    }

    func count(_ event: String) -> Int { lines.elements.count { MotionLine.is($0, event) } }

    /// Waits for `count` lines of an event.
    func wait(for event: String, count: Int = 1) async -> Bool {
        await lines.wait { lines in lines.count { MotionLine.is($0, event) } >= count }
    }

    /// Waits for samples that arrive after all lines so far.
    func waitForMoreSamples(count: Int = 1) async -> Bool {
        let before = self.count("samples")
        return await wait(for: "samples", count: before + count)
    }

    /// The readings of a kind so far, in order.
    func readings(_ kind: String) -> [Reading] {
        all("samples").filter { $0.kind == kind }.flatMap { line in
            zip(line.times ?? [], line.values ?? []).map { time, value in
                Reading(time: time, arrival: line.arrival ?? 0, value: value)
            }
        }
    }

    /// Sends a request to the program and waits for the answer.
    func ask(_ question: String, answer: String? = nil) async throws -> MotionLine {
        let answer = answer ?? question
        let before = count(answer)
        process.write(question + "\n")
        try #require(await wait(for: answer, count: before + 1), "the program does not answer to \(question)")
        return try #require(all(answer).last)
    }

    /// The sensors that the program has found.
    func sensors() async throws -> [MotionLine.Sensor] { try #require(try await ask("sensors").sensors) }

    /// Waits until the program has only its main thread.
    func isIdle() async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(timeout)
        while try await ask("use").threads != 1 {
            guard ContinuousClock.now < deadline else { return false }
            // Polls, because no event reports the end of a thread in another process.
            try await Task.sleep(for: .milliseconds(5))
        }
        return true
    }

    /// Unsubscribes and ends the program. Returns how it ended, nil on timeout.
    func end() async -> ChildProcess.End? {
        process.write("stop\n")
        _ = await wait(for: "stopped")
        process.write("end\n")
        return await process.wait()
    }
}
