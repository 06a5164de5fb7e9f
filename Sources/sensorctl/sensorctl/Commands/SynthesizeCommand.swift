// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import SyntheticMotion
import Trace
import TraceFormats

struct SynthesizeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "synthesize", abstract: "Create a trace with synthetic position and motion data.",
        discussion: """
            ROUTE is a recording of positions, or a list with one waypoint per line: lat,lon[,alt[,speed[,pause]]] in \
            degrees, metres, m/s and seconds. The same arguments always produce the same bytes.

            Examples:
              sensorctl synthesize walk.csv walk.trace
              sensorctl synthesize drive.jsonl - --imu mpu6050 --seed 1
            """)

    @Argument(
        help: "A list of waypoints, or a recording. Use - to read waypoints or a trace from standard input.",
        completion: .file())
    var route: String

    @Argument(help: "The trace to write, or - for standard output.", completion: .file()) var output: String

    @Option(
        help:
            "The sampling rate of the motion sensors, in hertz. The rate is limited to 100 Hz for the magnetometer and to 10 Hz for the barometer."
    )
    var rate = 100.0

    @Option(help: "The position update rate, in hertz. Use 0 to omit positions.") var fixRate = 1.0
    @Option(help: "The delay between measuring and reporting a position, in seconds.", transform: Seconds.parse)
    var fixDelay = 0.0

    @Option(
        help:
            "The chip whose gyroscope and accelerometer noise is simulated: \(SynthesizeCommand.names(InertialUnit.all))."
    )
    var imu = "ideal"

    @Option(
        help: .init(
            "The magnetometer to simulate: \(SynthesizeCommand.names(SensorModel.magnetometers)). The default is the magnetometer in the chip specified with --imu, or ak8963 if that chip has no magnetometer.",
            valueName: "chip"))
    var magnetometer: String?

    @Option(
        help: .init(
            "The barometer to simulate: \(SynthesizeCommand.names(SensorModel.barometers)). The default is bmp280, or ideal if you specify --imu ideal.",
            valueName: "chip"))
    var barometer: String?

    @Option(
        help:
            "The receiver whose position noise is simulated: \(ReceiverNoise.all.map(\.name).joined(separator: ", "))."
    )
    var receiver = "ideal"

    @Option(help: "The maximum initial bias of each sensor, as a fraction (0 to 1) of its bias tolerance.")
    var bias = 0.0
    @Option(
        help:
            "How the device behaves in turns: flat (stays level, as in a car) or coordinated (leans, as on a bicycle).")
    var turns = MotionOptions.LeanMode.flat
    @Option(help: "The speed at waypoints that do not specify one, in m/s.") var speed = 10.0
    @Option(help: "The maximum acceleration and deceleration between waypoints, in m/s^2.") var acceleration = 2.0

    @Option(
        help:
            "The maximum lateral acceleration in corners between waypoints, in m/s^2. With inf, the device does not slow down in corners."
    )
    var cornering = 3.0

    @Option(
        help:
            "The time between the knots of the smoothed path, in seconds. With larger values, corners are rounder and noisy tracks are smoother.",
        transform: Seconds.parse)
    var smoothing = 1.0

    @Flag(help: "Keep the device level on slopes. This is useful for tracks with noisy altitudes.") var level = false
    @Flag(help: "Ignore the earth's rotation.") var stillEarth = false

    // Without `.unconditional`, a value with a leading minus sign would be parsed as an option.
    @Option(
        parsing: .unconditional,
        help:
            "The height of the geoid (mean sea level) above the ellipsoid, in metres. The altitudes of waypoints are relative to sea level."
    )
    var geoid = 0.0

    @Option(
        parsing: .unconditional,
        help: .init(
            "The rotation from the vehicle's axes (right, forward, up) to the device's axes, as a matrix of three rows: \"r, r, r; r, r, r; r, r, r\".",
            valueName: "matrix"))
    var placement: String?

    @Option(
        parsing: .unconditional,
        help: .init(
            "The mount matrix of the sensors. It is written to the header of the trace.", valueName: "matrix"))
    var mountMatrix: String?

    @Option(
        help:
            "The start time, such as 2026-01-01, 2026-01-01T12:00:00Z or now. The default is the start time of the recording, or 2026-01-01 for a list of waypoints.",
        transform: StartTime.parse
    )
    var start: StartTime?

    @Option(help: "The seed for the simulated noise.") var seed: UInt64 = 1
    @OptionGroup var new: NewFileOptions

    func validate() throws {
        _ = try motionOptions()
        guard speed.isFinite, speed > 0 else { throw ValidationError("--speed must be greater than 0 m/s.") }
    }

    func run() async throws {
        try OutputCheck.check(output, against: [route])
        let options = try motionOptions()
        try await Termination.run(reading: try ExitStatus.exitOnError(Self.status) { try readRoute() }) {
            try await run($0, options, $1)
        }
    }

    private func run(_ route: MotionRoute, _ options: MotionOptions, _ stop: StopRequest) async throws -> ExitStatus {
        let synthesizer = try ExitStatus.exitOnError(Self.status) { try MotionSynthesizer(route, options: options) }
        for remark in synthesizer.warnings { Log.warning(remark) }
        return Self.write(synthesizer, to: output, overwrite: new.overwrite, mode: new.mode?.bits, until: stop)
    }

    /// Returns the exit status for an error. A route that cannot be followed is a usage error, not an unreadable file.
    private static func status(_ error: DeviceError) -> ExitStatus {
        switch error.code {
        case .invalidConfiguration: .usage
        case .notFound, .permissionDenied, .inputOutput: .noInput
        default: .dataError
        }
    }

    /// Writes the trace. If stopped early, keeps the incomplete trace unless it would replace an existing file.
    static func write(
        _ synthesizer: MotionSynthesizer, to output: String, overwrite: Bool, mode: UInt32? = nil,
        until stop: StopRequest
    ) -> ExitStatus {
        guard let writer = Log.attempt({ try TraceWriter(whole: output, overwrite: overwrite, mode: mode) }) else {
            return .cannotCreate
        }
        let activity = Activity("Writing \(output)")
        defer { activity.end() }
        do throws(DeviceError) {
            let summary = try synthesizer.write(to: writer, while: { stop.reason == nil })
            guard summary.isComplete || !overwrite || output == "-" else {
                // `close()` would replace the existing file, so it is not called.
                Log.warning("stopped before the end of the route: \(output) was not replaced")
                return .success
            }
            try writer.close()
            let seconds = (synthesizer.duration * 10).rounded() / 10
            let kilometres = (synthesizer.route.distance / 10).rounded() / 100
            let positions = "\(summary.fixes) \(summary.fixes == 1 ? "position" : "positions")"
            let contents = "\(summary.samples) \(summary.samples == 1 ? "reading" : "readings") and \(positions)"
            Log.notice(
                summary.isComplete
                    ? "\(contents) along \(kilometres) km in \(seconds) s"
                    : "stopped before the end of the route: \(contents)")
            return .success
        } catch {
            if case .system(_, DeviceError.brokenPipe) = error.cause { return .success }
            Log.error(error.description)
            return .inputOutput
        }
    }

    private func readRoute() throws(DeviceError) -> MotionRoute {
        var options = RouteOptions()
        (options.speed, options.acceleration, options.corneringAcceleration) = (speed, acceleration, cornering)
        guard route == "-" || !FileIO.isDirectory(route) else {
            return try Self.route(of: try RecordingFile.open(route))
        }
        let name = route == "-" ? TraceBytes.standardInputName : route
        // The file may be a pipe, so it is read only once.
        let contents = route == "-" ? try TraceBytes.standardInput() : try TraceBytes(path: route)
        if contents.count <= Self.maximumListSize, case let bytes = Array(contents), WaypointList.isWaypointList(bytes)
        {
            return try MotionRoute(try WaypointList.read(bytes, name: name), options: options)
        }
        // A recording on disk may consist of several files, so it is opened by its path.
        return try Self.route(
            of: FileIdentity(route) == nil
                ? try RecordingFile.read(contents, name: name) : try RecordingFile.open(route))
    }

    /// The maximum size of a waypoint list, in bytes. It is enough for a million waypoints of 64 bytes each.
    private static let maximumListSize = 64_000_000

    private static func route(of recording: RecordingFile) throws(DeviceError) -> MotionRoute {
        for remark in recording.remarks { Log.warning("\(recording.trace.name): \(remark)") }
        return try MotionRoute(recording.trace)
    }
}
