// SPDX-License-Identifier: Apache-2.0

import AccessorySimulator
import ArgumentParser
import DeviceCore
import Foundation
import JSONBytes
import SensorTools
import Trace

struct SimulateAccessoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accessory", abstract: "Simulate accessories in software.",
        usage: "sensorctl simulate accessory <file> [<options>] [-- <program> ...]",
        discussion: """
            FILE is a device description of umockdev (.umockdev; the dialogue in the .script file of the same name is \
            played), the declaration of an accessory (.json), or a trace with accessories, which are attached, send \
            data and are detached at the times of the trace. The accessories are declared in a folder whose path is \
            printed, for DEVICE_SERVICES_ACCESSORIES in a second terminal. With a PROGRAM, the command sets the \
            variable for it, forwards signals to it, and exits with its exit code, or with 128 plus the signal's \
            number if a signal ended it. After --duration, PROGRAM receives SIGTERM, and SIGKILL five seconds later. \
            If the program writes other data than was recorded, a warning at the end reports it. With --json, the line \
            is an object with "event": "listening" and "folder".

            Exits with 65 if the file is none of these or contains no accessory, with 66 if it cannot be read, with 73 \
            if the folder cannot be created (in TMPDIR, otherwise in /tmp), and with 127 if PROGRAM cannot be started. \
            See sensorctl --help for the other exit codes.

            Examples:
              sensorctl simulate accessory scale.trace -- sensorctl watch accessories
            """)

    enum Peer: String, ExpressibleByArgument, CaseIterable { case echo, silent, pattern }

    @Argument(help: "Description, declaration or trace.", completion: .file()) var file: String

    @Flag(help: "Transport to the program: a Unix socket, or a pseudo-terminal, which looks like a serial port.")
    var transport = Transport.socket

    @Option(
        help:
            "Peer if the file contains no dialogue: echo returns all bytes, silent sends nothing, pattern sends bytes endlessly."
    ) var peer = Peer.echo

    @Option(help: "Playback speed of a trace relative to the recording.") var speed = 1.0
    @Flag(help: "Repeat a trace endlessly.") var loop = false
    @OptionGroup var with: ProgramOptions

    enum Transport: String, EnumerableFlag { case socket, pty }

    func validate() throws {
        guard speed > 0, speed.isFinite else { throw ValidationError("--speed must be greater than 0.") }
    }

    func run() async throws {
        let simulator = try read()
        let run = ProgramRun(with.program)
        let folder = try ExitStatus.exitOnError({ $0.code == .inputOutput ? .cannotCreate : .unavailable }) {
            try simulator.start()
        }
        defer {
            simulator.stop()
            for difference in simulator.differences { Log.warning("\(file): \(TerminalText.text(difference))") }
        }
        try await run.run(environment: ["DEVICE_SERVICES_ACCESSORIES": folder], duration: with.duration) {
            let example = "DEVICE_SERVICES_ACCESSORIES=\(folder) sensorctl list"
            $0.announce(folder, asJSON: with.output.json, example: example, ["folder": folder])
        }
    }

    private func read() throws -> AccessorySimulator {
        var options = AccessorySimulatorOptions()
        options.transport = transport == .pty ? .pseudoTerminal : .socket
        options.speed = speed
        options.repeats = loop
        // An invalid declaration has the same exit status as a file that is not a trace.
        return try ExitStatus.exitOnError({ $0.code == .invalidConfiguration ? .badTrace : ExitStatus(reading: $0) }) {
            try AccessorySimulator(file: file, options: options) { [peer] _, _ in peer.accessoryPeer }
        }
    }
}

extension SimulateAccessoryCommand.Peer {
    fileprivate var accessoryPeer: any AccessoryPeer {
        switch self {
        case .echo: EchoPeer()
        case .silent: SinkPeer()
        case .pattern: PatternPeer()
        }
    }
}
