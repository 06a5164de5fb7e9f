// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import IIODSimulator
import JSONBytes
import SimulatedServers
import Trace
import TraceFormats

struct SimulateIIOCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "iio",
        abstract: "Serves a recording's motion sensors as iiod does.",
        discussion: """
            Takes what `replay` takes. Listens on 127.0.0.1 and prints the address to give to a client: iio_info, \
            iio_readdev and all others of libiio, or a program of this package through DEVICE_SERVICES_IIO. With a PROGRAM \
            it runs that, sets DEVICE_SERVICES_IIO for it, passes signals on to it, and ends with its exit code, 128 and the \
            signal's number when a signal has ended it. After --duration PROGRAM has five seconds from SIGTERM on. With --json the line is an \
            object with "event" listening, "uri" and "port".

            Exits with 65 when the file is not a recording of motion, with 66 when it cannot be read, with 69 when the \
            port is taken, and with 127 when PROGRAM cannot be started. See sensorctl --help for the other exit codes.

            Examples:
              sensorctl simulate iio motion.jsonl -- sensorctl watch gyro
            """)

    @Argument(
        help:
            "The recording: a trace, a CSV file, a folder of Sensor Logger, or libiio's XML with its buffers; - for standard input.",
        completion: .file())
    var file: String

    @Option(help: "The TCP port; 0 for any that is free. iiod's own is 30431.")
    var port: UInt16 = 0

    @Option(help: "How many times faster than recorded; max sends as fast as clients ask.")
    var speed = PlaybackSpeed.times(1)

    @Flag(help: "Start again at the end; otherwise the sensors fall silent there.")
    var loop = false

    @Option(help: ArgumentHelp("What goes wrong, and when. \(IIODFault.syntax)", valueName: "faults"))
    var fault: String?

    @OptionGroup(title: "Recordings of other programs") var imports: ImportOptions

    @OptionGroup var with: ProgramOptions

    func validate() throws {
        if let fault { _ = try ExitStatus.validating { () throws(DeviceError) in try IIODFault.list(fault) } }
    }

    func run() async throws {
        // Whoever waits for a pipe is ended by any signal.
        let (server, seconds) = try makeServer()
        let run = ProgramRun(with.program)
        let port = try ExitStatus.ending(ExitStatus.init(starting:)) { () throws(DeviceError) in try server.start() }
        defer { server.stop() }
        let uri = "ip:127.0.0.1:\(port)"
        try await run.run(environment: ["DEVICE_SERVICES_IIO": uri], duration: with.duration) {
            announce(uri, port: port, seconds: seconds, on: $0)
        }
    }

    /// The server, and how many seconds it has to tell of.
    private func makeServer() throws -> (IIODServer, seconds: Double) {
        let trace = try imports.read(file)
        return try ExitStatus.ending(ExitStatus.init(reading:)) { () throws(DeviceError) in
            let recording = try Recording(trace: trace)
            for remark in recording.remarks { Notes.warn("\(trace.name): \(remark)") }
            let board = try SimulatedBoard(recording, name: trace.name)
            var options = IIODServerOptions()
            options.port = port
            options.end = loop ? .loop : .stall
            options.faults = try fault.map { text throws(DeviceError) in try IIODFault.list(text) } ?? []
            switch speed {
            case .max: options.pace = .asFastAsAsked
            case .times(let factor): options.pace = .realTime(speed: factor)
            }
            let server = IIODServer(context: board.context, samples: board.samples(), options: options)
            return (server, Double(recording.duration) / 1e9)
        }
    }

    private func announce(_ uri: String, port: UInt16, seconds: Double, on standardOutput: StandardOutput) {
        let example = "iio_info -u \(uri)    or: DEVICE_SERVICES_IIO=\(uri) sensorctl watch accelerometer"
        standardOutput.announce(uri, asJSON: with.output.json, example: example, ["uri": uri, "port": Int(port)])
        let remark = with.output.json ? nil : Self.remark(seconds: seconds, speed: speed, loops: loop)
        if let remark { Notes.say(remark) }
    }

    /// Who looks a second time wonders why nothing comes any more. Nil when each client has a recording of its own.
    static func remark(seconds: Double, speed: PlaybackSpeed, loops: Bool) -> String? {
        guard case .times(let factor) = speed else { return nil }
        let length = "\((seconds / factor * 10).rounded() / 10) s"
        return loops
            ? "the recording begins with the first client and is played again every \(length)"
            : "the recording begins with the first client and falls silent after \(length); --loop starts it again"
    }
}
