// SPDX-License-Identifier: Apache-2.0

import AccessorySimulator
import ArgumentParser
import DeviceCore
import Foundation
import GPSDSimulator
import IIODSimulator
import JSONBytes
import SensorTools
import SimulatedServers
import Trace
import TraceEditing

struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Simulate gpsd, motion sensors and accessories with data from recordings.",
        subcommands: [
            SimulateAllCommand.self, SimulateGPSDCommand.self, SimulateIIOCommand.self, SimulateAccessoryCommand.self,
        ], defaultSubcommand: SimulateAllCommand.self)
}

struct SimulateAllCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "all", abstract: "Simulate positions, motion and accessories for an unmodified program.",
        usage: "sensorctl simulate [all] <trace> ... [<options>] [-- <program> ...]",
        discussion: """
            PROGRAM finds only the devices in the recordings. They share one clock, which starts when PROGRAM uses one \
            of them. Without PROGRAM, the command prints the environment variables to set in another terminal.

            Examples:
              sensorctl simulate drive.jsonl scale.trace --align start -- ./app
            """)

    @Argument(
        help: .init(
            "The recordings, or - for standard input. To run a program, add -- followed by the program and its arguments.",
            valueName: "trace"),
        completion: .file())
    var words: [String] = []

    @Option(help: "The playback speed relative to the recording.") var speed = 1.0

    @Flag(
        help:
            "Repeat the recordings. Timestamps continue to increase. Without this flag, no data arrives after the end of the recordings."
    )
    var loop = false

    @Flag(help: "Shift the times of positions so that the first fix occurs now.")
    var rebase = false
    @Flag(help: "Start playback immediately instead of waiting until the program uses a simulated device.")
    var atOnce = false

    @Option(
        help: .init(
            "The faults to inject into the simulated gpsd. See `sensorctl help faults`.", valueName: "faults"))
    var gpsdFault: String?

    @Option(
        help: .init(
            "The faults to inject into the simulated iiod. See `sensorctl help faults`.", valueName: "faults"))
    var iioFault: String?

    @Flag(
        help: "Simulate accessories as pseudo-terminals instead of sockets. A pseudo-terminal looks like a serial port."
    )
    var pty = false

    @Option(
        help:
            "How to align multiple recordings: clock (at their recorded times) or start (all starting at the same time)."
    )
    var align: TraceMerger.Alignment = .clock

    @Option(help: "Stop after this time, such as 90s or 2m.", transform: Seconds.parse) var duration: Double?
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Faults") var faults: TraceFaultOptions

    @OptionGroup(title: "Recordings from other programs, for all files") var imports: ImportOptions

    /// The number of arguments after `--`. The parser appends them to `words`.
    private var programCount: Int {
        let arguments = CommandLine.arguments
        return min(words.count, arguments.count - (arguments.firstIndex(of: "--").map { $0 + 1 } ?? arguments.count))
    }

    private var files: [String] { words.dropLast(programCount) }
    private var program: [String] { words.suffix(programCount) }

    func validate() throws {
        guard !files.isEmpty else { throw CleanExit.helpRequest(SimulateCommand.self) }
        let maximum = TraceMerger.maximumCount
        try Self.rejectIf(files.count > maximum, "At most \(maximum) recordings can be played together.")
        try Self.rejectIf(files.count { $0 == "-" } > 1, "Standard input can be read only once.")
        try Self.validate(duration: duration)
        guard speed > 0, speed.isFinite else { throw ValidationError("--speed must be greater than 0.") }
        try Self.validate(program: program, json: output.json)
        try ExitStatus.validating {
            if let gpsdFault { _ = try GPSDFault.list(gpsdFault) }
            if let iioFault { _ = try IIODFault.list(iioFault) }
        }
    }

    func run() async throws {
        let servers = try makeServers()
        // Starts handling signals. Before this point, a signal ends the program, even while it is reading a file.
        let run = ProgramRun(program)
        let environment = try ExitStatus.exitOnError(ExitStatus.init(starting:)) {
            try servers.start().filter { !Self.isInherited($0.key) }
        }
        defer {
            // Reads the differences first, because `stop()` discards them.
            let differences = servers.differences
            servers.stop()
            for difference in differences { Log.warning(TerminalText.text(difference)) }
        }
        try await run.run(environment: environment, duration: duration) { announce(servers, environment, on: $0) }
    }

    private func makeServers() throws -> SimulatedServers {
        let traces = try imports.read(files)
        return try ExitStatus.exitOnError {
            var options = SimulatedServersOptions()
            options.speed = speed
            options.loops = loop
            options.shiftsTimesToNow = rebase
            options.start = atOnce ? .immediately : .firstClient
            options.alignment = align
            (options.faults, options.seed) = try faults.chosen(for: traces)
            if let gpsdFault { options.gpsdFaults = try GPSDFault.list(gpsdFault) }
            if let iioFault { options.iiodFaults = try IIODFault.list(iioFault) }
            options.transport = pty ? .pseudoTerminal : .socket
            let servers = try SimulatedServers(traces, options: options)
            for remark in servers.warnings { Log.warning(TerminalText.text(remark)) }
            return servers
        }
    }

    /// Returns true if the launched program inherits the user's value for this variable. It inherits only
    /// DEVICE_SERVICES_CONFIG, and only if the user has set it.
    private static func isInherited(_ name: String) -> Bool {
        name == "DEVICE_SERVICES_CONFIG" && !(ProcessInfo.processInfo.environment[name] ?? "").isEmpty
    }

    private func announce(
        _ servers: SimulatedServers, _ environment: [String: String], on standardOutput: StandardOutput
    ) {
        let variables = environment.sorted { $0.key < $1.key }
        let sources = SimulatedSource.allCases.filter { servers.sources.contains($0) }.map(\.rawValue)
        let seconds = Double(servers.duration) / 1e9 / speed
        guard output.json else {
            for (name, value) in variables { standardOutput.write(line: "export \(name)=\(Self.quoted(value))") }
            let what = sources.isEmpty ? "nothing" : sources.joined(separator: ", ")
            Log.notice(
                "Playing \(what) for \((seconds * 10).rounded() / 10) s\(loop ? ", repeatedly" : ""). Paste these lines into another terminal, and start the program there."
            )
            return
        }
        standardOutput.writeObject { writer in
            writer.member("event", "listening")
            writer.object("environment") { writer in
                for (name, value) in variables { writer.member(text: name, value) }
            }
            writer.members(["sources": sources, "seconds": seconds])
        }
    }

    private static func quoted(_ value: String) -> String {
        let isPlain = value.utf8.allSatisfy { byte in
            byte >= 0x30 && byte <= 0x3A || byte >= 0x41 && byte <= 0x5A || byte >= 0x61 && byte <= 0x7A
                || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: "_")
        }
        return isPlain ? value : "'\(value.replacingOccurrences(of: "'", with: "'\\''"))'"
    }
}
