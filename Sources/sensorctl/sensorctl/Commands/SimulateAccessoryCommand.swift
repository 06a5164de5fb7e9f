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
            The command prints the path of a folder that declares the accessories, or runs PROGRAM with \
            DEVICE_SERVICES_ACCESSORIES set to it. If PROGRAM writes other data than the recorded program, a warning \
            is printed.

            Examples:
              sensorctl simulate accessory scale.trace -- sensorctl watch accessories
            """)

    enum Peer: String, ExpressibleByArgument, CaseIterable { case echo, silent, pattern }

    @Argument(
        help:
            "An umockdev description (.umockdev) with its dialogue in the .script file of the same name, an accessory declaration (.json) or a trace.",
        completion: .file()) var file: String

    @Flag(
        help: "Connect the program through a Unix socket, or through a pseudo-terminal that looks like a serial port."
    )
    var transport = Transport.socket

    @Option(
        help:
            "What an accessory without a recorded dialogue sends: echo (all bytes that it receives), silent (nothing) or pattern (a continuous test pattern)."
    )
    var peer = Peer.echo

    @Option(help: "The playback speed of a trace, relative to the recording.") var speed = 1.0
    @Flag(help: "Repeat a trace until the command is stopped.") var loop = false
    @OptionGroup var with: ProgramOptions

    enum Transport: String, EnumerableFlag { case socket, pty }

    func validate() throws {
        guard speed > 0, speed.isFinite else { throw ValidationError("--speed must be greater than 0.") }
    }

    func run() async throws {
        let simulator = try read()
        // Starts handling signals. Before this point, a signal ends the program, even while it is reading a file.
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
        return try ExitStatus.exitOnError({ $0.code == .invalidConfiguration ? .dataError : ExitStatus(reading: $0) }) {
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
