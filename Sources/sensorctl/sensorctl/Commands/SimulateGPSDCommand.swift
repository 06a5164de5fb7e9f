// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import GPSDSimulator
import JSONBytes
import Trace

struct SimulateGPSDCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gpsd", abstract: "Serve the positions in a recording to gpsd clients.",
        discussion: """
            The command prints the address of a simulated gpsd, or runs PROGRAM with DEVICE_SERVICES_GPSD set to it. \
            With --pty, it simulates a receiver for a real gpsd (gpsd -N -n PATH), and sets NMEA_TERMINAL to its path.

            Examples:
              sensorctl simulate gpsd drive.jsonl --loop --rebase
              sensorctl simulate gpsd drive.jsonl -- sensorctl watch location --count 2
            """)

    @Argument(help: "The recording to play, or - for standard input.", completion: .file())
    var file: String
    @Option(help: "The TCP port to listen on, or 0 for any free port. A real gpsd uses port 2947.") var port: UInt16 = 0

    @Option(help: "The playback speed relative to the recording. Use max to send data as fast as clients read it.")
    var speed = PlaybackSpeed.times(1)

    @Flag(
        help:
            "Repeat the recording. Timestamps continue to increase. Without this flag, no data arrives after the end of the recording."
    )
    var loop = false

    @Flag(help: "Shift all times so that the first fix occurs now.") var rebase = false
    @Flag(help: "Start playback immediately instead of waiting for the first client that requests reports.")
    var atOnce = false

    @Option(
        help: .init("The faults to inject, such as stall@10s+5s. See `sensorctl help faults`.", valueName: "faults"))
    var fault: String?

    @Flag(help: "Simulate a receiver on a pseudo-terminal instead of gpsd.") var pty = false

    @Option(
        help:
            "The device path of the receiver to simulate with --pty, as recorded. The default is the first receiver."
    )
    var receiver: String?

    @OptionGroup(title: "Recordings from other programs") var imports: ImportOptions
    @OptionGroup var with: ProgramOptions

    func validate() throws {
        if let fault { _ = try ExitStatus.validating { try GPSDFault.list(fault) } }
        try Self.rejectIf(pty && (fault != nil || port != 0), "With --pty there is no server: omit --fault and --port.")
        try Self.rejectIf(
            !pty && receiver != nil, "--receiver requires --pty; the clients of a server select a receiver themselves.")
    }

    func run() async throws {
        let trace = try imports.read(file)
        // Starts handling signals. Before this point, a signal ends the program, even while it is reading a file.
        let run = ProgramRun(with.program)
        if pty {
            let terminal = ReceiverTerminal(trace, receiver: receiver, options: try options())
            let path = try ExitStatus.exitOnError(ExitStatus.init(starting:)) { try terminal.start() }
            defer { terminal.stop() }
            try await run.run(environment: ["NMEA_TERMINAL": path], duration: with.duration) {
                $0.announce(path, asJSON: with.output.json, example: "gpsd -N -n \(path)", ["path": path])
            }
        } else {
            let server = GPSDServer(trace, options: try options())
            let port = try ExitStatus.exitOnError(ExitStatus.init(starting:)) { try server.start() }
            defer { server.stop() }
            let uri = "gpsd://127.0.0.1:\(port)"
            try await run.run(environment: ["DEVICE_SERVICES_GPSD": uri], duration: with.duration) {
                let example = "gpspipe -w 127.0.0.1:\(port)    or: DEVICE_SERVICES_GPSD=\(uri) sensorctl watch"
                $0.announce(uri, asJSON: with.output.json, example: example, ["uri": uri, "port": Int(port)])
            }
        }
    }

    private func options() throws -> GPSDServerOptions {
        var options = GPSDServerOptions()
        options.port = port
        options.start = atOnce ? .immediately : .firstWatcher
        options.end = loop ? .loop : .silence
        options.timestampPolicy = rebase ? .now : .recorded
        options.faults = try fault.map { try GPSDFault.list($0) } ?? []
        switch speed {
        case .max: options.pace = .onDemand
        case .times(let factor): options.pace = .realTime(speed: factor)
        }
        return options
    }
}
