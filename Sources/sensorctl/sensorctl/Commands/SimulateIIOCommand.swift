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
        commandName: "iio", abstract: "Serve the motion sensors in a recording to libiio clients.",
        discussion: """
            The command prints the address of a simulated iiod for clients such as iio_info, or runs PROGRAM with \
            DEVICE_SERVICES_IIO set to it.

            Examples:
              sensorctl simulate iio motion.jsonl -- sensorctl watch gyro
            """)

    @Argument(
        help:
            "The recording to play: a trace, a CSV file, a Sensor Logger folder, or libiio's XML with its buffer files. Use - for standard input.",
        completion: .file())
    var file: String

    @Option(help: "The TCP port to listen on, or 0 for any free port. A real iiod uses port 30431.") var port: UInt16 =
        0

    @Option(help: "The playback speed relative to the recording. Use max to send data as fast as clients request it.")
    var speed = PlaybackSpeed.times(1)

    @Flag(help: "Repeat the recording. Without this flag, the sensors deliver no data after the end of the recording.")
    var loop = false

    @Option(
        help: .init("The faults to inject, such as unplug@2s+2s. See `sensorctl help faults`.", valueName: "faults"))
    var fault: String?

    @OptionGroup(title: "Recordings from other programs") var imports: ImportOptions
    @OptionGroup var with: ProgramOptions

    func validate() throws { if let fault { _ = try ExitStatus.validating { try IIODFault.list(fault) } } }

    func run() async throws {
        let (server, seconds) = try makeServer()
        // Starts handling signals. Before this point, a signal ends the program, even while it is reading a file.
        let run = ProgramRun(with.program)
        let port = try ExitStatus.exitOnError(ExitStatus.init(starting:)) { try server.start() }
        defer { server.stop() }
        let uri = "ip:127.0.0.1:\(port)"
        try await run.run(environment: ["DEVICE_SERVICES_IIO": uri], duration: with.duration) {
            announce(uri, port: port, seconds: seconds, on: $0)
        }
    }

    private func makeServer() throws -> (IIODServer, seconds: Double) {
        let trace = try imports.read(file)
        return try ExitStatus.exitOnError {
            let recording = try Recording(trace: trace)
            for remark in recording.remarks { Log.warning("\(trace.name): \(remark)") }
            let board = try SimulatedBoard(recording, name: trace.name)
            var options = IIODServerOptions()
            options.port = port
            options.end = loop ? .loop : .stall
            options.faults = try fault.map { text throws(DeviceError) in try IIODFault.list(text) } ?? []
            switch speed {
            case .max: options.pace = .onDemand
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
        if let remark { Log.notice(remark) }
    }

    /// Returns a message that states when the recording starts and ends, because clients that connect after the end
    /// receive nothing. Returns nil at maximum speed, because every client receives the whole recording.
    static func remark(seconds: Double, speed: PlaybackSpeed, loops: Bool) -> String? {
        guard case .times(let factor) = speed else { return nil }
        let length = "\((seconds / factor * 10).rounded() / 10) s"
        return loops
            ? "the recording starts with the first client and repeats every \(length)"
            : "the recording starts with the first client and ends after \(length); --loop repeats it"
    }
}
