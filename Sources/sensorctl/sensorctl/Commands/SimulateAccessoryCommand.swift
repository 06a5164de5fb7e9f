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
            FILE is one of the following:
              a device description of umockdev (.umockdev)
              the declaration of an accessory (.json)
              a trace with accessories
            For a device description, the dialogue in the .script file of the same name is played. The accessories of \
            a trace are attached, send data and are detached at the times of the trace.

            The accessories are declared in a folder, and the command prints its path. Set DEVICE_SERVICES_ACCESSORIES \
            to this path in a second terminal. If PROGRAM is given, the command sets this variable for PROGRAM. \
            Signals are forwarded to PROGRAM. After --duration, PROGRAM receives SIGTERM, and SIGKILL five seconds \
            later. If PROGRAM writes data that differs from the recorded data, a warning reports this at the end.

            With --json, the command prints one object with "event": "listening" and "folder".

            Exit codes:
              65   The file is none of these, or it contains no accessory.
              66   The file cannot be read.
              73   The folder cannot be created. It is in TMPDIR, or in /tmp if TMPDIR
                   is not set.
              127  PROGRAM cannot be started.
            Otherwise, the exit code is that of PROGRAM, or 128 plus the number of the signal that ended PROGRAM. See \
            `sensorctl --help` for the other exit codes.

            Examples:
              sensorctl simulate accessory scale.trace -- sensorctl watch accessories
            """)

    enum Peer: String, ExpressibleByArgument, CaseIterable { case echo, silent, pattern }

    @Argument(help: "The description, declaration or trace.", completion: .file()) var file: String

    @Flag(
        help: "Connect the program through a Unix socket, or through a pseudo-terminal, which looks like a serial port."
    )
    var transport = Transport.socket

    @Option(
        help:
            "The peer to use if the file contains no dialogue. echo returns all bytes, silent sends nothing, and pattern sends bytes endlessly."
    )
    var peer = Peer.echo

    @Option(help: "The playback speed of a trace, relative to the recording.") var speed = 1.0
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
        // An invalid declaration leads to the same exit status as a file that is not a trace.
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
