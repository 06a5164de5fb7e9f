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
        commandName: "accessory",
        abstract: "Plugs in accessories that exist in software only.",
        usage: "sensorctl simulate accessory <file> [<options>] [-- <program> ...]",
        discussion: """
            FILE is a device as umockdev records it (.umockdev; the dialogue in a .script of the same name beside it is \
            played), an accessory as it is declared (.json), or a trace with accessories in it, which come, talk and go at \
            the times of the trace. The accessories are announced in a folder whose path is printed, for \
            DEVICE_SERVICES_ACCESSORIES in a second terminal. With a PROGRAM it runs that, sets the variable for it, passes \
            signals on to it, and ends with its exit code, 128 and the signal's number when a signal has ended it. After \
            --duration PROGRAM has five seconds from SIGTERM on. \
            Where the program writes something else than was recorded, a note at the end says so. With --json the line is \
            an object with "event" listening and "folder".

            Exits with 65 when the file is none of these or holds no accessory, with 66 when it cannot be read, with 73 when \
            the folder cannot be made (in TMPDIR, else in /tmp), and with 127 when PROGRAM cannot be started. See sensorctl --help for the other exit codes.

            Examples:
              sensorctl simulate accessory scale.trace -- sensorctl watch accessories
            """)

    /// Who speaks for an accessory whose file holds no dialogue.
    enum Peer: String, ExpressibleByArgument, CaseIterable {
        case echo, silent, pattern
    }

    @Argument(help: "The description or trace.", completion: .file())
    var file: String

    @Flag(help: "What a program opens: a Unix socket, or a pseudo-terminal, which looks like a serial port.")
    var transport = Transport.socket

    @Option(
        help:
            "Who speaks where the file holds no dialogue: echo sends back what it hears, silent nothing, pattern bytes without end."
    )
    var peer = Peer.echo

    @Option(help: "How many times faster than recorded a trace is played.")
    var speed = 1.0

    @Flag(help: "Play a trace again and again.")
    var loop = false

    @OptionGroup var with: ProgramOptions

    enum Transport: String, EnumerableFlag {
        case socket, pty
    }

    func validate() throws {
        guard speed > 0, speed.isFinite else { throw ValidationError("--speed takes a number above 0.") }
    }

    func run() async throws {
        // Whoever waits for a pipe is ended by any signal.
        let simulator = try read()
        let run = ProgramRun(with.program)
        let folder = try ExitStatus.ending({ $0.code == .inputOutput ? .cannotCreate : .unavailable }) {
            () throws(DeviceError) in try simulator.start()
        }
        defer {
            simulator.stop()
            for difference in simulator.differences { Notes.warn("\(file): \(Printable.text(difference))") }
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
        // What a file declares in a wrong way is as much not what is to be in it as what is no trace.
        return try ExitStatus.ending(
            { $0.code == .invalidConfiguration ? .badTrace : ExitStatus(reading: $0) },
            { () throws(DeviceError) in
                try AccessorySimulator(file: file, options: options) { [peer] _, _ in peer.accessoryPeer }
            })
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
