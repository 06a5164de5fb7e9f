// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import SyntheticMotion
import Trace
import TraceFormats

struct SynthesizeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "synthesize",
        abstract: "Makes a trace of positions and motion that agree with each other.",
        discussion: """
            ROUTE is a text of waypoints, one a line: lat,lon[,alt[,speed[,pause]]] in degrees, metres, m/s and seconds, with \
            # before a comment; or any recording with positions that `replay` takes, whose times are kept. The path is made \
            smooth; gyroscope, accelerometer, magnetometer and barometer read what they would there, with the earth's \
            rotation, normal gravity, the World Magnetic Model 2025 and the standard atmosphere. The device lies flat with \
            its top edge forward unless --placement says otherwise.

            The same arguments give the same bytes. How it was made stands in the header, under "synthetic".

            Exits with 65 when ROUTE is neither waypoints nor a recording with positions, with 66 when it cannot be read, with \
            73 when OUTPUT cannot be created, and with 74 when it cannot be written on. See sensorctl --help for the other \
            exit codes.

            Examples:
              sensorctl synthesize walk.csv walk.trace
              sensorctl synthesize drive.jsonl - --imu mpu6050 --seed 1
            """)

    @Argument(help: "Waypoints or a recording; - for waypoints or a trace on standard input.", completion: .file())
    var route: String

    @Argument(help: "The trace to write; - for standard output.", completion: .file())
    var output: String

    @Option(help: "Readings of motion sensors a second; the magnetometer has at most 100, the barometer at most 10.")
    var rate = 100.0

    @Option(help: "Positions a second; 0 for none.")
    var fixRate = 1.0

    @Option(help: "Seconds after which a position arrives.")
    var fixDelay = 0.0

    @Option(
        help: "The chip whose noise gyroscope and accelerometer have: \(SynthesizeCommand.names(InertialUnit.all)).")
    var imu = "ideal"

    @Option(
        help: ArgumentHelp(
            "\(SynthesizeCommand.names(SensorModel.magnetometers)); the one in the chip unless given, else ak8963.",
            valueName: "chip"))
    var magnetometer: String?

    @Option(
        help: ArgumentHelp(
            "\(SynthesizeCommand.names(SensorModel.barometers)); ideal with an ideal chip, else bmp280.",
            valueName: "chip"))
    var barometer: String?

    @Option(help: "The noise of positions: \(ReceiverNoise.all.map(\.name).joined(separator: ", ")).")
    var receiver = "ideal"

    @Option(help: "How much of its zero tolerance each sensor is off at the start, from 0 to 1.")
    var bias = 0.0

    @Option(help: "How it leans in turns: flat as a car, coordinated as a bicycle or an aircraft.")
    var turns = "flat"

    @Option(help: "Metres per second between waypoints that do not say.")
    var speed = 10.0

    @Option(help: "The most change of speed between waypoints, in m/s^2.")
    var acceleration = 2.0

    @Option(help: "The most acceleration to the side in corners between waypoints, in m/s^2; inf for no braking.")
    var cornering = 3.0

    @Option(help: "Seconds between the knots of the path: longer ones round corners more and calm noisy tracks.")
    var smoothing = 1.0

    @Flag(help: "Keep the device level on slopes, for tracks with noisy altitudes.")
    var level = false

    @Flag(help: "Leave out the earth's rotation.")
    var stillEarth = false

    @Option(
        parsing: .unconditional,
        help: "Metres from the ellipsoid up to the sea: altitudes of waypoints are above the sea.")
    var geoid = 0.0

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The rotation from the vehicle's axes (right, forward, up) to the device's: \"r, r, r; r, r, r; r, r, r\".",
            valueName: "matrix"))
    var placement: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The mount matrix of the sensors, which goes into the header.", valueName: "matrix"))
    var mountMatrix: String?

    @Option(help: "When it starts: 2026-01-01, 2026-01-01T12:00:00Z, or now; that of the recording unless given.")
    var start: StartTime?

    @Option(help: "What determines the noise.")
    var seed: UInt64 = 1

    @OptionGroup var new: NewFileOptions

    func validate() throws {
        _ = try motionOptions()
        guard speed.isFinite, speed > 0 else { throw ValidationError("--speed takes metres per second above 0.") }
    }

    func run() async throws {
        try OutputCheck.check(output, against: [route])
        let options = try motionOptions()
        // Whoever waits for a pipe is ended by any signal.
        let way = try ExitStatus.ending(Self.status) { () throws(DeviceError) in try readRoute() }
        try await Termination.during { stop in try await run(way, options, stop) }
    }

    private func run(_ way: MotionRoute, _ options: MotionOptions, _ stop: Stop) async throws -> ExitStatus {
        let synthesizer = try ExitStatus.ending(Self.status) { () throws(DeviceError) in
            try MotionSynthesizer(way, options: options)
        }
        for remark in synthesizer.remarks { Notes.warn(remark) }
        return Self.write(synthesizer, to: output, overwrite: new.overwrite, mode: new.mode?.bits, until: stop)
    }

    /// What cannot be gone is in the file, not a failure to read it.
    private static func status(_ error: DeviceError) -> ExitStatus {
        switch error.code {
        case .invalidConfiguration: .usage
        case .notFound, .permissionDenied, .inputOutput: .noInput
        default: .badTrace
        }
    }

    /// Writes the trace. What is ended early is kept only where nothing was to be replaced.
    static func write(
        _ synthesizer: MotionSynthesizer, to output: String, overwrite: Bool, mode: UInt32? = nil, until stop: Stop
    ) -> ExitStatus {
        let writer: TraceWriter
        do throws(DeviceError) {
            writer = try TraceWriter(whole: output, overwrite: overwrite, mode: mode)
        } catch {
            Notes.fail(error.description)
            return .cannotCreate
        }
        do throws(DeviceError) {
            let summary = try synthesizer.write(to: writer, while: { stop.reason == nil })
            guard summary.isComplete || !overwrite || output == "-" else {
                // A writer that is not closed leaves the former file.
                Notes.warn("ended before the end of the way: \(output) was not replaced")
                return .success
            }
            try writer.close()
            let seconds = (synthesizer.duration * 10).rounded() / 10
            let kilometres = (synthesizer.route.distance / 10).rounded() / 100
            Notes.say(
                summary.isComplete
                    ? "\(summary.samples) readings and \(summary.fixes) positions of \(kilometres) km in \(seconds) s"
                    : "ended before the end of the way: \(summary.samples) readings and \(summary.fixes) positions")
            return .success
        } catch {
            if case .system(_, DeviceError.brokenPipe) = error.cause { return .success }
            Notes.fail(error.description)
            return .inputOutput
        }
    }

    /// The way that ROUTE tells.
    private func readRoute() throws(DeviceError) -> MotionRoute {
        var options = RouteOptions()
        (options.speed, options.acceleration, options.corneringAcceleration) = (speed, acceleration, cornering)
        guard route == "-" || !FileBytes.isFolder(route) else {
            return try Self.route(of: try RecordingFile.open(route))
        }
        let name = route == "-" ? TraceBytes.standardInputName : route
        // Once only: it may be a pipe.
        let contents = route == "-" ? try TraceBytes.standardInput() : try TraceBytes(path: route)
        if contents.count <= Self.maximumListSize, case let bytes = Array(contents), WaypointList.isOne(bytes) {
            return try MotionRoute(try WaypointList.read(bytes, name: name), options: options)
        }
        // A recording on the disk may have others beside it.
        return try Self.route(
            of: FileIdentity(route) == nil
                ? try RecordingFile.read(contents, name: name) : try RecordingFile.open(route))
    }

    /// A million waypoints of sixty-four bytes.
    private static let maximumListSize = 64_000_000

    private static func route(of recording: RecordingFile) throws(DeviceError) -> MotionRoute {
        for remark in recording.remarks { Notes.warn("\(recording.trace.name): \(remark)") }
        return try MotionRoute(recording.trace)
    }
}
