// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A board with a port into which umockdev plugs a serial device, and the program that uses the accessory.
final class RoundsBoard {
    /// Started by the driver, whose lines are mixed with the program's.
    let program: AccessoryProgram
    /// The program's process.
    let identifier: pid_t
    private var received = 0

    /// - Parameter byUdevd: Whether udevd appears to run, which requires namespaces.
    init(greeting: String, byUdevd: Bool, _ configuration: ConfigurationFile) async throws {
        var command = [
            try #require(Tools.umockdevWrapper), try #require(Tools.python), Tools.udevFile("mock_rounds.py"),
            Tools.udevTraces.appendingPathComponent("acm-plain.umockdev").path, greeting,
        ]
        command += try TestProgram.apps.command(
            "session", "com.example.thermoprobe", "--pattern", "--greeting", greeting)
        if byUdevd {
            let script = "mount -t tmpfs none /run && mkdir /run/udev && : > /run/udev/control && exec \"$@\""
            command =
                [try #require(Tools.unshare)] + (try #require(Tools.isolation)) + ["/bin/sh", "-c", script, "sh"]
                + command
        }
        program = AccessoryProgram(
            process: try ChildProcess(
                command[0], Array(command.dropFirst()), environment: ["DEVICE_SERVICES_CONFIG": configuration.path]))
        program.process.write("start\n")
        received = 1
        let place = try #require(await program.line("program "), "\(program.said)")
        identifier = try #require(
            program.process.lines.elements[place].split(separator: " ").last.flatMap { pid_t($0) })
        try #require(await program.line(#"{"event":"ready"}"#) != nil, "\(program.said)")
    }

    /// Sends a command to the driver.
    func send(_ command: String) {
        received += 1
        program.process.write(command + "\n")
    }

    /// Waits until the driver has completed all commands.
    func waitUntilDone() async throws {
        let count = received
        let isDone = await program.process.lines.wait { lines in
            lines.count { $0 == "done" } >= count || lines.contains { $0.hasPrefix("failed: ") }
        }
        let failure = program.process.lines.elements.first { $0.hasPrefix("failed: ") }
        try #require(isDone && failure == nil, "\(failure ?? program.said)")
    }

    var lines: [String] { program.process.lines.elements }

    var use: AccessoryProgram.Use { AccessoryProgram.Use(of: identifier) }

    /// Ends the program and waits until the board has removed its files.
    func end() async {
        program.process.write("end\n")
        _ = await program.process.wait()
    }
}
