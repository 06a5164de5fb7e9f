// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import GPSDSimulator
import JSONBytes
import Trace

struct SimulateGPSDCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gpsd",
        abstract: "Serves a recording's positions as gpsd does.",
        discussion: """
            Takes what `replay` takes. Listens on 127.0.0.1 and prints the address, for DEVICE_SERVICES_GPSD or for gpsd's own \
            clients (gpspipe -w 127.0.0.1:PORT, cgps, gpsmon, gpxlogger). With --pty it is a receiver instead: the \
            recording's NMEA sentences, or such as are made of its reports, go into a pseudo-terminal whose path is printed, \
            for a real gpsd (gpsd -N -n PATH). With a PROGRAM it runs that, sets DEVICE_SERVICES_GPSD for it (with --pty \
            NMEA_TERMINAL), passes signals on to it, and ends with its exit code, 128 and the signal's number when a signal \
            has ended it. After --duration PROGRAM has five seconds from SIGTERM on. With --json the line is an \
            object with "event" listening, "uri" and "port", or "path".

            Exits with 65 when the file is not a recording, with 66 when it cannot be read, with 69 when the port is taken \
            or the recording has no such receiver, and with 127 when PROGRAM cannot be started. See sensorctl --help for the \
            other exit codes.

            Examples:
              sensorctl simulate gpsd drive.jsonl --loop --rebase
              sensorctl simulate gpsd drive.jsonl -- sensorctl watch location --count 2
            """)

    @Argument(help: "The recording, a trace for example; - for standard input.", completion: .file())
    var file: String

    @Option(help: "The TCP port; 0 for any that is free. gpsd's own is 2947.")
    var port: UInt16 = 0

    @Option(help: "How many times faster than recorded; max sends as fast as clients read.")
    var speed = PlaybackSpeed.times(1)

    @Flag(help: "Start again at the end, with times that go on rising; otherwise nothing comes any more.")
    var loop = false

    @Flag(help: "Move all times so that the first fix is of now.")
    var rebase = false

    @Flag(help: "Begin at once, not with the first client that watches.")
    var atOnce = false

    @Option(help: ArgumentHelp("What goes wrong, and when. \(GPSDFault.syntax)", valueName: "faults"))
    var fault: String?

    @Flag(help: "Be a receiver on a pseudo-terminal in the place of a gpsd.")
    var pty = false

    @Option(help: "The path, in the recording, of the receiver that --pty plays; the first one otherwise.")
    var receiver: String?

    @OptionGroup(title: "Recordings of other programs") var imports: ImportOptions

    @OptionGroup var with: ProgramOptions

    func validate() throws {
        if let fault { _ = try ExitStatus.validating { () throws(DeviceError) in try GPSDFault.list(fault) } }
        try Self.refuse(
            pty && (fault != nil || port != 0), "With --pty there is no server: leave --fault and --port out.")
        try Self.refuse(!pty && receiver != nil, "--receiver goes with --pty; clients choose for themselves.")
    }

    func run() async throws {
        // Whoever waits for a pipe is ended by any signal.
        let trace = try imports.read(file)
        let run = ProgramRun(with.program)
        if pty {
            let terminal = ReceiverTerminal(trace, receiver: receiver, options: try options())
            let path = try ExitStatus.ending(ExitStatus.init(starting:)) { () throws(DeviceError) in
                try terminal.start()
            }
            defer { terminal.stop() }
            try await run.run(environment: ["NMEA_TERMINAL": path], duration: with.duration) {
                $0.announce(path, asJSON: with.output.json, example: "gpsd -N -n \(path)", ["path": path])
            }
        } else {
            let server = GPSDServer(trace, options: try options())
            let port = try ExitStatus.ending(ExitStatus.init(starting:)) { () throws(DeviceError) in try server.start()
            }
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
        options.stamps = rebase ? .now : .kept
        options.faults = try fault.map { try GPSDFault.list($0) } ?? []
        switch speed {
        case .max: options.pace = .asFastAsRead
        case .times(let factor): options.pace = .realTime(speed: factor)
        }
        return options
    }
}
