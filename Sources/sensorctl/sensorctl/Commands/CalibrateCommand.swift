// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import Foundation
import JSONBytes
import LiveDevice
import SensorTools
import SimulatedDevice
import SystemCalls
import Trace

struct CalibrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate", abstract: "Calibrate the motion sensors step by step, and store the results.",
        discussion: """
            The command prints instructions and continues automatically after each step. Programs of this user apply \
            the stored results when they are started again. The mount matrix is printed instead, for a configuration \
            file.

            Examples:
              sensorctl calibrate magnetometer
              sensorctl calibrate --show
            """)

    @Argument(
        help:
            "The calibration to run: gyro (leave the device at rest), accelerometer (place it on each of its six sides), mount (place it on three of its sides) or magnetometer (rotate it through all orientations). By default, the command runs the calibrations that this device needs."
    )
    var topic: CalibrationTopic?

    @Option(help: "Use the readings in this recording instead of live readings.", completion: .file())
    var trace: String?

    @Option(
        name: [.customLong("output")], help: "Also write the results to this file, as one JSON object per line.",
        completion: .file())
    var file: String?

    @Flag(help: "Print the stored calibrations.") var show = false
    @Flag(help: "Delete the stored calibrations.") var forget = false
    @Flag(name: [.customLong("dry-run"), .customLong("no-store")], help: "Do not store the results.")
    var isTrial = false
    @Flag(help: "Do not round the mount matrix, even if the chip's axes are nearly parallel to the device's axes.")
    var exact = false
    @Option(help: "The timeout for each calibration, in seconds.", transform: Seconds.parse) var timeout = 120.0
    @OptionGroup(title: "Recordings from other programs, with --trace") var imports: ImportOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        let name = trace == nil ? imports.description.keys.min() : nil
        try Self.rejectIf(name != nil, "--\(name ?? "") requires --trace.")
        try Self.rejectIf(
            !(timeout > 0 && timeout <= 86_400), "--timeout must be more than 0 and at most 86400 seconds.")
        try Self.rejectIf(show && forget, "--show and --forget cannot be combined.")
        try Self.rejectIf(
            (show || forget) && topic == .mount, "calibrate mount stores nothing that --show or --forget could access.")
        try Self.rejectIf(
            (show || forget) && (trace != nil || file != nil || isTrial),
            "--show and --forget cannot be combined with --trace, --output or --dry-run.")
    }

    func run() async throws {
        try await Termination.run(reading: try trace.map { try imports.read($0) }) { recording, stop in
            try await calibrate(recording, stop: stop)
        }
    }

    @MainActor private func calibrate(_ recording: TraceFile?, stop: StopRequest) async throws -> ExitStatus {
        let output = StandardOutput(stop: stop)
        if show || forget {
            let stored = StoredCalibrations(LiveDevice.shared)
            return stop.status(or: forget ? removeStored(stored) : printStored(stored, on: output))
        }
        let topics: [CalibrationTopic]
        let sensors = recording?.findSensors() ?? LiveDevice.shared.motionSource.sensors
        switch CalibrationTopic.topics(topic, sensors: sensors, isTrace: recording != nil) {
        case .success(let found): topics = found
        case .failure(let shortfall):
            Log.error(shortfall.reason)
            return .unavailable
        }
        var status = ExitStatus.success
        var results: [UInt8] = []
        for topic in topics where stop.reason == nil {
            let session = CalibrationSession(
                task: topic.task(keepsExact: exact), screen: screen(output), timeout: timeout, stop: stop)
            let ending =
                if let recording { await session.run(on: SimulatedDevice(recording)) } else {
                    await session.run(on: LiveDevice.shared)
                }
            switch ending {
            case .found(let outcome, let sensor):
                let path = store(outcome, sensor, &status)
                print(outcome, sensor, path: path, output, &results)
            case .failed(let shortfall):
                Log.error("\(topic.rawValue): \(shortfall.reason)")
                status = .unavailable
            case .stopped: break
            }
        }
        if case .signal? = stop.reason, !self.output.json {
            Log.notice("stopped; unfinished calibrations are not stored")
        }
        if let path = file, !results.isEmpty, !Self.write(results, to: path) { status = .cannotCreate }
        return stop.status(or: status)
    }

    private func screen(_ output: StandardOutput) -> any CalibrationScreen {
        if self.output.json { return LineScreen { Log.notice($0.trimmingCharacters(in: .whitespaces)) } }
        let isPicture = trace == nil && Descriptor.standardOutput.showsPictures
        return isPicture ? PictureScreen(output) : LineScreen { output.write(line: $0) }
    }

    private func printStored(_ stored: StoredCalibrations, on output: StandardOutput) -> ExitStatus {
        let wanted = stored.entries.filter { topic == nil || $0.outcome.topic == topic }
        for entry in wanted {
            if self.output.json {
                var writer = JSONWriter()
                entry.outcome.write(to: &writer, sensor: entry.sensor, ["date": CivilDate(entry.date).timestamp])
                output.write(writer.bytes)
            } else {
                output.write(line: "\(entry.title), found \(entry.age(at: stored.now))")
                for line in entry.outcome.lines(of: entry.sensor) { output.write(line: "  \(line)") }
            }
        }
        for problem in stored.problems { Log.warning(problem.description) }
        if wanted.isEmpty { Log.notice("no calibration is stored for the connected sensors") }
        return .success
    }

    private func removeStored(_ stored: StoredCalibrations) -> ExitStatus {
        guard let count = Log.attempt({ try stored.remove(topic) }) else { return .cannotCreate }
        Log.notice(count == 1 ? "deleted one calibration" : "deleted \(count) calibrations")
        return .success
    }

    /// Stores the calibration. Returns the path of its file or, if there is no file, the sensor's key. Returns nil if
    /// nothing was stored.
    private func store(
        _ outcome: CalibrationOutcome, _ sensor: SensorDescription?, _ status: inout ExitStatus
    ) -> String? {
        guard trace == nil, !isTrial, let sensor else { return nil }
        guard let path = Log.attempt({ try StoredCalibrations(LiveDevice.shared).store(outcome, of: sensor) }) else {
            status = .cannotCreate
            return nil
        }
        return path
    }

    private func print(
        _ outcome: CalibrationOutcome, _ sensor: SensorDescription?, path: String?, _ output: StandardOutput,
        _ results: inout [UInt8]
    ) {
        var writer = JSONWriter()
        outcome.write(to: &writer, sensor: sensor, ["stored": path])
        results += writer.bytes
        if self.output.json {
            output.write(writer.bytes)
            return
        }
        for line in outcome.lines(of: sensor) { output.write(line: "  \(line)") }
        if let path { output.write(line: "  stored in \(path)") }
    }

    private static func write(_ bytes: [UInt8], to path: String) -> Bool {
        let isWritten: Void? = Log.attempt {
            // Calibration data contains no positions, so a new file gets the default permissions.
            let others = umask(0)
            umask(others)
            let output = try TraceOutput(
                whole: path, overwrite: true, mode: FileIO.exists(path) ? nil : 0o666 & ~others)
            try output.write(bytes)
            try output.close()
        }
        return isWritten != nil
    }
}

extension CalibrationTopic: ExpressibleByArgument {}
