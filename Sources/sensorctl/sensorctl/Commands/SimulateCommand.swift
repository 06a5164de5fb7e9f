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
        commandName: "simulate",
        abstract: "Plays a recording so that real programs take it for the real thing.",
        subcommands: [
            SimulateAllCommand.self, SimulateGPSDCommand.self, SimulateIIOCommand.self, SimulateAccessoryCommand.self,
        ],
        defaultSubcommand: SimulateAllCommand.self)
}

/// `sensorctl simulate TRACE... [-- PROGRAM]`
struct SimulateAllCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "all",
        abstract: "Plays recordings to a program that knows nothing of it: positions, motion and accessories.",
        usage: "sensorctl simulate [all] <trace> ... [<options>] [-- <program> ...]",
        discussion: """
            The word all may be left out. Takes what `replay` takes; several recordings lie to each other as `merge` has \
            them. Starts a gpsd, an iiod and accessories on ports of their own, all on one clock, which begins with the \
            first of them that the program uses. PROGRAM runs with the environment that leads to them. What the recordings \
            have nothing of is not there for it, nor are the sensors, accessories, configuration and stored calibrations of \
            this machine; a DEVICE_SERVICES_CONFIG that is set stays as it is. Its battery is the machine's.

            Signals are passed on to PROGRAM, and its exit code is this verb's: 128 and the signal's number when a signal has \
            ended it, 127 when it cannot be started. Without a PROGRAM the variables are printed for another terminal, \
            and the verb goes on until it is ended; with --json as an object with "event" listening, "environment", \
            "sources" and "seconds".

            Exits with 65 when a file is not a recording, with 66 when one cannot be read, and with 69 when no port or folder \
            (in TMPDIR, else in /tmp) can be had. See sensorctl --help for the other exit codes.

            Examples:
              sensorctl simulate drive.jsonl scale.trace --align start -- ./app
            """)

    @Argument(
        help: ArgumentHelp(
            "The recordings, - for standard input; behind -- a program to run, and its arguments.", valueName: "trace"),
        completion: .file())
    var words: [String] = []

    @Option(help: "How many times faster than recorded.")
    var speed = 1.0

    @Flag(help: "Start again at the end, with times that go on rising; otherwise nothing comes any more.")
    var loop = false

    @Flag(help: "Move the times of positions so that the first fix is of now.")
    var rebase = false

    @Flag(help: "Begin at once, not with the first use.")
    var atOnce = false

    @Option(
        help: "How several recordings lie to each other: clock (by the civil time of their starts) or start.",
        transform: SimulateAllCommand.alignment)
    var align: TraceMerger.Alignment = .clock

    @OptionGroup var faults: TraceFaultOptions

    @Option(help: ArgumentHelp("What goes wrong with gpsd: see simulate gpsd --help.", valueName: "faults"))
    var gpsdFault: String?

    @Option(help: ArgumentHelp("What goes wrong with iiod: see simulate iio --help.", valueName: "faults"))
    var iioFault: String?

    @Flag(help: "Accessories are pseudo-terminals, which look like serial ports, and not sockets.")
    var pty = false

    @Option(help: "End after that many seconds.")
    var duration: Double?

    @OptionGroup(title: "Recordings of other programs, all of them alike") var imports: ImportOptions

    @OptionGroup var output: OutputOptions

    /// The words of the program. The parser takes all words for one list, behind -- too.
    private var programCount: Int {
        let arguments = CommandLine.arguments
        return min(words.count, arguments.count - (arguments.firstIndex(of: "--").map { $0 + 1 } ?? arguments.count))
    }

    private var files: [String] { words.dropLast(programCount) }

    private var program: [String] { words.suffix(programCount) }

    func validate() throws {
        guard !files.isEmpty else { throw CleanExit.helpRequest(SimulateCommand.self) }
        let most = TraceMerger.maximumCount
        try Self.refuse(files.count > most, "At most \(most) recordings can be played together.")
        try Self.refuse(files.count { $0 == "-" } > 1, "Standard input is read only once.")
        try Self.validate(duration: duration)
        guard speed > 0, speed.isFinite else { throw ValidationError("--speed takes a number above 0.") }
        try Self.validate(program: program, json: output.json)
        try ExitStatus.validating { () throws(DeviceError) in
            if let gpsdFault { _ = try GPSDFault.list(gpsdFault) }
            if let iioFault { _ = try IIODFault.list(iioFault) }
        }
    }

    func run() async throws {
        let servers = try makeServers()
        let run = ProgramRun(program)
        let environment = try ExitStatus.ending(ExitStatus.init(starting:)) { () throws(DeviceError) in
            try servers.start().filter { !Self.isKept($0.key) }
        }
        defer {
            let differences = servers.differences
            servers.stop()
            for difference in differences { Notes.warn(Printable.text(difference)) }
        }
        try await run.run(environment: environment, duration: duration) { announce(servers, environment, on: $0) }
    }

    private func makeServers() throws -> SimulatedServers {
        let traces = try imports.read(files)
        return try ExitStatus.ending(ExitStatus.init(reading:)) { () throws(DeviceError) in
            var options = SimulatedServersOptions()
            options.speed = speed
            options.loops = loop
            options.movesTimesToNow = rebase
            options.start = atOnce ? .atOnce : .firstClient
            options.alignment = align
            (options.faults, options.seed) = faults.chosen()
            if let gpsdFault { options.gpsdFaults = try GPSDFault.list(gpsdFault) }
            if let iioFault { options.iiodFaults = try IIODFault.list(iioFault) }
            options.transport = pty ? .pseudoTerminal : .socket
            let servers = try SimulatedServers(traces, options: options)
            for remark in servers.remarks { Notes.warn(Printable.text(remark)) }
            return servers
        }
    }

    /// A configuration that somebody has set for this run counts.
    private static func isKept(_ name: String) -> Bool {
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
            Notes.say(
                "Playing \(what) for \((seconds * 10).rounded() / 10) s\(loop ? ", again and again" : ""). Paste these lines into another terminal, and start the program there."
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

    /// A value as a shell reads it.
    private static func quoted(_ value: String) -> String {
        let isPlain = value.utf8.allSatisfy { byte in
            byte >= 0x30 && byte <= 0x3A || byte >= 0x41 && byte <= 0x5A || byte >= 0x61 && byte <= 0x7A
                || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: "_")
        }
        return isPlain ? value : "'\(value.replacingOccurrences(of: "'", with: "'\\''"))'"
    }
}
