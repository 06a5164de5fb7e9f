// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import GPSDSimulator
import JSONBytes
import Trace

struct SimulateGPSDCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gpsd", abstract: "Serve the positions of a recording like gpsd.",
        discussion: """
            Accepts the same formats as `replay`. Listens on 127.0.0.1 and prints the address. Set \
            DEVICE_SERVICES_GPSD to this address, or use it with gpsd's own clients (gpspipe -w 127.0.0.1:PORT, cgps, \
            gpsmon, gpxlogger).

            With --pty, the command simulates a receiver instead. It writes NMEA sentences to a pseudo-terminal, and \
            prints its path for a real gpsd (gpsd -N -n PATH). The sentences come from the recording, or are generated \
            from its reports.

            If PROGRAM is given, the command sets DEVICE_SERVICES_GPSD for it, or NMEA_TERMINAL with --pty. Signals \
            are forwarded to PROGRAM. After --duration, PROGRAM receives SIGTERM, and SIGKILL five seconds later.

            With --json, the command prints one object with "event": "listening", "uri" and "port". With --pty, the \
            object contains "path" instead.

            Exit codes:
              65   The file is not a recording.
              66   The file cannot be read.
              69   The port is in use, or the recording does not contain the receiver.
              127  PROGRAM cannot be started.
            Otherwise, the exit code is that of PROGRAM, or 128 plus the number of the signal that ended PROGRAM. See \
            `sensorctl --help` for the other exit codes.

            Examples:
              sensorctl simulate gpsd drive.jsonl --loop --rebase
              sensorctl simulate gpsd drive.jsonl -- sensorctl watch location --count 2
            """)

    @Argument(help: "The recording, for example a trace, or - for standard input.", completion: .file())
    var file: String
    @Option(help: "The TCP port. 0 selects a free port. gpsd itself uses 2947.") var port: UInt16 = 0

    @Option(help: "The playback speed relative to the recording. With max, data is sent as fast as clients read it.")
    var speed = PlaybackSpeed.times(1)

    @Flag(help: "Repeat the recording with increasing timestamps. Otherwise, no data arrives after the end.")
    var loop = false

    @Flag(help: "Shift all times so that the first fix is at the current time.") var rebase = false
    @Flag(help: "Start immediately instead of when the first client watches.") var atOnce = false

    @Option(help: .init("The faults to inject, and their times. \(GPSDFault.syntax)", valueName: "faults"))
    var fault: String?

    @Flag(help: "Simulate a receiver on a pseudo-terminal instead of a gpsd.") var pty = false

    @Option(help: "The receiver that --pty simulates, by its path in the recording. The default is the first receiver.")
    var receiver: String?

    @OptionGroup(title: "Recordings of other programs") var imports: ImportOptions
    @OptionGroup var with: ProgramOptions

    func validate() throws {
        if let fault { _ = try ExitStatus.validating { try GPSDFault.list(fault) } }
        try Self.rejectIf(pty && (fault != nil || port != 0), "With --pty there is no server: omit --fault and --port.")
        try Self.rejectIf(
            !pty && receiver != nil, "--receiver requires --pty; the clients of a server select a receiver themselves.")
    }

    func run() async throws {
        let trace = try imports.read(file)
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
        options.start = atOnce ? .atOnce : .firstWatcher
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
